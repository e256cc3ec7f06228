"""The deletion of an Execution: its items go in the reverse of their order, then it goes itself.

Neither the specification nor a Context is looked at, so whatever is broken there does not stand in the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api import names
from landform.api.names import Annotation, Finalizer
from landform.api.phases import Phase
from landform.cluster.kinds import EXECUTIONS
from landform.executions import confirming, failures, removal, stations, waits
from landform.runtime.intents import Patch

if TYPE_CHECKING:
    from landform.executions.snapshot import Snapshot
    from landform.runtime.intents import Intent


def decide(snapshot: Snapshot) -> list[Intent]:
    """Remove the items, whether the Execution still wants them or not; then let the Execution go."""
    if not snapshot.items:
        return [confirming.Gone(snapshot, _remembered(snapshot)), _released(snapshot)]
    uninstall = snapshot.annotated(Annotation.DELETE_WITHOUT_UNINSTALL) != names.TRUE
    going = removal.remove(snapshot, snapshot.items, uninstall=uninstall)
    if going.has_failed:
        raise failures.of_leave(going.leave, orphans=False)
    if snapshot.is_new_job:
        return [*going.steps, stations.reached(snapshot, Phase.DELETING, snapshot.execution.status.deploy_item_cache)]
    if going.steps:
        return [*going.steps]
    working = going.leave.running or snapshot.items
    return stations.standing(snapshot, waits.for_uninstalling(working), snapshot.items)


def _remembered(snapshot: Snapshot) -> tuple[str, ...]:
    """The objects that the Execution knows to have had."""
    cache = snapshot.execution.status.deploy_item_cache
    if cache is None:
        return ()
    return (*(each.object_name or "" for each in cache.active_dis or ()), *(cache.orphaned_dis or ()))


def _released(snapshot: Snapshot) -> Intent:
    others = [each for each in snapshot.execution.metadata.finalizers or () if each != Finalizer.LANDSCAPER]
    return Patch(EXECUTIONS, snapshot.execution, {"metadata": {"finalizers": others or None}})
