"""Every recorded scenario, replayed: the same objects, the same owners, the same errors as the real API server."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.embedded.merging.registry import Registry
from tests.embedded.merging.schemas import GOLDEN, node_of

from landform.cluster.errors import ApiError, Conflict

SCENARIOS = json.loads((GOLDEN / "ownership" / "scenarios.json").read_text())


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["name"])
def test_a_recorded_scenario_gives_the_same_results(scenario: dict[str, Any]) -> None:
    registry = Registry(scenario["kind"], scenario["name"], node_of(scenario["kind"]))
    for number, step in enumerate(scenario["steps"]):
        before = registry.live
        expected = step["result"]
        outcome = _outcome(registry, step)
        if expected["kind"] != "Status":
            assert outcome == expected, f"step {number}"
            assert _texts(outcome) == _texts(expected), f"step {number}: order of the fields"
        else:
            _check_refusal(outcome, expected, f"step {number}")
            registry.live = before


def _outcome(registry: Registry, step: dict[str, Any]) -> dict[str, Any]:
    try:
        return registry.do(step)
    except ApiError as error:
        return error.to_status()


def _check_refusal(outcome: dict[str, Any], expected: dict[str, Any], where: str) -> None:
    if expected.get("reason") == "Invalid":
        # Refused by validation, which comes after the merge and is no part of it. All these refusals are about fields
        # that the merge leaves out or null.
        for cause in expected["details"]["causes"]:
            assert _at(outcome, cause["field"]) is None, where
        return
    assert outcome["code"] == expected["code"], where
    if expected.get("reason") == "Conflict" and "causes" not in expected["details"]:
        assert outcome["reason"] == Conflict.default_reason, where
        return
    assert outcome["message"] == expected["message"], where
    assert _causes(outcome) == _causes(expected), where


def _at(obj: dict[str, Any], field: str) -> Any:
    """The value at a path such as ``spec.ports[2].port``."""
    value: Any = obj
    for name in field.replace("[", ".").replace("]", "").split("."):
        value = value[int(name)] if isinstance(value, list) else value.get(name)
    return value


def _causes(status: dict[str, Any]) -> list[tuple[str, ...]]:
    """The causes, sorted: the API server lists managers in no particular order."""
    causes = (status.get("details") or {}).get("causes", [])
    return sorted((cause["reason"], cause["field"], cause["message"]) for cause in causes)


def _texts(obj: dict[str, Any]) -> list[str]:
    """The owned fields as they are written, byte for byte."""
    return [json.dumps(entry["fieldsV1"]) for entry in obj["metadata"].get("managedFields", [])]
