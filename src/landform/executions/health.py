"""Whether all items of an Execution are now as its last job left them: the condition `Healthy`.

The phase keeps telling how the last job ended. Scheduled passes go on after it, and when one fails or recovers this
condition moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from landform.api import conditions, jobs, phases
from landform.api.conditions import ConditionStatus, ConditionType
from landform.api.phases import Phase
from landform.executions import confirming, items, standings, writing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from landform.api.conditions import Condition
    from landform.executions.snapshot import Snapshot
    from landform.executions.standings import Member
    from landform.runtime.intents import Intent

_WELL = "every deploy item is as the last job left it"


def well(current: tuple[Condition, ...] | None, now: datetime) -> tuple[Condition, ...] | None:
    """The conditions after a job that succeeded."""
    return _stated(current, ConditionStatus.TRUE, "AsDeployed", _WELL, now)


def unwell(current: tuple[Condition, ...] | None, message: str, now: datetime) -> tuple[Condition, ...] | None:
    """The conditions after a job that failed."""
    return _stated(current, ConditionStatus.FALSE, "JobFailed", message, now)


def decide(snapshot: Snapshot) -> list[Intent]:
    """Follow what happens to the items of an Execution that has no job."""
    status = snapshot.execution.status
    if status.phase != Phase.SUCCEEDED or snapshot.is_deleted:
        return []
    team = standings.members(snapshot)
    trouble = next(filter(None, map(_trouble, team)), "")
    if trouble:
        new = _stated(status.conditions, ConditionStatus.FALSE, "DeployItemFailed", trouble, snapshot.now)
    elif conditions.find(status.conditions, ConditionType.HEALTHY) is None or _has_passes(team):
        return []  # nothing is wrong; and what was wrong is so until a pass has ended well
    else:
        new = well(status.conditions, snapshot.now)
    if new is status.conditions:
        return []
    unseen = tuple(member.object_name for member in team if member.item is None)
    return [
        confirming.Gone(snapshot, unseen),
        writing.execution_status(snapshot.execution, msgspec.structs.replace(status, conditions=new)),
    ]


def _trouble(member: Member) -> str:
    """What is wrong with an item, if something is."""
    name = f"deploy item {member.object_name} ({member.name})"
    if member.item is None:
        return f"{name} is gone"
    if items.is_deleted(member.item):
        return f"{name} is being deleted"
    if phases.is_failed(member.item.status.phase) and not jobs.is_busy(member.item.status):
        error = member.item.status.last_error
        return f"{name} is in phase {member.item.status.phase}" + (f": {error.message}" if error else "")
    return ""


def _has_passes(team: Sequence[Member]) -> bool:
    return any(member.item is not None and jobs.is_busy(member.item.status) for member in team)


def _stated(
    current: tuple[Condition, ...] | None, status: ConditionStatus, reason: str, message: str, now: datetime
) -> tuple[Condition, ...] | None:
    said = conditions.find(current, ConditionType.HEALTHY)
    new = conditions.updated(said, type=ConditionType.HEALTHY, status=status, reason=reason, message=message, now=now)
    return conditions.merged(current, new)
