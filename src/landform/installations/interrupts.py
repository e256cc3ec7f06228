"""`operation: interrupt`: everything unfinished below an Installation fails at once, and so does what only waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api import jobs
from landform.api.errors import OperationFailed
from landform.api.names import Annotation, Operation
from landform.api.phases import Phase
from landform.cluster.kinds import INSTALLATIONS
from landform.installations import endings, orphans, statuses, writing
from landform.installations.snapshot import is_unfinished

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.api.executions import Execution
    from landform.api.installations import Installation
    from landform.api.structs import Kind
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent

_OPERATION = "InterruptOperation"
_WITHOUT_CHILDREN = frozenset({Phase.INIT, Phase.INIT_DELETE})
"""Phases in which no child works for the job yet."""


def is_asked(snapshot: Snapshot) -> bool:
    """Whether somebody wants it."""
    return snapshot.annotations.get(Annotation.OPERATION) == Operation.INTERRUPT


def comes_too_early(snapshot: Snapshot) -> bool:
    """Whether children have yet to get the job: told before that, they would begin after the interruption."""
    if not jobs.is_busy(snapshot.status) or snapshot.phase in _WITHOUT_CHILDREN:
        return False
    return any(child.status.job_id != snapshot.job for child in _concerned(snapshot))


def interrupt(snapshot: Snapshot) -> list[Intent]:
    """Pass it on to the children that work; then it is done with."""
    intents = [
        writing.annotate(writing.resource_of(child), child, Annotation.OPERATION, Operation.INTERRUPT)
        for child in _concerned(snapshot)
        if jobs.is_busy(child.status) and not _is_told(child)
    ]
    if not _would_begin_more(snapshot):
        return [*intents, writing.annotate(INSTALLATIONS, snapshot.installation, Annotation.OPERATION, None)]
    # The annotation stays until the job has ended: without it, other children would be started next.
    if intents or any(is_unfinished(child, snapshot.job) for child in _concerned(snapshot)):
        return intents
    failure = OperationFailed(_OPERATION, _OPERATION, "operation was interrupted")
    return endings.fail(snapshot, statuses.entered(snapshot), failure)


def _concerned(snapshot: Snapshot) -> Sequence[Installation | Execution]:
    """The children that work in the present phase."""
    if snapshot.phase in _WITHOUT_CHILDREN and jobs.is_busy(snapshot.status):
        return ()
    return orphans.going(snapshot) if _cleans_up(snapshot) else snapshot.below


def _would_begin_more(snapshot: Snapshot) -> bool:
    """Whether children that do not work yet come next."""
    return jobs.is_busy(snapshot.status) and (snapshot.phase in _WITHOUT_CHILDREN or _cleans_up(snapshot))


def _cleans_up(snapshot: Snapshot) -> bool:
    return jobs.is_busy(snapshot.status) and snapshot.phase == Phase.CLEANUP_ORPHANED


def _is_told(child: Kind) -> bool:
    return (child.metadata.annotations or {}).get(Annotation.OPERATION) == Operation.INTERRUPT
