"""Causes: from an object to what is in its way, step by step, as far as the objects tell.

A step follows the condition `Waiting` of an object that works, the last error of one that failed, and what is not well
with one that succeeded. The objects that these texts name are found in the landscape by their names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from landform.api import conditions, jobs, phases
from landform.api.conditions import ConditionStatus, ConditionType
from landform.api.deployitems import DeployItem
from landform.api.executions import Execution
from landform.api.installations import Installation
from landform.api.names import Annotation
from landform.api.waiting import WaitReason
from landform.insight import advice, landscapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from landform.insight.landscapes import Landscape, Worker

_ABOVE_OR_BESIDE = frozenset({WaitReason.PREDECESSOR, WaitReason.IMPORTER})
"""What these wait for is a neighbour; everything else that can be followed is below."""

_BELOW = frozenset({WaitReason.CHILDREN, WaitReason.ORPHANS, WaitReason.UNINSTALL, WaitReason.FINALIZER})

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One object on the way, and what it says."""

    kind: str
    name: str
    title: str = ""
    phase: str = ""
    says: str


class Chain(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """From the object that was asked about to the root cause, which is the last step."""

    steps: tuple[Step, ...]
    advice: str = ""
    """What to do next."""

    is_fine: bool = False
    """Nothing is in the way."""

    unseen: tuple[str, ...] = ()
    """Names of neighbours that the last step waits for and that the landscape does not have."""


@dataclass(frozen=True)
class _Finding:
    """What one object says, and who is to be asked next."""

    says: str
    advice: str = ""
    after: Worker | None = None
    is_fine: bool = False
    unseen: tuple[str, ...] = ()


def why(landscape: Landscape, start: Worker) -> Chain:
    """What is in the way of an object."""
    steps: list[Step] = []
    seen: set[tuple[str, str]] = set()
    obj: Worker | None = start
    finding = _Finding("")
    while obj is not None and (obj.kind, obj.metadata.name or "") not in seen:
        seen.add((obj.kind, obj.metadata.name or ""))
        found = _look(landscape, obj)
        if found.is_fine and steps:
            break  # who waits for one that is well knows best what can be done
        finding = found
        steps.append(_step(obj, finding.says))
        obj = finding.after
    further = advice.of_job_before_deletion(start) if _is_deleted_after_its_job(start) else ""
    told = " ".join(filter(None, (finding.advice, further)))
    return Chain(steps=tuple(steps), advice=told, is_fine=finding.is_fine, unseen=finding.unseen)


def _step(obj: Worker, says: str) -> Step:
    return Step(
        kind=obj.kind,
        name=obj.metadata.name or "",
        title=landscapes.title_of(obj),
        phase=obj.status.phase or "",
        says=says,
    )


def _look(landscape: Landscape, obj: Worker) -> _Finding:
    if jobs.is_busy(obj.status):
        return _of_working(landscape, obj)
    if isinstance(obj, Installation) and (operation := landscapes.annotation_of(obj, Annotation.OPERATION)):
        return _of_asked(operation)
    if phases.is_failed(obj.status.phase):
        return _of_failed(landscape, obj)
    if obj.metadata.deletion_timestamp is not None:
        return _of_deleted(landscape, obj)
    if phases.is_final(obj.status.phase):
        return _of_succeeded(landscape, obj)
    return _of_idle(landscape, obj)


def _of_asked(operation: str) -> _Finding:
    if operation not in advice.OPERATIONS:
        return _Finding(f'is asked to "{operation}", which is nothing that it knows', advice.MISSPELT)
    return _Finding(f'is asked to "{operation}", but no controller has taken that up', advice.NO_CONTROLLER)


def _of_working(landscape: Landscape, obj: Worker) -> _Finding:
    finding = _of_job(landscape, obj)
    if _is_deleted_after_its_job(obj):
        return replace(finding, says=f"is deleted when its job is over: {finding.says}")
    return finding


def _of_job(landscape: Landscape, obj: Worker) -> _Finding:
    waiting = conditions.find(obj.status.conditions, ConditionType.WAITING)
    children = _children(landscape, obj)
    if waiting is None:
        if (child := _most_telling(children)) is not None:
            return _Finding("works on what is below it", after=child)
        error = f"; last error: {_error(obj)}" if obj.status.last_error is not None else ""
        return _Finding(f"works{error}", advice.WORKING)
    if waiting.reason in _ABOVE_OR_BESIDE:
        neighbour = _named(waiting.message, _neighbours(landscape, obj))
        unseen = () if neighbour is not None else _names_in(waiting.message)
        return _Finding(waiting.message, advice.of_wait(waiting.reason, landscape, obj), neighbour, unseen=unseen)
    below = waiting.reason in _BELOW
    child = (_named(waiting.message, children) or _most_telling(children)) if below else None
    return _Finding(waiting.message, advice.of_wait(waiting.reason, landscape, obj), child)


def _of_failed(landscape: Landscape, obj: Worker) -> _Finding:
    job = jobs.base(obj.status.job_id)
    failed = [
        child
        for child in _children(landscape, obj)
        if phases.is_failed(child.status.phase) and jobs.base(child.status.job_id) == job
    ]
    if failed:
        return _Finding("failed because of what is below it", after=min(failed, key=_finished))
    text = _error(obj)
    blamed = _named(text, [each for each in _neighbours(landscape, obj) if not _is_well(each)])
    return _Finding(f"failed: {text}", advice.of_failure(landscape, obj), blamed)


def _of_deleted(landscape: Landscape, obj: Worker) -> _Finding:
    """Of one that somebody deletes and nobody works on: only a job of its root takes it away."""
    root = landscapes.root_of(landscape, obj)
    if root is None or root is obj:
        return _Finding("is to be deleted, but nobody has taken that up", advice.NO_CONTROLLER)
    if jobs.is_busy(root.status):
        return _Finding(f"is deleted by the job of {root.metadata.name}", advice.WORKING, root)
    return _Finding(f"is to be deleted, which only a job of {root.metadata.name} does", advice.of_deletion(root))


def _of_succeeded(landscape: Landscape, obj: Worker) -> _Finding:
    children = _children(landscape, obj)
    healthy = conditions.find(obj.status.conditions, ConditionType.HEALTHY)
    if healthy is not None and healthy.status == ConditionStatus.FALSE:
        after = _named(healthy.message, children) or _leading_to_trouble(landscape, children)
        return _Finding(f"succeeded, but {healthy.message}", advice.of_failure(landscape, obj), after)
    if (child := _leading_to_trouble(landscape, children)) is not None:
        return _Finding("succeeded, but not all below it is well", advice.of_failure(landscape, obj), child)
    if isinstance(obj, Installation) and _has_changed(obj):
        return _Finding("succeeded, but its spec has changed since, and nobody asks for a job", advice.start(obj))
    schedule = conditions.find(obj.status.conditions, ConditionType.AUTOMATIC_RECONCILE)
    if schedule is not None and schedule.status == ConditionStatus.FALSE:
        return _Finding(f"succeeded, but {schedule.message}", advice.of_failure(landscape, obj))
    late = conditions.find(obj.status.conditions, ConditionType.LATE_DATA)
    if late is not None and late.status == ConditionStatus.TRUE:
        return _Finding(f"succeeded, but {late.message}", advice.of_late_data(landscape, obj))
    return _Finding("succeeded; nothing is in its way", is_fine=True)


def _of_idle(landscape: Landscape, obj: Worker) -> _Finding:
    parent = landscape.parent(obj) if isinstance(obj, Installation) else None
    if parent is not None:
        waiting = conditions.find(parent.status.conditions, ConditionType.WAITING)
        # A parent that waits for its children would only point back to us.
        asks = parent if waiting is None or waiting.reason not in _BELOW else None
        return _Finding(f"has not been started by its parent {parent.metadata.name}", after=asks)
    if isinstance(obj, Installation):
        return _Finding("has never run, and nobody asks it to", advice.start(obj))
    if isinstance(obj, DeployItem) and not landscapes.execution_of(obj):
        return _Finding("belongs to no Installation, and nobody asks for a job of it", advice.start_item(obj))
    return _Finding("has not been started", after=landscapes.root_of(landscape, obj))


def _children(landscape: Landscape, obj: Worker) -> list[Worker]:
    if isinstance(obj, Execution):
        return list(landscape.items_of(obj))
    if isinstance(obj, DeployItem):
        return []
    execution = landscape.execution_of(obj)
    return [*landscape.children_of(obj), *([execution] if execution is not None else [])]


def _neighbours(landscape: Landscape, obj: Worker) -> list[Worker]:
    """Those that an object can depend on, or that can depend on it."""
    if isinstance(obj, Installation):
        return [
            each for each in landscape.installations if _siblings_key(each) == _siblings_key(obj) and each is not obj
        ]
    if isinstance(obj, DeployItem):
        return [each for each in landscape.items if _siblings_key(each) == _siblings_key(obj) and each is not obj]
    return []


def _siblings_key(obj: Installation | DeployItem) -> tuple[str, str]:
    """What siblings have in common: namespace and parent."""
    parent = landscapes.parent_of(obj) if isinstance(obj, Installation) else landscapes.execution_of(obj)
    return obj.metadata.namespace or "", parent


def _named(text: str, candidates: Iterable[Worker]) -> Worker | None:
    """The first object that a text names, by its own name or by the one in the blueprint."""
    known: dict[str, Worker] = {}
    for each in candidates:
        known[each.metadata.name or ""] = each
        known.setdefault(landscapes.title_of(each), each)
    return next((known[word] for word in _names_in(text) if word in known), None)


def _names_in(text: str) -> tuple[str, ...]:
    """The words that can be names of objects."""
    return tuple(_NAME.findall(text))


def _most_telling(children: Sequence[Worker]) -> Worker | None:
    """The one among unfinished or failed children that says most about why their parent is not done."""
    open_ones = [each for each in children if not _is_well(each)]
    return min(open_ones, key=_rank) if open_ones else None


def _rank(obj: Worker) -> tuple[int, datetime, str]:
    waiting = conditions.find(obj.status.conditions, ConditionType.WAITING)
    name = obj.metadata.name or ""
    if not jobs.is_busy(obj.status):
        return (0 if phases.is_failed(obj.status.phase) else 4), _finished(obj)[0], name
    if waiting is None:
        return 2, _LONG_AGO, name
    return (3 if waiting.reason in _ABOVE_OR_BESIDE else 1), waiting.last_transition_time, name


def _finished(obj: Worker) -> tuple[datetime, str]:
    times = obj.status.transition_times
    return (times.finished_time if times and times.finished_time else _LONG_AGO), obj.metadata.name or ""


def _is_well(obj: Worker) -> bool:
    return not jobs.is_busy(obj.status) and phases.is_final(obj.status.phase) and not phases.is_failed(obj.status.phase)


def _is_deleted_after_its_job(obj: Worker) -> bool:
    """Whether it waits for the end of a job that does something else before it is deleted."""
    is_asked = isinstance(obj, Installation) and obj.metadata.deletion_timestamp is not None
    return is_asked and jobs.is_busy(obj.status) and not phases.is_deletion(obj.status.phase)


def _has_changed(installation: Installation) -> bool:
    """Whether a root was changed after its last job began; parts are changed by the jobs of their roots."""
    generation = installation.metadata.generation
    is_root = not landscapes.parent_of(installation)
    return is_root and generation is not None and installation.status.observed_generation != generation


def _leading_to_trouble(landscape: Landscape, children: Iterable[Worker]) -> Worker | None:
    """The first child that somebody deletes, or with such a one below it, although no job has begun."""
    return next((child for child in children if _is_troubled(landscape, child)), None)


def _is_troubled(landscape: Landscape, obj: Worker) -> bool:
    if obj.metadata.deletion_timestamp is not None:
        return True
    return _leading_to_trouble(landscape, _children(landscape, obj)) is not None


def _error(obj: Worker) -> str:
    error = obj.status.last_error
    return f"{error.operation}: {error.reason}: {error.message}" if error is not None else "it left no error"
