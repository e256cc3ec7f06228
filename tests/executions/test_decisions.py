"""What is decided for an Execution, as a table: the state of its items, and what follows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.executions.objects import NOW, NothingElse, execution, item, snapshot
from tests.executions.objects import described as short
from tests.executions.worlds import template

from landform.api.executions import Execution
from landform.executions import decisions
from landform.executions.confirming import Gone
from landform.kit import clocks
from landform.runtime.errors import Retry, Terminal
from landform.runtime.intents import Patch

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem

A, B = template("a"), template("b", "a")
OLD: dict[str, Any] = {"jobID": "I", "jobIDFinished": "I", "phase": "Succeeded"}
RUNS: dict[str, Any] = {"jobID": "J", "jobIDFinished": "I", "phase": "Progressing"}
DONE: dict[str, Any] = {"jobID": "J", "jobIDFinished": "J", "phase": "Succeeded"}
FAILED: dict[str, Any] = {"jobID": "J", "jobIDFinished": "J", "phase": "Failed"}
STUCK: dict[str, Any] = {"jobID": "J", "jobIDFinished": "J", "phase": "DeleteFailed"}
PASS: dict[str, Any] = {"jobID": "J.1", "jobIDFinished": "J", "phase": "Progressing"}
PASSED: dict[str, Any] = {"jobID": "J.1", "jobIDFinished": "J.1", "phase": "Succeeded"}
WORKS: dict[str, Any] = {"phase": "Progressing", "phaseTransitionTime": clocks.rfc3339(NOW)}
GOES: dict[str, Any] = {"phase": "Deleting", "phaseTransitionTime": clocks.rfc3339(NOW)}


@pytest.mark.parametrize(
    ("items", "intents"),
    [
        pytest.param([item("a", **OLD), item("b", "a", **OLD)], ["trigger a"], id="what depends on nothing begins"),
        pytest.param([item("a", **RUNS), item("b", "a", **OLD)], ["wake"], id="a successor waits for what runs"),
        pytest.param([item("a", **DONE), item("b", "a", **OLD)], ["trigger b"], id="and begins after its success"),
        pytest.param([item("a", **FAILED), item("b", "a", **OLD)], ["-> Failed"], id="never after a failure"),
        pytest.param([item("a", **DONE), item("b", "a", **RUNS)], ["wake"], id="the last one runs"),
        pytest.param([item("a", **FAILED), item("b", "a", **RUNS)], ["wake"], id="what runs comes to its end"),
        pytest.param([item("a", **DONE), item("b", "a", **FAILED)], ["-> Failed"], id="the last one failed"),
        pytest.param([item("a", **DONE), item("b", "a", **DONE)], ["-> Succeeded"], id="all have succeeded"),
        pytest.param([item("a", **DONE)], ["-> Failed"], id="one is gone"),
        pytest.param([item("a", **DONE), item("b", "a", deleted=True, **OLD)], ["-> Failed"], id="one is deleted"),
        pytest.param([item("a", **PASS), item("b", "a", **OLD)], ["wake"], id="a pass on the results of this job"),
        pytest.param([item("a", **PASSED), item("b", "a", **OLD)], ["trigger b"], id="a pass that ended well"),
        pytest.param([item("a", "b", **OLD), item("b", "a", **OLD)], ["-> Failed"], id="a circle cannot be started"),
    ],
)
def test_an_execution_in_progress(items: list[DeployItem], intents: list[str]) -> None:
    assert short(decisions.decide(snapshot(execution(A, B, **WORKS), *items))) == intents


@pytest.mark.parametrize(
    ("items", "intents"),
    [
        pytest.param([], ["create a", "create b", "-> Progressing"], id="a new Execution"),
        pytest.param([item("a", **OLD)], ["patch a", "create b", "-> Progressing"], id="one item more"),
        pytest.param([item("old", **OLD)], ["delete old", "-> Init"], id="what is not wanted is deleted first"),
        pytest.param([item("old", deleted=True, **OLD)], ["trigger old", "-> Init"], id="or uninstalled, if deleted"),
    ],
)
def test_the_beginning_of_a_job(items: list[DeployItem], intents: list[str]) -> None:
    assert short(decisions.decide(snapshot(execution(A, B), *items))) == intents


@pytest.mark.parametrize(
    ("items", "intents"),
    [
        pytest.param([item("old", deleted=True, **RUNS)], ["wake"], id="it is being uninstalled"),
        pytest.param([item("old", deleted=True, **STUCK)], ["-> Failed"], id="it could not be"),
        pytest.param([], ["create a", "create b", "-> Progressing"], id="it is gone"),
    ],
)
def test_orphans_on_their_way(items: list[DeployItem], intents: list[str]) -> None:
    started: dict[str, Any] = {"phase": "Init", "phaseTransitionTime": clocks.rfc3339(NOW)}
    assert short(decisions.decide(snapshot(execution(A, B, **started), *items))) == intents


@pytest.mark.parametrize(
    ("status", "items", "intents"),
    [
        pytest.param({}, [item("a", **OLD)], ["delete a", "-> Deleting"], id="items are deleted first"),
        pytest.param({}, [], ["patch the Execution"], id="without items it goes at once"),
        pytest.param(
            GOES,
            [item("a", deleted=True, **OLD), item("b", "a", deleted=True, **OLD)],
            ["trigger b"],
            id="dependents go first",
        ),
        pytest.param(
            GOES,
            [item("a", deleted=True, **OLD), item("b", "a", deleted=True, **RUNS)],
            ["wake"],
            id="one waits for its dependents",
        ),
        pytest.param(GOES, [item("a", deleted=True, **OLD)], ["trigger a"], id="and goes after them"),
        pytest.param(
            GOES,
            [item("a", deleted=True, **OLD), item("b", "a", deleted=True, **STUCK)],
            ["-> DeleteFailed"],
            id="one that cannot go keeps what it depends on",
        ),
        pytest.param(
            GOES,
            [item("a", "b", deleted=True, **OLD), item("b", "a", deleted=True, **OLD)],
            ["trigger a", "trigger b"],
            id="a circle goes all at once",
        ),
        pytest.param(GOES, [], ["patch the Execution"], id="all have gone"),
    ],
)
def test_an_execution_that_goes(status: dict[str, Any], items: list[DeployItem], intents: list[str]) -> None:
    assert short(decisions.decide(snapshot(execution(A, B, deleted=True, **status), *items))) == intents


@pytest.mark.parametrize(
    ("templates", "reason", "message"),
    [
        (
            [template("a", "b")],
            "UnknownDependency",
            "deploy item a depends on b, which does not exist; there are a",
        ),
        (
            [template("a", "b"), template("b", "a")],
            "CyclicDependencies",
            "the deploy items depend on each other in a circle: a -> b -> a",
        ),
        (
            [template("a"), template("a")],
            "DuplicateDeployItems",
            "several deploy items have the same name: a",
        ),
    ],
)
def test_items_that_make_no_sense_fail_the_job_by_name(
    templates: list[dict[str, Any]], reason: str, message: str
) -> None:
    error = failure(decisions.decide(snapshot(execution(*templates))))
    assert (error["operation"], error["reason"], error["message"]) == ("handlePhaseInit", reason, message)


def test_unreadable_compressed_items_fail_the_job() -> None:
    broken = execution()
    spec = type(broken.spec)(deploy_items_compressed="bm90IGd6aXA=")
    unreadable = Execution(metadata=broken.metadata, spec=spec, status=broken.status)
    error = failure(decisions.decide(snapshot(unreadable)))
    assert error["message"].startswith("spec.deployItemsCompressed is unreadable: not gzip")


def test_what_can_never_be_done_fails_the_job() -> None:
    begun = snapshot(execution(A, **WORKS), item("a", **OLD))
    error = failure(decisions.mark(begun, Terminal("Invalid", "the name is too long")))
    assert (error["operation"], error["reason"]) == ("handlePhaseProgressing", "Invalid")
    assert decisions.mark(snapshot(execution(A, jobIDFinished="J")), Terminal("Invalid", "x")) == []


async def test_an_item_that_is_there_but_was_not_seen_yet_is_not_taken_for_gone() -> None:
    class Everything(NothingElse):
        async def get(self, resource: Any, name: str, **_: Any) -> Any:
            return item("a")

    for behind in (execution(A, **WORKS), execution(A, deleted=True, **GOES)):
        seen = replace(snapshot(behind), reader=Everything())
        first = decisions.decide(seen)[0]
        assert isinstance(first, Gone)
        with pytest.raises(Retry, match="has not been seen yet"):
            await first.perform(None, seen.key)  # type: ignore[arg-type] # it writes nothing
        await replace(first, snapshot=snapshot(behind)).perform(None, seen.key)  # type: ignore[arg-type]


def failure(intents: Any) -> dict[str, Any]:
    [patch] = [intent for intent in intents if isinstance(intent, Patch)]
    assert patch.change["status"]["jobIDFinished"] == "J"
    error: dict[str, Any] = patch.change["status"]["lastError"]
    return error
