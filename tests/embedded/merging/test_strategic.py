"""Strategic merge patches give what Kubernetes' own library makes of them."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from tests.embedded.merging import drawn
from tests.embedded.merging.schemas import GOLDEN, node_of

from landform.embedded.merging.strategic import PatchError, strategic_merge

FOLDER = GOLDEN / "strategic"
CASES = json.loads((FOLDER / "cases.json").read_text())
EXPECTED = {answer["name"]: answer for answer in json.loads((FOLDER / "expected.json").read_text())}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_patch_gives_what_kubernetes_makes_of_it(case: dict[str, Any]) -> None:
    answer = EXPECTED[case["name"]]
    current, patch = copy.deepcopy(case["current"]), copy.deepcopy(answer["patch"])
    outcome: dict[str, Any]
    try:
        outcome = {"result": strategic_merge(current, patch, node_of(case["kind"]))}
    except PatchError as error:
        outcome = {"error": str(error)}
    assert outcome == {key: answer[key] for key in ("result", "error") if key in answer}
    assert (current, patch) == (case["current"], answer["patch"]), "inputs stay as they are"


@drawn.quickly
@given(drawn.deployments)
def test_an_empty_patch_changes_nothing(deployment: dict[str, Any]) -> None:
    assert strategic_merge(deployment, {}, node_of("Deployment")) == deployment


@drawn.quickly
@given(drawn.deployments)
def test_a_patch_of_an_object_with_itself_changes_nothing(deployment: dict[str, Any]) -> None:
    assert strategic_merge(deployment, deployment, node_of("Deployment")) == deployment


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ({"metadata": {"$retainKeys": "name"}}, 400),
        ({"metadata": {"$deleteFromPrimitiveList": []}}, 400),
        ({"metadata": {"$setElementOrder": []}}, 400),
        ({"metadata": {"finalizers": [["a"]]}}, 422),
        ({"spec": {"$patch": "unknown"}}, 500),
    ],
    ids=["retainKeys", "deleteFromPrimitiveList", "setElementOrder", "list of lists", "unknown directive"],
)
def test_an_impossible_patch_carries_the_status_code_of_the_api_server(patch: dict[str, Any], code: int) -> None:
    current = {"metadata": {"name": "x", "finalizers": []}, "spec": {}}
    with pytest.raises(PatchError) as caught:
        strategic_merge(current, patch, node_of("Pod"))
    assert caught.value.code == code
