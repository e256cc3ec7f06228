"""Init: what is no longer wanted goes, then every item of the Execution is there as it is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api.phases import Phase
from landform.executions import clusters, completion, failures, items, removal, stations, waits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.api.deployitems import DeployItem
    from landform.api.executions import DeployItemTemplate
    from landform.executions.items import Sorting
    from landform.executions.snapshot import Snapshot
    from landform.runtime.intents import Intent


def decide(snapshot: Snapshot) -> list[Intent]:
    """Come to Progressing, which is the first phase to be written unless something has to go before."""
    wishes = items.templates(snapshot.execution)
    sorting = items.sort(snapshot.items, wishes)
    if sorting.doomed:
        return _cleaned(snapshot, wishes, sorting)
    if not wishes:
        return completion.decide(snapshot, ())
    stored = [_stored(snapshot, wish, sorting.wanted.get(wish.name)) for wish in wishes]
    cache = items.cache(snapshot, wishes, sorting)
    return [*stored, stations.reached(snapshot, Phase.PROGRESSING, cache)]


def _stored(snapshot: Snapshot, wish: DeployItemTemplate, item: DeployItem | None) -> Intent:
    if clusters.may_go(wish):
        return clusters.StoredWithCluster(snapshot, wish, item)
    return items.stored(snapshot, wish, item)


def _cleaned(snapshot: Snapshot, wishes: Sequence[DeployItemTemplate], sorting: Sorting) -> list[Intent]:
    """Nothing begins before all that must go has gone."""
    going = removal.remove(snapshot, sorting.doomed, uninstall=True)
    if going.has_failed:
        raise failures.of_leave(going.leave, orphans=True)
    if snapshot.is_new_job:
        cache = items.cache(snapshot, wishes, sorting)
        return [*going.steps, stations.reached(snapshot, Phase.INIT, cache)]
    if going.steps:
        return [*going.steps]
    working = going.leave.running or sorting.doomed
    return stations.standing(snapshot, waits.for_orphans(working), sorting.doomed)
