"""Phase Progressing: the children are given the job, and waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from landform.api.errors import OperationFailed
from landform.api.installations import Installation
from landform.api.names import Annotation, Operation
from landform.api.phases import Phase
from landform.api.waiting import Wait, WaitReason
from landform.cluster.kinds import EXECUTIONS, INSTALLATIONS
from landform.cluster.resources import ObjectKey
from landform.installations import completing, endings, relations, waits, writing
from landform.installations.certainty import Certain
from landform.installations.snapshot import is_unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from landform.api.executions import Execution
    from landform.cluster.resources import Resource
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent

LONGEST: Final = 2_000
"""So many characters of the errors below are repeated in one's own: they would pile up on the way to the root."""


def progress(snapshot: Snapshot) -> list[Intent]:
    """Start the children, wait for them, and go on to the exports when all have succeeded."""
    if starts := trigger_children(snapshot):
        return starts
    if unfinished := [child for child in snapshot.below if is_unfinished(child, snapshot.job)]:
        return waits.stand(snapshot, snapshot.status, Wait(WaitReason.CHILDREN, describe(unfinished)))
    if failures := list(_failures(snapshot)):
        failure = OperationFailed("buildErrorIfFailedChild", "children failed", "; ".join(failures)[:LONGEST])
        return [*_doubts(snapshot), *endings.fail(snapshot, snapshot.status, failure)]
    return completing.complete(snapshot)


def trigger_children(snapshot: Snapshot) -> list[Intent]:
    """Give the job to each child that does not have it."""
    return start(snapshot, [child for child in snapshot.below if child.status.job_id != snapshot.job])


def start(snapshot: Snapshot, idle: Sequence[Installation | Execution]) -> list[Intent]:
    """Give the job to children; first take off an interruption of the job before, which would end this one too."""
    if told := [child for child in idle if _is_interrupted(child)]:
        return [writing.annotate(writing.resource_of(child), child, Annotation.OPERATION, None) for child in told]
    return [writing.trigger(child, snapshot.job, snapshot.now) for child in idle]


def _is_interrupted(child: Installation | Execution) -> bool:
    return (child.metadata.annotations or {}).get(Annotation.OPERATION) == Operation.INTERRUPT


def describe(children: Sequence[Installation | Execution]) -> str:
    """The first of the children and where it stands, for people."""
    first = children[0]
    phase = first.status.phase or "none"
    others = " (it is not the only one)" if len(children) > 1 else ""
    return f"{title(first)} is in phase {phase}{others}"


def title(child: Installation | Execution) -> str:
    """How people are told of a child."""
    return relations.title(child) if isinstance(child, Installation) else f"execution {child.metadata.name}"


def _failures(snapshot: Snapshot) -> Iterator[str]:
    for child in snapshot.below:
        if child.status.phase != Phase.SUCCEEDED:
            error = child.status.last_error
            yield f"{title(child)} is in phase {child.status.phase}" + (f": {error.message}" if error else "")
    for name, template in _unseen_children(snapshot):
        yield f"sub-installation {name} ({template}) is gone"
    if _has_unseen_execution(snapshot):
        yield f"execution {snapshot.name} is gone"


def _doubts(snapshot: Snapshot) -> list[Intent]:
    """What is not seen may only not have been seen yet, by a replica that has just taken the Installation over."""
    keys: list[tuple[Resource[Any], str]] = [(INSTALLATIONS, name) for name, _ in _unseen_children(snapshot)]
    if _has_unseen_execution(snapshot):
        keys.append((EXECUTIONS, snapshot.name))
    return [Certain(snapshot.reader, resource, ObjectKey(snapshot.namespace, name)) for resource, name in keys]


def _unseen_children(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Names of the sub-Installations that there should be, as objects and in the blueprint."""
    names = {child.metadata.name for child in snapshot.children}
    cache = snapshot.status.sub_inst_cache
    for wanted in (cache.active_subs if cache else None) or ():
        if wanted.object_name not in names:
            yield wanted.object_name or "", wanted.spec_name or ""


def _has_unseen_execution(snapshot: Snapshot) -> bool:
    return snapshot.status.execution_ref is not None and snapshot.own_execution is None
