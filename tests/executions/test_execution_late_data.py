"""Values that items export after their job, as an Execution sees them; and jobs that only renew."""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.executions.objects import NOW, described, execution, item, object_name, snapshot
from tests.executions.worlds import template

from landform.api import anyjson, conditions
from landform.api.dataobjects import DataObject
from landform.api.names import Annotation
from landform.api.structs import ObjectMeta
from landform.api.targets import Target, TargetSpec
from landform.executions import decisions, items
from landform.runtime.intents import Emit, Patch

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem
    from landform.executions.snapshot import Snapshot

EXPORT: dict[str, Any] = {"exportRef": {"name": "shop-export"}, "phase": "Succeeded", "jobIDFinished": "J"}
DONE: dict[str, Any] = {"jobID": "J", "jobIDFinished": "J", "phase": "Succeeded"}
SINCE = "2030-01-01T11:00:00Z"


def secret(values: Any, *, since: str = SINCE) -> dict[str, Any]:
    text = values if isinstance(values, str) else json.dumps(values)
    return {
        "metadata": {"name": "a-export", "annotations": {str(Annotation.EXPORTS_RENEWED): since}},
        "data": {"config": base64.b64encode(text.encode()).decode()},
    }


def seen(published: Any, renewed: dict[str, Any], *found: DeployItem, **status: Any) -> Snapshot:
    """An Execution without a job, with what it published and what its items export since."""
    of = execution(template("a"), template("b"), **{**EXPORT, **status})
    export = DataObject(metadata=ObjectMeta(name="shop-export"), data=anyjson.of(published))
    secrets = {object_name(name): made for name, made in renewed.items()}
    made = snapshot(of, *(found or (item("a", **DONE), item("b", **DONE))))
    return dataclasses.replace(made, export=export, renewed=secrets)


def said(intents: list[Any], kind: str) -> list[str]:
    """The messages about late data that are written to objects of a kind."""
    told = []
    for intent in intents:
        if isinstance(intent, Patch) and intent.obj.kind == kind:
            now = msgspec.convert(intent.change["status"].get("conditions") or [], list[conditions.Condition])
            told += [each.message for each in now if each.type == "LateData"]
    return told


def test_values_that_are_not_published_are_told_by_the_item_and_the_execution() -> None:
    intents = decisions.decide(seen({"a": {"x": 1}, "b": None}, {"a": secret({"x": 2})}))
    message = f"deploy item {object_name('a')} (a) exports new values since {SINCE}, which no job has published yet"
    assert said(intents, "DeployItem") == [message]
    assert said(intents, "Execution") == [message]
    assert [intent.reason for intent in intents if isinstance(intent, Emit)] == ["NotPublished"]


@pytest.mark.parametrize("values", [{"x": 1}, "no: [yaml", "17"])
def test_values_that_are_published_or_that_nobody_can_read_are_no_news(values: Any) -> None:
    assert decisions.decide(seen({"a": {"x": 1}}, {"a": secret(values)})) == []


def test_nothing_is_told_before_the_first_job_has_published_anything() -> None:
    assert decisions.decide(seen({"a": {"x": 1}}, {"a": secret({"x": 2})}, exportRef=None)) == []


def test_the_latest_of_several_is_told() -> None:
    renewed = {"a": secret({"x": 2}), "b": secret({"y": 2}, since="2030-01-01T11:30:00Z")}
    told = said(decisions.decide(seen({"a": {}, "b": {}}, renewed)), "Execution")
    assert ["(b) exports new values since 2030-01-01T11:30:00Z" in each for each in told] == [True]


def test_what_was_told_is_taken_back_when_it_is_published() -> None:
    late = conditions.updated(None, type="LateData", status="True", reason="NotPublished", message="m", now=NOW)
    plain = msgspec.to_builtins([late])
    both = (item("a", conditions=plain, **DONE), item("b", **DONE))
    told = seen({"a": {"x": 2}}, {"a": secret({"x": 2})}, *both, conditions=plain)
    assert described(decisions.decide(told)) == ["patch a", "patch the Execution"]


def test_an_item_with_a_job_is_not_written() -> None:
    busy = item("a", **{**DONE, "jobID": "J.1", "phase": "Progressing"})
    intents = decisions.decide(seen({"a": {"x": 1}}, {"a": secret({"x": 2})}, busy, item("b", **DONE)))
    assert (said(intents, "DeployItem"), len(said(intents, "Execution"))) == ([], 1)


# Jobs that renew


def target(generation: int = 1, uid: str = "u") -> Target:
    return Target(metadata=ObjectMeta(name="t", uid=uid, generation=generation), spec=TargetSpec(type="x"))


def generated(found: DeployItem, generation: int) -> DeployItem:
    return msgspec.structs.replace(found, metadata=msgspec.structs.replace(found.metadata, generation=generation))


def test_an_item_is_unchanged_if_it_and_its_target_are() -> None:
    done = generated(item("a", **DONE, targetVersion="u/1"), 1)
    assert items.is_unchanged(done, target())
    assert not items.is_unchanged(done, target(2))
    assert not items.is_unchanged(done, target(uid="v"))
    assert not items.is_unchanged(done, None)
    assert not items.is_unchanged(generated(done, 2), target())
    assert not items.is_unchanged(generated(item("a", **{**DONE, "phase": "Failed"}), 1), None)
    assert not items.is_unchanged(generated(item("a", **{**DONE, "jobID": "J.1"}), 1), None)


@pytest.mark.parametrize(("job", "finished"), [("renew-K", {"renew-K"}), ("K", {None})])
def test_only_a_job_that_renews_passes_what_is_unchanged(job: str, finished: set[str | None]) -> None:
    of = execution(template("a"), jobID=job, jobIDFinished="J", phase="Progressing")
    [intent] = decisions.decide(snapshot(of, generated(item("a", **DONE), 1)))
    assert isinstance(intent, Patch)
    assert intent.change["status"]["jobID"] == job
    assert {intent.change["status"].get("jobIDFinished")} == finished


def test_a_job_that_renews_gives_work_to_what_has_changed_or_failed() -> None:
    of = execution(template("a"), template("b"), jobID="renew-K", jobIDFinished="J", phase="Progressing")
    failed = generated(item("b", **{**DONE, "phase": "Failed"}), 1)
    intents = decisions.decide(snapshot(of, generated(item("a", **DONE), 2), failed))
    assert ["jobIDFinished" in intent.change["status"] for intent in intents if isinstance(intent, Patch)] == [
        False,
        False,
    ]
