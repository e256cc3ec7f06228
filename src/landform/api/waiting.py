"""What an object waits for, said in its one condition `Waiting`.

Most objects never stand still, and saying what they wait for would cost a write each time. So the condition is
written only after a second of standing still, and taken off together with whatever is written next.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from landform.api import conditions
from landform.api.conditions import ConditionStatus, ConditionType

if TYPE_CHECKING:
    from datetime import datetime

    from landform.api.conditions import Condition

PATIENCE = timedelta(seconds=1)
"""So long may an object stand still without saying why."""

PATIENCE_UNDER_PRESSURE = timedelta(seconds=10)
"""The same while the process is behind with its work: then most stand still only because nobody has looked at them."""


class WaitReason(enum.StrEnum):
    """What kind of thing is waited for."""

    MISSING_IMPORT = "MissingImport"
    PREDECESSOR = "Predecessor"
    CHILDREN = "Children"
    ORPHANS = "Orphans"
    """Children that the blueprint no longer has are still being deleted."""
    IMPORTER = "Importer"
    """Deletion is held up by somebody who still imports what is exported here."""
    NO_DEPLOYER = "NoDeployer"
    TARGET = "Target"
    READINESS = "Readiness"
    PROGRAM = "Program"
    UNINSTALL = "Uninstall"
    FINALIZER = "Finalizer"
    RETRY = "Retry"


@dataclass(frozen=True)
class Wait:
    """What an object waits for."""

    reason: WaitReason
    message: str
    """For people; names the object that is waited for and the state it is in."""


def retry(at: datetime, why: str = "") -> Wait:
    """The wait for another try, which may be a day away."""
    return Wait(WaitReason.RETRY, f"retry at {told(at)}" + (f": {why}" if why else ""))


def told(moment: datetime) -> str:
    """A moment for people, who may be anywhere, on any day."""
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def settle(
    current: tuple[Condition, ...] | None,
    wait: Wait | None,
    *,
    since: datetime,
    now: datetime,
    under_pressure: bool = False,
) -> tuple[tuple[Condition, ...] | None, datetime | None]:
    """The conditions with what is waited for `since` then, and when to look again if it is too early to say.

    The very same tuple comes back if there is nothing to write.
    """
    if wait is None:
        return conditions.without(current, ConditionType.WAITING), None
    said = conditions.find(current, ConditionType.WAITING)
    if said is None and now < since + PATIENCE:
        return current, since + PATIENCE
    if said is None and under_pressure and now < since + PATIENCE_UNDER_PRESSURE:
        return current, now + PATIENCE  # the pressure may be gone by then
    new = conditions.updated(
        said,
        type=ConditionType.WAITING,
        status=ConditionStatus.TRUE,
        reason=wait.reason,
        message=wait.message,
        now=now,
    )
    return conditions.merged(current, new), None
