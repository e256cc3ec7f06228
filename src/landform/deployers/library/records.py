"""What is known of the work on one item under one job, until it is all in the item's status."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from landform.api import errors
from landform.api.conditions import find, merged, updated
from landform.api.deployitems import MAX_LAST_ERRORS, time_allowed
from landform.api.phases import Phase, is_deletion, is_final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from landform.api.anyjson import AnyJSON
    from landform.api.conditions import Condition
    from landform.api.deployitems import DeployerInformation, DeployItem
    from landform.api.errors import Error, OperationFailed
    from landform.api.references import ObjectReference
    from landform.api.waiting import Wait


@dataclass(frozen=True)
class Errors:
    """The errors of one job."""

    last: Error | None = None
    first: Error | None = None
    recent: tuple[Error, ...] = ()

    def with_failure(self, failure: OperationFailed, now: datetime) -> Errors:
        """The errors after one more."""
        last = errors.updated(self.last, failure, now)
        if last is None:
            return self
        return Errors(last, self.first or last, (*self.recent, last)[-MAX_LAST_ERRORS:])


@dataclass
class Record:
    """What a run has to say; the run changes it, and whoever writes the status reads it."""

    job: str
    deleting: bool
    started: datetime
    """When the deployer began with this job; the item's time counts from here. Not before the job was given, by the
    clock of whoever gave it."""

    looked: datetime
    """When the deployer first looked at this job, by its own clock; schedules count from here."""

    generation: int
    deployer: DeployerInformation
    phase: str
    """The phase to show until the work is done."""

    errors: Errors = Errors()
    conditions: list[Condition] = field(default_factory=list)
    provider_status: AnyJSON | None = None
    """None as long as the run has not said any."""

    export: ObjectReference | None = None
    """Where the exported values are, once the run has exported some."""

    wait: Wait | None = None
    wait_since: datetime | None = None
    waited: datetime | None = None
    """When the deployer first waited for what it deployed."""

    unreported: list[OperationFailed] = field(default_factory=list)
    """Errors that no Event tells of yet."""

    outcome: Phase | None = None
    """The final phase, once the work is over. After a deletion that succeeded the item goes and has none."""

    @property
    def operation(self) -> str:
        """What is being done, for errors."""
        return "Delete" if self.deleting else "Reconcile"

    def note(self, failure: OperationFailed, now: datetime) -> None:
        """Remember an error."""
        self.errors = self.errors.with_failure(failure, now)
        self.unreported.append(failure)

    def say(
        self, known: Iterable[Condition], type_: str, status: str, reason: str, message: str, *, now: datetime
    ) -> None:
        """Remember a condition; `known` are those that the status has."""
        last = find(self.conditions, type_) or find(known, type_)
        new = updated(last, type=type_, status=status, reason=reason, message=message, now=now)
        self.conditions = list(merged(tuple(self.conditions), new) or ())

    def wait_for(self, wait: Wait | None, now: datetime) -> bool:
        """Remember what is waited for; whether that is news."""
        if wait == self.wait:
            return False
        if wait is None or self.wait is None:
            self.wait_since = now
        self.wait = wait
        return True

    def succeed(self) -> None:
        """The work is done."""
        self.errors = replace(self.errors, last=None)
        self.outcome = Phase.SUCCEEDED

    def fail(self, failure: OperationFailed, now: datetime) -> None:
        """The work is given up."""
        self.note(failure, now)
        self.outcome = failed_phase(self.deleting)


def failed_phase(deleting: bool) -> Phase:
    """The phase of an item whose job did not reach its goal."""
    return Phase.DELETE_FAILED if deleting else Phase.FAILED


def is_deleting(item: DeployItem) -> bool:
    """Whether the item is to go."""
    return item.metadata.deletion_timestamp is not None


def has_begun(item: DeployItem) -> bool:
    """Whether the status already says that a deployer began with the item's current job."""
    status, times = item.status, item.status.transition_times
    if not status.phase or is_final(status.phase) or times is None or times.init_time is None:
        return False
    given = status.job_id_generation_time
    return is_deletion(status.phase) == is_deleting(item) and (given is None or times.init_time >= given)


def begin(item: DeployItem, deployer: DeployerInformation, now: datetime) -> Record:
    """A new record for the item's job; it goes on where the status says that an earlier process stopped."""
    status, deleting = item.status, is_deleting(item)
    # Should our clock be behind that of whoever gave the job, the job would look as if nobody had begun with it.
    given = status.job_id_generation_time or now
    record = Record(
        job=status.job_id or "",
        deleting=deleting,
        started=max(now, given),
        looked=now,
        generation=item.metadata.generation or 0,
        deployer=deployer,
        phase=Phase.DELETING if deleting else Phase.PROGRESSING,
    )
    if has_begun(item) and status.transition_times is not None:
        record.started = status.transition_times.init_time or now
        record.waited = status.transition_times.wait_time
        record.errors = Errors(status.last_error, status.first_error, status.last_errors or ())
    return record


def deadline(item: DeployItem, record: Record) -> datetime | None:
    """When the item's time is over: however the clocks of others go, no later than if it had begun right now."""
    duration = time_allowed(item)
    return None if duration is None else min(record.started, record.looked) + max(duration.timedelta, timedelta())
