"""`operation: interrupt`: everything unfinished below an Installation fails at once, and so does what only waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api import jobs
from landform.api.errors import OperationFailed
from landform.api.names import Annotation, Operation
from landform.api.phases import Phase
from landform.cluster.kinds import EXECUTIONS, INSTALLATIONS
from landform.installations import endings, statuses, writing

if TYPE_CHECKING:
    from landform.api.structs import Kind
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent

_OPERATION = "InterruptOperation"
_WITHOUT_CHILDREN = frozenset({Phase.INIT, Phase.INIT_DELETE})
"""Phases in which no child works for the job yet."""


def is_asked(snapshot: Snapshot) -> bool:
    """Whether somebody wants it."""
    return snapshot.annotations.get(Annotation.OPERATION) == Operation.INTERRUPT


def interrupt(snapshot: Snapshot) -> list[Intent]:
    """Pass it on to the children that work; then it is done with."""
    if jobs.is_busy(snapshot.status) and snapshot.phase in _WITHOUT_CHILDREN:
        # The annotation stays until this is written: taken off first, a crash would lose it.
        failure = OperationFailed(_OPERATION, _OPERATION, "operation was interrupted")
        return endings.fail(snapshot, statuses.entered(snapshot), failure)
    intents = [
        writing.annotate(INSTALLATIONS, child, Annotation.OPERATION, Operation.INTERRUPT)
        for child in snapshot.children
        if jobs.is_busy(child.status) and not _is_told(child)
    ]
    execution = snapshot.own_execution
    if execution is not None and jobs.is_busy(execution.status) and not _is_told(execution):
        intents.append(writing.annotate(EXECUTIONS, execution, Annotation.OPERATION, Operation.INTERRUPT))
    return [*intents, writing.annotate(INSTALLATIONS, snapshot.installation, Annotation.OPERATION, None)]


def _is_told(child: Kind) -> bool:
    return (child.metadata.annotations or {}).get(Annotation.OPERATION) == Operation.INTERRUPT
