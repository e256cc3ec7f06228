"""Objects of a landscape, in any state, for those who look at them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import msgspec

from landform.api.conditions import Condition, ConditionStatus, ConditionType
from landform.api.dataobjects import DataObject
from landform.api.deployitems import DeployItem
from landform.api.errors import Error
from landform.api.executions import Execution
from landform.api.installations import Installation
from landform.api.names import Annotation, Label, SourceType
from landform.api.phases import Phase
from landform.api.structs import API_VERSION, Kind

K = TypeVar("K", bound=Kind)

NOW = datetime(2030, 1, 1, 12, 0, 0, tzinfo=UTC)
JOB = "job-1"


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def waits(reason: str, message: str, since: float = 10) -> Condition:
    return _condition(ConditionType.WAITING, ConditionStatus.TRUE, reason, message, since)


def unhealthy(message: str) -> Condition:
    return _condition(ConditionType.HEALTHY, ConditionStatus.FALSE, "ItemFailed", message, 1)


def late(message: str) -> Condition:
    return _condition(ConditionType.LATE_DATA, ConditionStatus.TRUE, "NotPublished", message, 1)


def unscheduled(message: str) -> Condition:
    return _condition(ConditionType.AUTOMATIC_RECONCILE, ConditionStatus.FALSE, "InvalidSchedule", message, 1)


def _condition(type: str, status: str, reason: str, message: str, since: float) -> Condition:
    moment = ago(since)
    return Condition(
        type=str(type),
        status=str(status),
        reason=str(reason),
        message=message,
        last_transition_time=moment,
        last_update_time=moment,
    )


def status(
    phase: str = "",
    *,
    busy: bool = False,
    says: Condition | None = None,
    error: str = "",
    began: float = 60,
    ended: float = 50,
) -> dict[str, Any]:
    """A status: without a phase, as of an object that never ran."""
    if not phase and not busy:
        return {}
    times = {"triggerTime": ago(began), **({} if busy else {"finishedTime": ago(ended)})}
    return {
        "phase": str(phase),
        "jobID": JOB,
        "jobIDFinished": "" if busy else JOB,
        "transitionTimes": times,
        **({"conditions": [says]} if says is not None else {}),
        **({"lastError": _error(error)} if error else {}),
    }


def _error(message: str) -> Error:
    return Error(
        operation="Reconcile", reason="Broken", message=message, last_transition_time=NOW, last_update_time=NOW
    )


def installation(
    name: str,
    *,
    parent: str = "",
    operation: str = "",
    uid: str = "",
    blueprint: Any = None,
    generation: int | None = None,
    **state: Any,
) -> Installation:
    """An Installation; a child is called in its blueprint what stands before its last hyphen."""
    labels = {str(Label.ENCOMPASSED_BY): parent} if parent else {}
    annotations = {str(Annotation.OPERATION): operation} if operation else {}
    if parent:
        annotations[str(Annotation.SUBINSTALLATION_NAME)] = name.rpartition("-")[0]
    spec = {"blueprint": {"inline": {"filesystem": blueprint or {}}}}
    metadata = {"annotations": annotations, "uid": uid or f"uid-{name}", "generation": generation}
    return _made(Installation, name, labels, spec, state, **metadata)


def execution(name: str, **state: Any) -> Execution:
    return _made(Execution, name, {}, {}, state)


def item(name: str, of: str, **state: Any) -> DeployItem:
    """An item of an Execution, or of none; it is called there what stands in the middle of its name."""
    title = name.removeprefix(f"{of}-").rpartition("-")[0]
    labels = {str(Label.MANAGED_BY): of, str(Label.ITEM_NAME): title} if of else {}
    return _made(DeployItem, name, labels, {"type": "landscaper.gardener.cloud/mock"}, state)


def export(name: str, value: Any, *, of: str) -> DataObject:
    labels = {
        str(Label.DATA_SOURCE): f"Inst.{of}",
        str(Label.DATA_SOURCE_TYPE): str(SourceType.EXPORT),
        str(Label.DATA_KEY): name,
    }
    plain = {
        "apiVersion": API_VERSION,
        "kind": "DataObject",
        "metadata": {"name": name, "namespace": "default", "labels": labels},
        "data": value,
    }
    return msgspec.json.decode(msgspec.json.encode(plain), type=DataObject)


def _made(
    kind: type[K], name: str, labels: dict[str, str], spec: dict[str, Any], state: dict[str, Any], **metadata: Any
) -> K:
    plain = {
        "apiVersion": API_VERSION,
        "kind": kind.__name__,
        "metadata": {"name": name, "namespace": "default", "labels": labels, **metadata},
        "spec": spec,
        "status": status(**state),
    }
    return msgspec.json.decode(msgspec.json.encode(plain), type=kind)


def deleted(obj: K) -> K:
    """The same object after somebody asked for its deletion."""
    metadata = msgspec.structs.replace(obj.metadata, deletion_timestamp=NOW)
    return msgspec.structs.replace(obj, metadata=metadata)


def succeeded() -> dict[str, Any]:
    return {"phase": Phase.SUCCEEDED}


def failed(error: str = "", ended: float = 50) -> dict[str, Any]:
    return {"phase": Phase.FAILED, "error": error, "ended": ended}


def working(phase: str = Phase.PROGRESSING, says: Condition | None = None) -> dict[str, Any]:
    return {"phase": phase, "busy": True, "says": says}
