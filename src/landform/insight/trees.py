"""Trees: what belongs to an Installation, how far it has come and what it gave, as one value."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api import anyjson, conditions, jobs, phases
from landform.api.conditions import ConditionStatus, ConditionType
from landform.api.dataobjects import DataObject
from landform.api.deployitems import DeployItem
from landform.api.installations import Installation
from landform.api.names import Annotation, Label
from landform.api.phases import TransitionTimes
from landform.insight import landscapes

if TYPE_CHECKING:
    from datetime import datetime

    from landform.insight.landscapes import Export, Landscape, Worker


class State(enum.StrEnum):
    """How an object is doing, in one word."""

    IDLE = "idle"
    """It never ran, and nothing asks it to."""
    WORKING = "working"
    WAITING = "waiting"
    """It has a job, but stands still."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class ExportNode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One export of an Installation."""

    name: str
    """The name under which others import it."""

    kind: str
    """DataObject or Target."""

    value: Any = None
    """The value of a DataObject, the type of a Target."""


class Node(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One object with all that is below it."""

    kind: str
    namespace: str
    name: str
    title: str = ""
    """What the blueprint calls it."""

    type: str = ""
    """Of a DeployItem: which deployer is responsible."""

    phase: str = ""
    state: State
    is_deleting: bool = False
    seconds: float | None = None
    """How long the current job has taken so far, or the last one took."""

    waits_for: str = ""
    unhealthy: str = ""
    """What is not as the last job left it."""

    error: str = ""
    """What went wrong last: operation, reason and message."""

    exports: tuple[ExportNode, ...] = ()
    children: tuple[Node, ...] = ()


def tree(landscape: Landscape, installation: Installation, now: datetime) -> Node:
    """An Installation with its sub-Installations, its Execution and their items."""
    execution = landscape.execution_of(installation)
    below = [tree(landscape, child, now) for child in landscape.children_of(installation)]
    if execution is not None:
        items = tuple(_node(item, now) for item in landscape.items_of(execution))
        below.append(msgspec.structs.replace(_node(execution, now), children=items))
    exports = tuple(_export(each) for each in landscape.exports_of(installation))
    return msgspec.structs.replace(_node(installation, now), children=tuple(below), exports=exports)


def state_of(obj: Worker) -> State:
    """How an object is doing."""
    status = obj.status
    if jobs.is_busy(status) or _is_asked(obj):
        waits = conditions.find(status.conditions, ConditionType.WAITING) is not None
        return State.WAITING if waits else State.WORKING
    if phases.is_failed(status.phase):
        return State.FAILED
    return State.SUCCEEDED if phases.is_final(status.phase) else State.IDLE


def without_values(node: Node) -> Node:
    """The same tree without the values of exports, which may be secrets."""
    exports = tuple(ExportNode(name=each.name, kind=each.kind) for each in node.exports)
    children = tuple(map(without_values, node.children))
    return msgspec.structs.replace(node, exports=exports, children=children)


def first_line(text: str) -> str:
    """The beginning of a message, for where there is room for one line."""
    return text.strip().partition("\n")[0]


def _is_asked(obj: Worker) -> bool:
    """Whether a root is asked to start a job that has not begun."""
    return isinstance(obj, Installation) and bool(landscapes.annotation_of(obj, Annotation.OPERATION))


def _node(obj: Worker, now: datetime) -> Node:
    status = obj.status
    waiting = conditions.find(status.conditions, ConditionType.WAITING)
    healthy = conditions.find(status.conditions, ConditionType.HEALTHY)
    error = status.last_error
    key = landscapes.key_of(obj)
    return Node(
        kind=obj.kind,
        namespace=key.namespace,
        name=key.name,
        title=landscapes.title_of(obj),
        type=obj.spec.type if isinstance(obj, DeployItem) else "",
        phase=status.phase or "",
        state=state_of(obj),
        is_deleting=obj.metadata.deletion_timestamp is not None,
        seconds=_seconds(obj, now),
        waits_for=waiting.message if waiting is not None else "",
        unhealthy=healthy.message if healthy is not None and healthy.status == ConditionStatus.FALSE else "",
        error=f"{error.operation}: {error.reason}: {error.message}" if error is not None else "",
    )


def _seconds(obj: Worker, now: datetime) -> float | None:
    times = obj.status.transition_times or TransitionTimes()
    begun = times.trigger_time or times.init_time
    ended = now if jobs.is_busy(obj.status) else times.finished_time
    return max(0.0, (ended - begun).total_seconds()) if begun is not None and ended is not None else None


def _export(export: Export) -> ExportNode:
    name = landscapes.label_of(export, Label.DATA_KEY) or export.metadata.name or ""
    value = anyjson.value(export.data) if isinstance(export, DataObject) else export.spec.type
    return ExportNode(name=name, kind=export.kind, value=value)
