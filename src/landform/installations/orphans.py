"""Phase CleanupOrphaned: children that the blueprint no longer has must be gone before anything else starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api.errors import OperationFailed
from landform.api.installations import SubInstallationCache
from landform.api.waiting import Wait, WaitReason
from landform.installations import endings, preparing, progressing, statuses, waits, writing
from landform.installations.snapshot import is_unfinished

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.api.executions import Execution
    from landform.api.installations import Installation
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent

_OPERATION = "handlePhaseCleanupOrphaned"


def clean_up(snapshot: Snapshot) -> list[Intent]:
    """Have the children deleted that are to go, then go on."""
    orphans = going(snapshot)
    if idle := [orphan for orphan in orphans if orphan.status.job_id != snapshot.job]:
        return progressing.start(snapshot, idle)
    if unfinished := [orphan for orphan in orphans if is_unfinished(orphan, snapshot.job)]:
        return waits.stand(snapshot, snapshot.status, Wait(WaitReason.ORPHANS, progressing.describe(unfinished)))
    if orphans:
        return endings.fail(snapshot, snapshot.status, _undeletable(orphans))
    if not _has_all_children(snapshot):
        # Something of the same name had to go first: the phase before creates what is still missing.
        return preparing.prepare(snapshot)
    status = statuses.changed(preparing.going_on(snapshot.status, snapshot), sub_inst_cache=_without_orphans(snapshot))
    return writing.write_status(snapshot.installation, status)


def going(snapshot: Snapshot) -> Sequence[Installation | Execution]:
    """The children that are being deleted."""
    return [child for child in snapshot.below if child.metadata.deletion_timestamp is not None]


def _without_orphans(snapshot: Snapshot) -> SubInstallationCache | None:
    cache = snapshot.status.sub_inst_cache
    return SubInstallationCache(active_subs=cache.active_subs) if cache and cache.active_subs else None


def _has_all_children(snapshot: Snapshot) -> bool:
    names = {child.metadata.name for child in snapshot.children}
    cache = snapshot.status.sub_inst_cache
    wanted = {sub.object_name for sub in (cache.active_subs if cache else None) or ()}
    return wanted <= names and (snapshot.status.execution_ref is None or snapshot.own_execution is not None)


def _undeletable(orphans: Sequence[Installation | Execution]) -> OperationFailed:
    listing = "; ".join(
        progressing.title(orphan) + (f": {orphan.status.last_error.message}" if orphan.status.last_error else "")
        for orphan in orphans
    )
    message = f"these are not wanted any more and could not be deleted: {listing}"
    return OperationFailed(_OPERATION, "AllOrphanedSubinstallationsFailed", message[: progressing.LONGEST])
