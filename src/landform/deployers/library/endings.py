"""Why the work on an item was cut off: because it is over, or only because somebody else is to go on with it; pure."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from landform.api import jobs
from landform.deployers.library.records import is_deleting

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem
    from landform.deployers.library.records import Record


class Ending(enum.StrEnum):
    """Why a deployer's method was cancelled."""

    OUT_OF_TIME = "OutOfTime"
    """The item's time is over."""

    INTERRUPTED = "Interrupted"
    """Somebody else has ended the job."""

    SUPERSEDED = "Superseded"
    """Another job has taken its place."""

    DELETED = "Deleted"
    """The item is to go: it is uninstalled next."""

    GONE = "Gone"
    """The item does not exist any more."""

    LET_GO = "LetGo"
    """The work still stands, but not here: the process ends, or another replica takes the item over."""

    @property
    def is_over(self) -> bool:
        """Whether nobody will go on with the work."""
        return self is not Ending.LET_GO


def judged(item: DeployItem, record: Record, uid: str | None) -> Ending | None:
    """Why the item, as it is now, does not want the work any more that was begun on it; None if it still does."""
    if item.metadata.uid != uid:
        return Ending.GONE
    if is_deleting(item) != record.deleting:
        return Ending.DELETED
    if not jobs.is_busy(item.status):
        return Ending.INTERRUPTED
    return None if (item.status.job_id or "") == record.job else Ending.SUPERSEDED
