"""Endings: whether the job that somebody waits for is over, and how it ended."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from landform.api import jobs, phases
from landform.api.names import Annotation
from landform.insight import landscapes

if TYPE_CHECKING:
    from landform.api.installations import Installation
    from landform.cluster.resources import ObjectKey


class Ending(enum.Enum):
    """What became of a job."""

    OPEN = enum.auto()
    """It is not over."""
    SUCCEEDED = enum.auto()
    FAILED = enum.auto()
    GONE = enum.auto()
    """The Installation is no longer there."""


@dataclass(frozen=True)
class Awaited:
    """An Installation whose next job somebody waits for."""

    key: ObjectKey
    uid: str
    """Another object of the same name does not count."""

    last_job: str = ""
    """The job that was there before; the next one has another id. Empty: any that is over will do."""

    def ending(self, installation: Installation | None) -> Ending:
        """How the job ended, given the Installation as it is now."""
        if installation is None or installation.metadata.uid != self.uid:
            return Ending.GONE
        status = installation.status
        is_asked = bool(landscapes.annotation_of(installation, Annotation.OPERATION))
        if is_asked or jobs.is_busy(status) or (status.job_id or "") == self.last_job:
            return Ending.OPEN
        return Ending.FAILED if phases.is_failed(status.phase) else Ending.SUCCEEDED


def next_job(installation: Installation) -> Awaited:
    """Wait for a job that begins after now."""
    metadata = installation.metadata
    return Awaited(landscapes.key_of(installation), metadata.uid or "", installation.status.job_id or "")


def deletion(installation: Installation) -> Awaited:
    """Wait for the job that deletes: the one that runs, if it does so already."""
    awaited = next_job(installation)
    is_deleting = jobs.is_busy(installation.status) and phases.is_deletion(installation.status.phase)
    return replace(awaited, last_job="") if is_deleting else awaited
