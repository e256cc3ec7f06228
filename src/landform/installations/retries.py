"""Automatic reconcile: root Installations that start again by themselves, after success or after failure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from landform.api import conditions, phases
from landform.api.conditions import ConditionType
from landform.api.installations import AutomaticReconcileStatus
from landform.api.names import Annotation
from landform.api.phases import Phase
from landform.installations import statuses
from landform.kit import cron, durations

if TYPE_CHECKING:
    from landform.api.installations import (
        AutomaticReconcile,
        FailedReconcile,
        InstallationStatus,
        SucceededReconcile,
    )
    from landform.installations.snapshot import Snapshot

AFTER_FAILURE: Final = timedelta(minutes=5)
"""Interval of retries after a failure, unless another one is given."""

AFTER_SUCCESS: Final = timedelta(hours=24)
"""Interval of runs after a success, unless another one is given."""


@dataclass(frozen=True)
class Plan:
    """The next automatic run."""

    at: datetime
    status: AutomaticReconcileStatus
    """What the status says once it has begun."""


def plan(snapshot: Snapshot) -> Plan | None:
    """The next automatic run of an Installation that has finished; None if there is none to come."""
    spec, status = snapshot.installation.spec.automatic_reconcile, snapshot.status
    if spec is None or not snapshot.starts_itself or Annotation.OPERATION in snapshot.annotations:
        return None
    if status.observed_generation != snapshot.installation.metadata.generation:
        return None
    if phases.is_failed(status.phase):
        return _after_failure(snapshot, spec)
    return _after_success(snapshot, spec) if status.phase == Phase.SUCCEEDED else None


def after_end(snapshot: Snapshot, phase: Phase) -> AutomaticReconcileStatus | None:
    """Where the automatic runs stand when a job has ended so."""
    spec = snapshot.installation.spec.automatic_reconcile
    if spec is None:
        return None
    last = _last(snapshot, on_failed=phases.is_failed(phase))
    if last is not None or phase != Phase.SUCCEEDED or spec.succeeded_reconcile is None:
        return last
    return _started(snapshot, 0, on_failed=False)


def stated(snapshot: Snapshot, status: InstallationStatus) -> InstallationStatus:
    """The status of a finished Installation with what is wrong with its schedules.

    The rules do not let a wrong one pass, but a cluster without the webhook does; and some days never come.
    """
    spec = snapshot.installation.spec.automatic_reconcile
    follows = phases.is_final(status.phase) and snapshot.starts_itself
    wrong = fault(spec, snapshot.now) if spec is not None and follows else None
    type_ = ConditionType.AUTOMATIC_RECONCILE
    if wrong is None:
        return statuses.changed(status, conditions=conditions.without(status.conditions, type_))
    message = f"{wrong}; no job begins by it: mend it, then reconcile this installation"
    return statuses.stated(status, type_, ok=False, reason="InvalidSchedule", message=message, now=snapshot.now)


def fault(spec: AutomaticReconcile, now: datetime) -> str | None:
    """What is wrong with the schedules, with the field that has it; None if they can be followed."""
    found = {"succeeded": spec.succeeded_reconcile, "failed": spec.failed_reconcile}
    for name, asked in found.items():
        if asked is not None and (wrong := _fault_of(asked, now)) is not None:
            return f"spec.automaticReconcile.{name}Reconcile.{wrong}"
    return None


def _fault_of(asked: SucceededReconcile | FailedReconcile, now: datetime) -> str | None:
    field = "cronSpec" if asked.cron_spec else "interval"
    try:
        never = _next(now, asked.cron_spec, asked.interval, AFTER_SUCCESS) is None
    except ValueError as error:
        return f"{field}: {error}"
    return f"{field}: {asked.cron_spec!r} never comes: there is no such day" if never else None


def _after_failure(snapshot: Snapshot, spec: AutomaticReconcile) -> Plan | None:
    asked = spec.failed_reconcile
    if asked is None or asked.number_of_reconciles == 0:
        return None
    last = _last(snapshot, on_failed=True)
    if last is None:
        return Plan(snapshot.now, _started(snapshot, 1, on_failed=True))
    count = last.number_of_reconciles or 0
    if asked.number_of_reconciles is not None and count >= asked.number_of_reconciles:
        return None
    at = _due(last.last_reconcile_time or snapshot.now, asked.cron_spec, asked.interval, AFTER_FAILURE)
    return Plan(at, _started(snapshot, count + 1, on_failed=True)) if at is not None else None


def _after_success(snapshot: Snapshot, spec: AutomaticReconcile) -> Plan | None:
    asked = spec.succeeded_reconcile
    if asked is None:
        return None
    last = _last(snapshot, on_failed=False)
    count = (last.number_of_reconciles or 0) if last else 0
    since = last.last_reconcile_time if last else None
    at = _due(since or _finished(snapshot), asked.cron_spec, asked.interval, AFTER_SUCCESS)
    return Plan(at, _started(snapshot, count + 1, on_failed=False)) if at is not None else None


def _last(snapshot: Snapshot, *, on_failed: bool) -> AutomaticReconcileStatus | None:
    """What is known of the runs before, if it counts: another specification or another end begins anew."""
    last = snapshot.status.automatic_reconcile_status
    if last is None or last.generation != snapshot.installation.metadata.generation:
        return None
    return last if bool(last.on_failed) is on_failed else None


def _started(snapshot: Snapshot, count: int, *, on_failed: bool) -> AutomaticReconcileStatus:
    return AutomaticReconcileStatus(
        generation=snapshot.installation.metadata.generation,
        number_of_reconciles=count,
        last_reconcile_time=statuses.whole(snapshot.now),
        on_failed=on_failed,
    )


def _finished(snapshot: Snapshot) -> datetime:
    times = snapshot.status.transition_times
    return (times.finished_time if times else None) or snapshot.now


def _due(last: datetime, cron_spec: str | None, interval: str | None, default: timedelta) -> datetime | None:
    """When it is due after the last time; None for a schedule that cannot be followed, as the condition then says."""
    try:
        return _next(last, cron_spec, interval, default)
    except ValueError:
        return None


def _next(last: datetime, cron_spec: str | None, interval: str | None, default: timedelta) -> datetime | None:
    """What follows the last time; ValueError for a schedule that cannot be read."""
    if cron_spec:
        return cron.parse(cron_spec).next(last)
    given = durations.parse(interval).timedelta if interval else default
    return last + (given if given > timedelta() else default)
