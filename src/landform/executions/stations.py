"""The stations of an Execution's job: begun, standing still, ended; each at most one write of the status."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from landform.api import conditions, errors, waiting
from landform.api.conditions import ConditionType
from landform.api.phases import Phase, TransitionTimes
from landform.cluster.kinds import EXECUTIONS
from landform.executions import health, waits, writing
from landform.runtime.intents import Emit, WakeAt
from landform.runtime.recorders import EventType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.api.deployitems import DeployItem
    from landform.api.errors import OperationFailed
    from landform.api.executions import DeployItemCache, Execution, ExecutionStatus
    from landform.api.references import ObjectReference
    from landform.api.waiting import Wait
    from landform.executions.snapshot import Snapshot
    from landform.runtime.intents import Intent, Patch


def reached(snapshot: Snapshot, phase: Phase, cache: DeployItemCache | None) -> Patch[Execution]:
    """The job comes to a phase in which it waits for items."""
    status = snapshot.execution.status
    times = status.transition_times or TransitionTimes()
    begun = snapshot.moment if snapshot.is_new_job else times.init_time
    waits_for_items = snapshot.moment if phase in (Phase.PROGRESSING, Phase.DELETING) else None
    said, _ = waiting.settle(status.conditions, None, since=snapshot.now, now=snapshot.now)
    new = msgspec.structs.replace(
        status,
        phase=str(phase),
        phase_transition_time=snapshot.moment,
        deploy_item_cache=cache,
        conditions=said,
        last_error=None,
        transition_times=TransitionTimes(trigger_time=times.trigger_time, init_time=begun, wait_time=waits_for_items),
    )
    return writing.execution_status(snapshot.execution, new)


def standing(snapshot: Snapshot, wait: Wait, working: Sequence[DeployItem]) -> list[Intent]:
    """The job waits for others: say so when it takes longer."""
    status = snapshot.execution.status
    since = waits.since(snapshot, working)
    said, wake_at = waiting.settle(
        status.conditions, wait, since=since, now=snapshot.now, under_pressure=snapshot.under_pressure
    )
    if wake_at is not None:
        return [WakeAt(wake_at)]
    if said is status.conditions:
        return []
    return [writing.execution_status(snapshot.execution, msgspec.structs.replace(status, conditions=said))]


def succeeded(
    snapshot: Snapshot, cache: DeployItemCache | None, export_ref: ObjectReference | None
) -> Patch[Execution]:
    """The job is over, and all is well."""
    new = msgspec.structs.replace(
        _ended(snapshot, Phase.SUCCEEDED), deploy_item_cache=cache, export_ref=export_ref, last_error=None
    )
    # Whatever the items exported by now is published; should more have come meanwhile, the next look says so.
    published = conditions.without(new.conditions, ConditionType.LATE_DATA)
    new = msgspec.structs.replace(new, conditions=health.well(published, snapshot.now))
    return writing.execution_status(snapshot.execution, new)


def failed(snapshot: Snapshot, failure: OperationFailed) -> list[Intent]:
    """The job is over without success."""
    new = _ended(snapshot, Phase.DELETE_FAILED if snapshot.deletes else Phase.FAILED)
    summary = failure.message.partition("\n")[0]
    new = msgspec.structs.replace(
        new,
        last_error=errors.updated(new.last_error, failure, snapshot.now),
        conditions=health.unwell(new.conditions, summary, snapshot.now),
    )
    return [
        writing.execution_status(snapshot.execution, new),
        Emit(EXECUTIONS, snapshot.execution, EventType.WARNING, failure.reason, failure.message),
    ]


def _ended(snapshot: Snapshot, phase: Phase) -> ExecutionStatus:
    status = snapshot.execution.status
    times = status.transition_times or TransitionTimes()
    begun = snapshot.moment if snapshot.is_new_job else times.init_time
    said, _ = waiting.settle(status.conditions, None, since=snapshot.now, now=snapshot.now)
    return msgspec.structs.replace(
        status,
        phase=str(phase),
        phase_transition_time=snapshot.moment,
        job_id_finished=status.job_id,
        conditions=said,
        transition_times=msgspec.structs.replace(times, init_time=begun, finished_time=snapshot.moment),
    )
