"""Executions and items as a snapshot shows them, for tests of decisions without a home."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
from tests.executions.worlds import template

from landform.api import scopes
from landform.api.deployitems import DeployItem
from landform.api.executions import Execution
from landform.api.names import Annotation, Finalizer, Label
from landform.cluster.errors import NotFound
from landform.executions import decisions
from landform.executions.snapshot import Snapshot
from landform.kit import clocks, patches
from landform.runtime.intents import Create, Delete, Patch, WakeAt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from landform.runtime.intents import Intent

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
LONG_AGO = "2029-01-01T00:00:00Z"
UID = "6f3c"


class NothingElse:
    """A cluster in which there is nothing."""

    async def get(self, resource: Any, name: str, **_: Any) -> Any:
        raise NotFound(f"{resource} {name} does not exist")

    list: Any = None
    watch: Any = None


def execution(*templates: dict[str, Any], deleted: bool = False, annotations: Any = None, **status: Any) -> Execution:
    """An Execution named shop with job J."""
    metadata: dict[str, Any] = {
        "name": "shop",
        "namespace": "default",
        "uid": UID,
        "resourceVersion": "1",
        "generation": 1,
        "finalizers": [Finalizer.LANDSCAPER],
        "annotations": annotations,
        "deletionTimestamp": LONG_AGO if deleted else None,
    }
    active = [{"specName": each["name"], "objectName": object_name(each["name"])} for each in templates]
    body = {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "Execution",
        "metadata": metadata,
        "spec": {"deployItems": list(templates)},
        "status": {"jobID": "J", "deployItemCache": {"activeDIs": active}, **status},
    }
    return msgspec.json.decode(msgspec.json.encode(body), type=Execution)


def object_name(name: str) -> str:
    return scopes.child_name(UID, f"shop-{name}", name)


def item(name: str, *depends_on: str, deleted: bool = False, **status: Any) -> DeployItem:
    """An item of it, as its last job left it."""
    wanted = template(name, *depends_on)
    body = {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "DeployItem",
        "metadata": {
            "name": object_name(name),
            "namespace": "default",
            "uid": f"uid-{name}",
            "resourceVersion": "1",
            "labels": {Label.MANAGED_BY: "shop", Label.ITEM_NAME: name},
            "annotations": {Annotation.DEPENDS_ON: ",".join(depends_on)},
            "finalizers": [Finalizer.LANDSCAPER],
            "deletionTimestamp": LONG_AGO if deleted else None,
        },
        "spec": {"type": wanted["type"], "config": wanted["config"], "context": "default"},
        "status": {"observedGeneration": 1, **status},
    }
    return msgspec.json.decode(msgspec.json.encode(body), type=DeployItem)


def snapshot(of: Execution, *found: DeployItem, now: datetime = NOW) -> Snapshot:
    return Snapshot(execution=of, now=now, reader=NothingElse(), items=found)


def described(intents: Iterable[Intent]) -> list[str]:
    """Intents in short: what is done to what."""
    return [text for intent in intents if (text := _described(intent))]


def _described(intent: Intent) -> str:
    match intent:
        case Create(obj=DeployItem() as created):
            return f"create {(created.metadata.labels or {})[Label.ITEM_NAME]}"
        case Delete(obj=DeployItem() as gone):
            return f"delete {(gone.metadata.labels or {})[Label.ITEM_NAME]}"
        case Patch(obj=DeployItem() as changed):
            what = "trigger" if "jobID" in intent.change.get("status", {}) else "patch"
            return f"{what} {(changed.metadata.labels or {})[Label.ITEM_NAME]}" if intent.changes_anything() else ""
        case Patch(obj=Execution()):
            status = intent.change.get("status", {})
            return f"-> {status['phase']}" if "phase" in status else "patch the Execution"
        case WakeAt():
            return "wake"
        case _:
            return ""


class Simulated:
    """Carries decisions out on plain objects, without a home; a deployer is whoever calls `finish`."""

    def __init__(self, of: Execution) -> None:
        self.execution: Execution | None = of
        self.found: dict[str, DeployItem] = {}
        self.now = NOW

    def settle(self, most: int = 1000) -> None:
        """Decide and act until nothing is left to be done."""
        for _ in range(most):
            if self.execution is None or not self._step(self.execution):
                return
        raise AssertionError("the decisions never come to rest")

    def _step(self, current: Execution) -> bool:
        intents = decisions.decide(snapshot(current, *self.found.values(), now=self.now))
        return any([self._perform(intent) for intent in intents])

    def _perform(self, intent: Intent) -> bool:
        match intent:
            case Create(obj=DeployItem() as created):
                self.found[created.metadata.name or ""] = created
            case Delete(obj=DeployItem() as gone):
                self._change(gone, {"metadata": {"deletionTimestamp": clocks.rfc3339(self.now)}})
            case Patch(obj=DeployItem() as changed) if intent.changes_anything():
                self._change(changed, intent.change)
            case Patch(obj=Execution() as own) if intent.changes_anything():
                self.execution = _patched(own, intent.change)
                if self.execution.metadata.deletion_timestamp and not self.execution.metadata.finalizers:
                    self.execution = None
            case _:
                return False
        return True

    def _change(self, old: DeployItem, change: Any) -> None:
        new = _patched(old, change)
        self.found[old.metadata.name or ""] = new
        if new.metadata.deletion_timestamp and not new.metadata.finalizers:
            del self.found[old.metadata.name or ""]

    def running(self) -> list[DeployItem]:
        """What a deployer has to do."""
        busy = [each for each in self.found.values() if each.status.job_id != each.status.job_id_finished]
        return sorted(busy, key=lambda each: each.metadata.name or "")

    def finish(self, done: DeployItem, *, fails: bool = False) -> None:
        """Do what a deployer does at the end."""
        deleted = done.metadata.deletion_timestamp is not None
        if deleted and not fails:
            return self._change(done, {"metadata": {"finalizers": None}})
        phase = ("DeleteFailed" if deleted else "Failed") if fails else "Succeeded"
        self._change(done, {"status": {"phase": phase, "jobIDFinished": done.status.job_id}})

    def trigger(self, job: str, *, delete: bool = False) -> None:
        assert self.execution is not None
        change: dict[str, Any] = {"status": {"jobID": job}}
        if delete:
            change["metadata"] = {"deletionTimestamp": clocks.rfc3339(self.now)}
        self.execution = _patched(self.execution, change)

    def wants(self, templates: Sequence[dict[str, Any]]) -> None:
        assert self.execution is not None
        self.execution = _patched(self.execution, {"spec": {"deployItems": list(templates)}})


def _patched(old: Any, change: Any) -> Any:
    plain = msgspec.json.decode(msgspec.json.encode(old))
    merged = patches.merge_patch(plain, msgspec.json.decode(msgspec.json.encode(change)))
    return msgspec.json.decode(msgspec.json.encode(merged), type=type(old))
