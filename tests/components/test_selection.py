"""Resources and references, found by identity and by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from landform.components import selection
from landform.components.errors import Ambiguous, NotFound


def _resource(name: str, version: str = "1.0.0", **identity: str) -> dict[str, Any]:
    return {"name": name, "version": version, **({"extraIdentity": identity} if identity else {})}


def _component(*resources: dict[str, Any]) -> dict[str, Any]:
    return {"component": {"name": "example.com/x", "version": "1", "resources": list(resources)}}


def test_a_selector_needs_all_given_keys_and_allows_more() -> None:
    linux, mac = _resource("tool", os="linux"), _resource("tool", os="darwin")
    component = _component(linux, mac)
    assert selection.resources(component, {"name": "tool", "os": "linux"}) == [linux]
    assert selection.resources(component, {"name": "tool"}) == [linux, mac]
    assert selection.resources(component, {"name": "tool", "cpu": "arm"}) == []


def test_the_version_belongs_to_the_identity_of_twins_only() -> None:
    old, new, sole = _resource("twice", "1.0.0"), _resource("twice", "2.0.0"), _resource("sole", "3.0.0")
    component = _component(old, new, sole)
    assert selection.resources(component, {"version": "2.0.0"}) == [new]
    assert selection.resources(component, {"version": "3.0.0"}) == []


def test_a_unique_name_finds_a_resource_with_an_extra_identity() -> None:
    tool = _resource("tool", os="linux")
    assert selection.resource_named(_component(tool), "tool") == tool


def test_a_resource_without_extra_identity_is_what_its_name_means() -> None:
    plain, special = _resource("tool"), _resource("tool", os="linux")
    assert selection.resource_named(_component(special, plain), "tool") == plain


def test_an_ambiguous_name_lists_the_candidates() -> None:
    component = _component(_resource("tool", os="linux"), _resource("tool", os="darwin"))
    with pytest.raises(Ambiguous, match=r"name=tool,os=linux; name=tool,os=darwin"):
        selection.resource_named(component, "tool")


def test_a_missing_name_lists_what_is_there() -> None:
    with pytest.raises(NotFound, match="it has: tool"):
        selection.resource_named(_component(_resource("tool")), "other")


def _cases() -> list[dict[str, Any]]:
    cases = json.loads(Path("tests/golden/ocm/expected/ctf.json").read_bytes())["cases"]
    return [case for case in cases if case.get("content")]


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["component"])
def test_identities_are_as_recorded(case: dict[str, Any]) -> None:
    found = selection.identities(case["v2"]["component"]["resources"])
    assert found == [content["identity"] for content in case["content"]]
    for name, index in case["indexFoundByNameOnly"].items():
        if index is not None:
            assert selection.resource_named(case["v2"], name) == case["v2"]["component"]["resources"][index]
