"""Desks: where a deployer does what belongs to no job: collecting garbage, following values, keeping watch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from landform.api import jobs
from landform.api.conditions import find, merged, updated
from landform.api.phases import Phase
from landform.cluster.codec import key_of
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.deployers.library import exports, records, responsibility, statuses
from landform.deployers.library.failures import FinalFailure
from landform.runtime.intents import Patch

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.api.deployitems import DeployItem
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import ObjectKey
    from landform.deployers.library.exports import Exported
    from landform.deployers.library.selectors import Selectors
    from landform.deployers.library.targets import ResolvedTarget
    from landform.deployers.library.workplaces import Workplace
    from landform.kit.surroundings import Surroundings
    from landform.runtime.recorders import EventType


class Desk:
    """What `Deployer.serve` is given.

    Reading is from caches and costs nothing. Whatever is written carries the version it was decided on: Conflict says
    that somebody was faster, LeaseLost that the item is another replica's now. Both mean: look again.
    """

    def __init__(self, place: Workplace, selectors: Selectors) -> None:
        self._place = place
        self._selectors = selectors
        self._callbacks: list[Callable[[ObjectKey], None]] = []

    @property
    def home(self) -> Cluster:
        """The cluster that the items live in."""
        return self._place.clusters.home

    @property
    def surroundings(self) -> Surroundings:
        """Time, identifiers and chance: take them from here and nowhere else, so that tests can set them."""
        return self._place.hands.surroundings

    # Which items there are

    def items(self) -> list[DeployItem]:
        """The items that this process answers for now."""
        return [item for item in self._place.reading.items.list() if self.is_responsible(item)]

    def get(self, key: ObjectKey) -> DeployItem | None:
        """The item of that name, if there is one of the deployer's type, whoever answers for it."""
        item = self._place.reading.items.get(key)
        return item if item is not None and self._is_ours(item) else None

    def is_responsible(self, item: DeployItem) -> bool:
        """Whether the item is of the deployer's type, its target is selected, and no other replica answers for it.

        Hooks are not asked.
        """
        if not self._is_ours(item) or not self._place.hands.fence.owns(self._place.root(key_of(item))):
            return False
        key = responsibility.target_key(item)
        target = None if key is None else self._place.reading.targets.get(key)
        return responsibility.is_taken(item, target, self._selectors)

    def is_settled(self, item: DeployItem) -> bool:
        """Whether the item's last job has succeeded and nothing is under way: only then it may be written here."""
        is_idle = not jobs.is_busy(item.status) and not records.is_deleting(item)
        return is_idle and item.status.phase == Phase.SUCCEEDED

    def subscribe(self, callback: Callable[[ObjectKey], None]) -> Callable[[], None]:
        """Be told the key of each item that changed, or whose target did, or that may have become this process' own.

        The caches are changed before. The answer ends the subscription; so does the end of `serve`.
        """
        self._callbacks.append(callback)
        return lambda: self._callbacks.remove(callback) if callback in self._callbacks else None

    # Clusters

    async def find_target(self, item: DeployItem, name: str = "") -> ResolvedTarget:
        """The item's Target, or another one of its namespace, with its access data."""
        key = key_of(item)._replace(name=name) if name else responsibility.target_key(item)
        if key is None:
            raise FinalFailure("ConnectToTarget", "NoTarget", f"deploy item {key_of(item)} has no target")
        return await self._place.resolved(key)

    def acquire(self, target: ResolvedTarget) -> Cluster:
        """A client for a target, shared with everybody, to be given back with `release`."""
        return self._place.clusters.acquire(target)

    async def release(self, target: ResolvedTarget) -> None:
        """The client is not needed any more."""
        await self._place.clusters.release(target)

    # What an item says

    def exported(self, item: DeployItem) -> Exported | None:
        """What the item exports now, as far as the cache knows; None if it exports nothing."""
        return exports.read(self._place.reading, item)

    async def renew_exports(self, item: DeployItem, seen: Exported, values: Any) -> bool:
        """Have a finished item export other values than those that were seen; whether they are other.

        They are all of its values, in one write. Read them after `exported` was asked: then a job that exports at the
        same time is never overwritten with older ones. A job of the item's root has to publish them: if the root wants
        that, it begins by itself, otherwise the condition `LateData` says that one is needed.
        """
        root, now = self._place.root(key_of(item)), self.surroundings.clock.now()
        return await exports.renew(self._place.hands, seen, values, root, now)

    async def state(self, item: DeployItem, type: str, status: str, reason: str, message: str) -> None:
        """State something about a finished item in a condition; nothing is written if it says so already."""
        known, now = item.status.conditions, self.surroundings.clock.now()
        new = updated(find(known, type), type=type, status=status, reason=reason, message=message, now=now)
        said = msgspec.structs.replace(item.status, conditions=merged(known, new))
        change = {"status": statuses.change(item.status, said)}
        patch = Patch(DEPLOY_ITEMS, item, change, subresource="status")
        await patch.perform(self._place.hands, self._place.root(key_of(item)))

    def tell(self, item: DeployItem, type: EventType, reason: str, message: str) -> None:
        """Tell people something about an item, by an Event."""
        self._place.hands.recorder.emit(DEPLOY_ITEMS, item, type, reason, message)

    # For the controller

    def changed(self, key: ObjectKey) -> None:
        """Something about an item of the deployer's type changed."""
        for callback in tuple(self._callbacks):
            callback(key)

    def everything_changed(self) -> None:
        """More items may be this process' own than before."""
        if self._callbacks:
            for item in self.items():
                self.changed(key_of(item))

    @property
    def is_used(self) -> bool:
        """Whether anybody wants to be told of changes."""
        return bool(self._callbacks)

    def close(self) -> None:
        """Tell nobody any more."""
        self._callbacks.clear()

    def _is_ours(self, item: DeployItem) -> bool:
        return responsibility.is_of_type(item, self._place.deployer.type)
