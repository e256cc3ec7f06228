"""Defaults that objects get when they are stored."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.api.defaults import apply_defaults
from landform.api.structs import API_VERSION


@pytest.mark.parametrize("kind", ["Installation", "Execution", "DeployItem"])
@pytest.mark.parametrize("given_", [{}, {"context": None}, {"context": ""}], ids=str)
def test_the_context_is_default_when_none_is_named(kind: str, given_: dict[str, Any]) -> None:
    obj = {"apiVersion": API_VERSION, "kind": kind, "spec": dict(given_)}
    apply_defaults(obj)
    assert obj["spec"] == {"context": "default"}


def test_a_named_context_stays() -> None:
    obj = {"apiVersion": API_VERSION, "kind": "DeployItem", "spec": {"context": "mine"}}
    apply_defaults(obj)
    assert obj["spec"] == {"context": "mine"}


def test_the_deprecated_phase_of_a_deploy_item_is_removed() -> None:
    obj = {
        "apiVersion": API_VERSION,
        "kind": "DeployItem",
        "spec": {"context": "c"},
        "status": {"deployItemPhase": "Failed", "phase": "Init"},
    }
    apply_defaults(obj)
    assert obj["status"] == {"phase": "Init"}


@pytest.mark.parametrize(
    "obj",
    [
        {"apiVersion": API_VERSION, "kind": "Target", "spec": {}},
        {"apiVersion": "apps/v1", "kind": "Installation", "spec": {}},
        {"kind": "Installation", "spec": {}},
    ],
    ids=str,
)
def test_other_objects_stay_as_they_are(obj: dict[str, Any]) -> None:
    before = copy.deepcopy(obj)
    apply_defaults(obj)
    assert obj == before


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children, max_size=3),
    max_leaves=8,
)


@given(spec=JSON, status=JSON, anything=JSON)
def test_malformed_objects_do_no_harm(spec: Any, status: Any, anything: Any) -> None:
    apply_defaults({"apiVersion": API_VERSION, "kind": "DeployItem", "spec": spec, "status": status})
    apply_defaults(anything)
