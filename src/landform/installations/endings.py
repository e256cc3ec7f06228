"""How a job of an Installation ends: one status write with everything that belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api import errors, phases
from landform.api.phases import Phase
from landform.cluster.kinds import INSTALLATIONS
from landform.installations import health, latedata, retries, statuses, triggers, writing
from landform.runtime.intents import Emit
from landform.runtime.recorders import EventType

if TYPE_CHECKING:
    from landform.api.errors import OperationFailed
    from landform.api.installations import InstallationStatus
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent


def succeed(snapshot: Snapshot, status: InstallationStatus) -> list[Intent]:
    """The job has reached its goal."""
    return _end(snapshot, status, Phase.SUCCEEDED, None)


def fail(snapshot: Snapshot, status: InstallationStatus, failure: OperationFailed) -> list[Intent]:
    """The job cannot reach its goal."""
    phase = Phase.DELETE_FAILED if phases.is_deletion(status.phase) else Phase.FAILED
    return _end(snapshot, status, phase, failure)


def _end(snapshot: Snapshot, status: InstallationStatus, phase: Phase, failure: OperationFailed | None) -> list[Intent]:
    now = snapshot.now
    status = statuses.moved(status, phase, now)
    status = statuses.timed(status, now, "finished_time")
    status = statuses.changed(
        status,
        job_id_finished=status.job_id,
        last_error=errors.updated(status.last_error, failure, now),
        automatic_reconcile_status=retries.after_end(snapshot, phase),
    )
    status = retries.stated(snapshot, latedata.stated(snapshot, health.stated(snapshot, status)))
    intents = [*triggers.dependents(snapshot, phase), *writing.write_status(snapshot.installation, status)]
    if failure is not None:
        installation = snapshot.installation
        intents.append(Emit(INSTALLATIONS, installation, EventType.WARNING, failure.reason, failure.message))
    return intents
