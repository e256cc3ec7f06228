"""What is to be done about an Installation now: a pure function of a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api import jobs
from landform.api.names import Finalizer
from landform.api.phases import Phase
from landform.cluster.kinds import INSTALLATIONS
from landform.installations import (
    completing,
    deleting,
    interrupts,
    orphans,
    preparing,
    progressing,
    resting,
    starting,
)
from landform.runtime.intents import Patch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent


def decide(snapshot: Snapshot) -> list[Intent]:
    """The next step."""
    finalizers = snapshot.installation.metadata.finalizers or ()
    if snapshot.is_deleted and Finalizer.LANDSCAPER not in finalizers:
        return []  # it goes, and nothing of ours holds it
    if interrupts.is_asked(snapshot) and not interrupts.comes_too_early(snapshot):
        return interrupts.interrupt(snapshot)
    if begin := starting.begin(snapshot):
        return begin
    if change := starting.upkeep(snapshot):
        return [Patch(INSTALLATIONS, snapshot.installation, change)]
    if jobs.is_busy(snapshot.status):
        return _PHASES[snapshot.phase](snapshot)
    return resting.rest(snapshot)


def _initiate(snapshot: Snapshot) -> list[Intent]:
    return deleting.begin(snapshot) if snapshot.is_deleted else preparing.prepare(snapshot)


_PHASES: Mapping[str, Callable[[Snapshot], list[Intent]]] = {
    Phase.INIT: _initiate,
    Phase.CLEANUP_ORPHANED: orphans.clean_up,
    Phase.OBJECTS_CREATED: progressing.progress,
    Phase.PROGRESSING: progressing.progress,
    Phase.COMPLETING: completing.complete,
    Phase.INIT_DELETE: deleting.begin,
    Phase.TRIGGER_DELETE: deleting.go_on,
    Phase.DELETING: deleting.go_on,
}
