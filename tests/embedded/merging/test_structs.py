"""What built-in kinds hold: as Go's types have it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.embedded.merging.schemas import GOLDEN, node_of

from landform.embedded.kinds import library
from landform.embedded.merging.structs import held
from landform.embedded.merging.zeros import zero_object

ZEROS = json.loads((GOLDEN / "zeros" / "expected.json").read_text())
SERVED = [facts for facts in library.library().resources if "update" in facts.verbs]


@pytest.mark.parametrize("facts", SERVED, ids=lambda facts: f"{facts.group_version} {facts.kind}")
def test_an_empty_object_holds_what_it_does_in_go(facts: library.ResourceFacts) -> None:
    expected = {key: value for key, value in ZEROS[f"{facts.group_version} {facts.kind}"].items() if key != "metadata"}
    assert zero_object(facts.group_version, facts.kind) == expected


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ({"data": None, "immutable": False}, {"immutable": False}),
        ({"data": {}, "binaryData": {}}, {}),
        ({"metadata": {"labels": {}, "finalizers": [], "name": ""}}, {"metadata": {"name": ""}}),
    ],
    ids=["null", "empty maps", "empty lists"],
)
def test_a_built_in_type_does_not_keep_what_go_would_leave_out(written: Any, kept: Any) -> None:
    assert held(written, node_of("ConfigMap")) == kept


def test_a_built_in_type_keeps_empty_structs_and_required_lists() -> None:
    pod = {"spec": {"containers": [], "volumes": [{"name": "v", "emptyDir": {}}], "securityContext": {}}}
    assert held(pod, node_of("Pod")) == pod
