"""The removal of items: of those that are no longer wanted, and of all when the Execution goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from landform.api import names
from landform.api.names import Annotation
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.executions import clusters, items, standings
from landform.executions.standings import Leave
from landform.runtime.intents import Delete

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.api.deployitems import DeployItem
    from landform.executions.snapshot import Snapshot
    from landform.runtime.intents import Intent


@dataclass(frozen=True)
class Removal:
    """What is to be done now so that items go, and how far they are."""

    steps: tuple[Intent, ...]
    """Nothing if deployers have to do something first, or if it failed."""

    leave: Leave = field(default_factory=Leave)

    @property
    def has_failed(self) -> bool:
        """Whether some could not be removed, and nothing that could change that is under way."""
        return bool(self.leave.failed) and not self.leave.running


def remove(snapshot: Snapshot, going: Sequence[DeployItem], *, uninstall: bool) -> Removal:
    """Remove items, dependents first; without `uninstall` they go at once and their deployers are not asked.

    Each step is an item's next one, so a decision that was carried out in part is simply made again.
    """
    if undeleted := [item for item in going if not items.is_deleted(item)]:
        return Removal(tuple(Delete(DEPLOY_ITEMS, item) for item in undeleted))
    if dropped := [item for item in going if items.is_held(item) and not (uninstall and _is_uninstalled(item))]:
        return Removal(tuple(map(items.released, dropped)))
    leave = standings.of_leave(going, snapshot.job)
    if leave.failed:
        return Removal((), leave)
    return Removal(tuple(_uninstalled(snapshot, item) for item in leave.ready), leave)


def _is_uninstalled(item: DeployItem) -> bool:
    return (item.metadata.annotations or {}).get(Annotation.DELETE_WITHOUT_UNINSTALL) != names.TRUE


def _uninstalled(snapshot: Snapshot, item: DeployItem) -> Intent:
    """Have a deployer uninstall the item, unless its cluster may be gone: then look first."""
    triggered = items.triggered(item, snapshot.job, snapshot.moment)
    if not clusters.may_be_gone(item):
        return triggered
    return clusters.UninstallIfThere(item, triggered, snapshot.target_syncs, snapshot.reader)
