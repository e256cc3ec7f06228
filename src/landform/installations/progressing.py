"""Phase Progressing: the children are given the job, and waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from landform.api.errors import OperationFailed
from landform.api.installations import Installation
from landform.api.phases import Phase
from landform.api.waiting import Wait, WaitReason
from landform.installations import completing, endings, relations, waits, writing
from landform.installations.snapshot import is_unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from landform.api.executions import Execution
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent

LONGEST: Final = 2_000
"""So many characters of the errors below are repeated in one's own: they would pile up on the way to the root."""


def progress(snapshot: Snapshot) -> list[Intent]:
    """Start the children, wait for them, and go on to the exports when all have succeeded."""
    if starts := trigger_children(snapshot):
        return starts
    if unfinished := [child for child in children_of(snapshot) if is_unfinished(child, snapshot.job)]:
        return waits.stand(snapshot, snapshot.status, Wait(WaitReason.CHILDREN, describe(unfinished)))
    if failures := list(_failures(snapshot)):
        failure = OperationFailed("buildErrorIfFailedChild", "children failed", "; ".join(failures)[:LONGEST])
        return endings.fail(snapshot, snapshot.status, failure)
    return completing.complete(snapshot)


def trigger_children(snapshot: Snapshot) -> list[Intent]:
    """Give the job to each child that does not have it."""
    job, now = snapshot.job, snapshot.now
    return [writing.trigger(child, job, now) for child in children_of(snapshot) if child.status.job_id != job]


def children_of(snapshot: Snapshot) -> Sequence[Installation | Execution]:
    """All that the Installation has below it."""
    return [*([snapshot.own_execution] if snapshot.own_execution is not None else []), *snapshot.children]


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
    for child in children_of(snapshot):
        if child.status.phase != Phase.SUCCEEDED:
            error = child.status.last_error
            yield f"{title(child)} is in phase {child.status.phase}" + (f": {error.message}" if error else "")
    names = {child.metadata.name for child in snapshot.children}
    cache = snapshot.status.sub_inst_cache
    for wanted in (cache.active_subs if cache else None) or ():
        if wanted.object_name not in names:
            yield f"sub-installation {wanted.object_name} ({wanted.spec_name}) is gone"
    if snapshot.status.execution_ref is not None and snapshot.own_execution is None:
        yield f"execution {snapshot.status.execution_ref.name} is gone"
