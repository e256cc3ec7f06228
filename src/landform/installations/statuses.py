"""How the status of an Installation changes; pure. Each function gives a new status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from landform.api import conditions, phases
from landform.api.conditions import ConditionStatus, ConditionType
from landform.api.phases import Phase, TransitionTimes

if TYPE_CHECKING:
    from datetime import datetime

    from landform.api.installations import InstallationStatus
    from landform.installations.snapshot import Snapshot


def changed(status: InstallationStatus, **changes: Any) -> InstallationStatus:
    """The status with some fields changed."""
    return msgspec.structs.replace(status, **changes)


def entered(snapshot: Snapshot) -> InstallationStatus:
    """The status in the current job: its own, or if that is still of another job, that of the beginning."""
    status = snapshot.status
    if status.phase is not None and not phases.is_final(status.phase):
        return status
    return begun(snapshot, status)


def begun(snapshot: Snapshot, status: InstallationStatus) -> InstallationStatus:
    """The status at the beginning of a job."""
    times = timed(status, snapshot.now, "init_time").transition_times
    status = changed(
        status,
        observed_generation=snapshot.installation.metadata.generation or 0,
        sub_inst_cache=None,
        transition_times=times,
    )
    return moved(status, Phase.INIT_DELETE if snapshot.is_deleted else Phase.INIT, snapshot.now)


def moved(status: InstallationStatus, phase: str, now: datetime) -> InstallationStatus:
    """The status in another phase; whatever was waited for is not any more."""
    return changed(
        status,
        phase=str(phase),
        phase_transition_time=whole(now),
        conditions=conditions.without(status.conditions, ConditionType.WAITING),
    )


def timed(status: InstallationStatus, now: datetime, *stations: str) -> InstallationStatus:
    """The status with stations of the job reached now."""
    times = status.transition_times or TransitionTimes()
    moment = whole(now)
    return changed(status, transition_times=msgspec.structs.replace(times, **dict.fromkeys(stations, moment)))


def stated(
    status: InstallationStatus, type: ConditionType, *, ok: bool, reason: str, message: str, now: datetime
) -> InstallationStatus:
    """The status with a statement about part of the work."""
    new = conditions.updated(
        conditions.find(status.conditions, type),
        type=type,
        status=ConditionStatus.TRUE if ok else ConditionStatus.FALSE,
        reason=reason,
        message=message,
        now=now,
    )
    return changed(status, conditions=conditions.merged(status.conditions, new))


def whole(moment: datetime) -> datetime:
    """The moment as statuses hold it."""
    return moment.replace(microsecond=0)
