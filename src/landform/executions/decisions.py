"""What is to be done for an Execution: the way in to all decisions. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api import jobs
from landform.api.errors import OperationFailed
from landform.api.names import Annotation, Finalizer, Operation
from landform.api.phases import Phase
from landform.cluster.kinds import EXECUTIONS
from landform.executions import abandonment, beginning, deletion, health, interrupts, latedata, progress, stations
from landform.runtime.intents import Patch

if TYPE_CHECKING:
    from landform.executions.snapshot import Snapshot
    from landform.runtime.errors import Terminal
    from landform.runtime.intents import Intent


def decide(snapshot: Snapshot) -> list[Intent]:
    """The next steps; nothing if others have to move first."""
    if snapshot.is_gone:
        return abandonment.of_items(snapshot)
    said = snapshot.execution.metadata
    if not snapshot.is_deleted and Finalizer.LANDSCAPER not in (said.finalizers or ()):
        finalizers = [*(said.finalizers or ()), Finalizer.LANDSCAPER]
        return [Patch(EXECUTIONS, snapshot.execution, {"metadata": {"finalizers": finalizers}})]
    if snapshot.annotated(Annotation.OPERATION) == Operation.INTERRUPT:
        return interrupts.decide(snapshot)
    if not jobs.is_busy(snapshot.execution.status):
        return abandonment.of_execution(snapshot) or health.decide(snapshot) or latedata.decide(snapshot)
    try:
        return _of_phase(snapshot)
    except OperationFailed as failure:
        return stations.failed(snapshot, failure)


def mark(snapshot: Snapshot, error: Terminal) -> list[Intent]:
    """Something that was to be done can never be done: the job is over."""
    if snapshot.is_gone or not jobs.is_busy(snapshot.execution.status):
        return []
    return stations.failed(snapshot, OperationFailed(_operation(snapshot), error.reason, str(error)))


def _of_phase(snapshot: Snapshot) -> list[Intent]:
    if snapshot.deletes:
        return deletion.decide(snapshot)
    if snapshot.execution.status.phase in (Phase.PROGRESSING, Phase.COMPLETING):
        return progress.decide(snapshot)
    return beginning.decide(snapshot)


def _operation(snapshot: Snapshot) -> str:
    if snapshot.deletes:
        return "handlePhaseDeleting"
    phase = snapshot.execution.status.phase
    return "handlePhaseInit" if snapshot.is_new_job or phase == Phase.INIT else "handlePhaseProgressing"
