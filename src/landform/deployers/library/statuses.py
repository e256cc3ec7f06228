"""From what is known of the work to the status of the item; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from landform.api import waiting
from landform.api.conditions import merged
from landform.api.deployitems import DeployItemExports
from landform.api.phases import Phase, TransitionTimes
from landform.api.references import LocalSecretReference
from landform.cluster import codec
from landform.deployers.library import exports
from landform.deployers.library.records import Record, has_begun
from landform.kit import patches

if TYPE_CHECKING:
    from datetime import datetime

    from landform.api.deployitems import DeployItem, DeployItemStatus
    from landform.api.references import ObjectReference


def underway(
    item: DeployItem, record: Record, now: datetime, *, under_pressure: bool = False
) -> tuple[DeployItemStatus, datetime | None]:
    """The status while the work goes on, and when to look again if it is too early to say what is waited for."""
    status = _told(item, record)
    conditions, wake = waiting.settle(
        status.conditions, record.wait, since=record.wait_since or now, now=now, under_pressure=under_pressure
    )
    return msgspec.structs.replace(status, phase=record.phase, conditions=conditions), wake


def finished(item: DeployItem, record: Record, phase: str, now: datetime) -> DeployItemStatus:
    """The status when the work is done: final phase and finished job in one."""
    status = _told(item, record)
    conditions, _ = waiting.settle(status.conditions, None, since=now, now=now)
    times = status.transition_times or TransitionTimes()
    # What a successful run does not export again is exported no longer.
    keeps = record.export is not None or phase != Phase.SUCCEEDED
    return msgspec.structs.replace(
        status,
        phase=phase,
        conditions=conditions,
        export_ref=status.export_ref if keeps else None,
        exports=status.exports if keeps else None,
        export_generation=status.export_generation if keeps else None,
        job_id_finished=item.status.job_id,
        transition_times=msgspec.structs.replace(times, finished_time=_second(now)),
    )


def skipped(item: DeployItem, record: Record, now: datetime) -> DeployItemStatus:
    """The status of an item that need not be deployed again: as it was, and the job finished."""
    status = finished(item, record, item.status.phase or Phase.SUCCEEDED, now)
    known = item.status
    return msgspec.structs.replace(
        status, export_ref=known.export_ref, exports=known.exports, export_generation=known.export_generation
    )


def given(item: DeployItem, job: str, now: datetime) -> DeployItemStatus:
    """The status with a new job that no Execution has given."""
    return msgspec.structs.replace(
        item.status,
        job_id=job,
        job_id_generation_time=_second(now),
        transition_times=TransitionTimes(trigger_time=_second(now)),
    )


def claimed(item: DeployItem, job: str, record: Record, now: datetime) -> DeployItemStatus:
    """The status with a job that the deployer gives itself, begun in the same write."""
    begun = msgspec.structs.replace(item, status=given(item, job, now))
    return msgspec.structs.replace(_told(begun, record), phase=Phase.INIT_DELETE if record.deleting else Phase.INIT)


def change(old: DeployItemStatus, new: DeployItemStatus) -> dict[str, Any]:
    """The merge patch from one status to another; empty if they say the same."""
    difference: dict[str, Any] = patches.diff(_plain(old), _plain(new))
    return difference


def _told(item: DeployItem, record: Record) -> DeployItemStatus:
    """The status with everything that the record knows, but for the phase."""
    status = item.status if record.export is None else _exporting(item.status, record.export, record.generation)
    times = status.transition_times or TransitionTimes()
    begins = not has_begun(item)
    return msgspec.structs.replace(
        status,
        observed_generation=record.generation,
        last_reconcile_time=_second(record.looked) if begins else status.last_reconcile_time,
        deployer=record.deployer,
        last_error=record.errors.last,
        first_error=record.errors.first,
        last_errors=record.errors.recent or None,
        conditions=merged(status.conditions, *record.conditions),
        provider_status=status.provider_status if record.provider_status is None else record.provider_status,
        transition_times=TransitionTimes(
            trigger_time=times.trigger_time,
            init_time=_second(record.started),
            wait_time=_second(record.waited) if record.waited else None,
        ),
    )


def _exporting(status: DeployItemStatus, reference: ObjectReference, generation: int) -> DeployItemStatus:
    """The status with the exports of a generation, in the words of the contract and in those of the first one."""
    secret = LocalSecretReference(name=reference.name, key=exports.KEY)
    return msgspec.structs.replace(
        status,
        export_ref=reference,
        exports=DeployItemExports(secret_ref=secret),
        export_generation=generation,
    )


def _second(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)


def _plain(status: DeployItemStatus) -> Any:
    return msgspec.json.decode(codec.encode(status))
