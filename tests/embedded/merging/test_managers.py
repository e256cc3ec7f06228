"""Names of field managers: refused and derived as the real API server does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.embedded.merging.schemas import GOLDEN

from landform.cluster.errors import Invalid
from landform.cluster.interface import PatchType, WriteOptions
from landform.embedded import options
from landform.embedded.merging.managers import MAX_LENGTH, manager_faults, manager_from_user_agent

RECORDED = json.loads((GOLDEN / "ownership" / "managers.json").read_text())


@pytest.mark.parametrize("case", RECORDED["names"], ids=lambda case: ascii(case["manager"])[:20])
@pytest.mark.parametrize(
    ("verb", "kind", "patch_type"), [("create", "CreateOptions", None), ("apply", "PatchOptions", PatchType.APPLY)]
)
def test_a_name_is_refused_in_the_words_of_the_api_server(
    case: dict[str, Any], verb: str, kind: str, patch_type: PatchType | None
) -> None:
    outcome = None
    try:
        options.check(WriteOptions(field_manager=case["manager"]), kind, patch_type)
    except Invalid as error:
        outcome = error.to_status()
    assert outcome == case.get(verb)


@pytest.mark.parametrize(("agent", "manager"), RECORDED["agents"].items())
def test_a_user_agent_gives_the_manager_that_the_api_server_makes_of_it(agent: str, manager: str) -> None:
    # Who has no name at all is called unknown when the entry is written, not here.
    assert (manager_from_user_agent(agent) or "unknown") == manager


@given(st.text())
def test_a_manager_from_a_user_agent_is_always_allowed(agent: str) -> None:
    assert not manager_faults(manager_from_user_agent(agent))


def test_a_user_agent_is_cut_between_characters() -> None:
    assert manager_from_user_agent("x" + "é" * MAX_LENGTH) == "x" + "é" * 63
