"""Following exported values after the job: when they change, the item exports them anew.

One `Follower` for each finished item that has an export with `follow: true`. It is a sleeping task; the watches behind
it are shared by all items. Nothing is remembered: what is exported is in the item's Secret, what it should be is in
the target, and the two are compared whenever one of them may have changed, also after a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Any, Final

from landform.api import anyjson
from landform.api.conditions import find
from landform.api.deployitems import effective_config
from landform.api.errors import OperationFailed
from landform.cluster.codec import key_of
from landform.cluster.errors import Conflict
from landform.cluster.retries import Backoff
from landform.deployers.library import ConditionStatus, EventType
from landform.deployers.manifest import decoding, exporting
from landform.deployers.manifest.awaiting import Vigil
from landform.deployers.manifest.debouncing import Debounce
from landform.deployers.manifest.exporting import NotThere
from landform.deployers.manifest.targets import DeskSites
from landform.kit import patches
from landform.kit.errors import LandformError
from landform.runtime.errors import LeaseLost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.api.deployitems import DeployItem
    from landform.cluster.errors import ClusterError
    from landform.cluster.resources import ObjectKey
    from landform.deployers.library import Desk, Exported
    from landform.deployers.manifest.configuration import Configuration
    from landform.deployers.manifest.sites import Sites
    from landform.deployers.manifest.views import View
    from landform.deployers.manifest.watches import Watches

log = logging.getLogger(__name__)

CONDITION: Final = "ExportsFollowed"
"""Says whether the exported values can be followed; there only once they could not."""

SWEEP_SECONDS: Final = 60.0
"""How often it is looked which items are to be followed, beside each change: a safety net."""

BETWEEN_TRIES: Final = Backoff(first=2.0, longest=60.0)
"""How long until an item is followed again after an error, such as a cluster that cannot be reached."""

PATIENCE_SECONDS: Final = 30.0
"""So long may a watch be interrupted before the item says so."""

_PATIENCE_TRIES: Final = 3
_UNSEEN_SECONDS: Final = 10.0
"""Until it is looked again for exports that the item has and the cache does not: nobody tells when they come."""

_FIELD: Final = b'"follow"'


def followed(item: DeployItem) -> Configuration | None:
    """The configuration of an item that wants its exports to be followed; None for any other."""
    config = effective_config(item)
    # Few items are followed, and this is asked for each change of each: most need not be decoded for it.
    if item.status.export_ref is None or _FIELD not in bytes(config):
        return None
    try:
        read = decoding.read(anyjson.value(config) or {})
    except OperationFailed:
        return None  # it has changed since the last job; the next one says what is wrong with it
    return read if any(export.follow for export in read.values) else None


class Followers:
    """All followers of one deployer.

    Invariant: there is one for each item that this process answers for and that wants to be followed, and no other.
    """

    def __init__(self, desk: Desk, sites: Sites, watches: Watches) -> None:
        self._desk = desk
        self._sites = sites
        self._watches = watches
        self._running: dict[ObjectKey, Follower] = {}
        self._changed: dict[ObjectKey, None] = {}
        """In the order in which they changed."""

        self._event = asyncio.Event()

    async def run(self) -> None:
        """Follow until cancelled."""
        end = self._desk.subscribe(self._note)
        try:
            async with asyncio.TaskGroup() as group:
                while True:
                    for key in dict.fromkeys((*self._running, *map(key_of, self._desk.items()))):
                        self._consider(group, key, has_changed=False)
                    await self._until_sweep(group)
        finally:
            end()

    async def _until_sweep(self, group: asyncio.TaskGroup) -> None:
        clock = self._desk.surroundings.clock
        until = clock.monotonic() + SWEEP_SECONDS
        while (left := until - clock.monotonic()) > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._event.wait()
            self._event.clear()
            keys, self._changed = self._changed, {}
            for key in keys:
                self._consider(group, key, has_changed=True)

    def _note(self, key: ObjectKey) -> None:
        self._changed[key] = None
        self._event.set()

    def _consider(self, group: asyncio.TaskGroup, key: ObjectKey, *, has_changed: bool) -> None:
        """Begin to follow an item, or end it, or have its follower look again."""
        item, follower = self._desk.get(key), self._running.get(key)
        is_wanted = item is not None and self._desk.is_settled(item) and self._desk.is_responsible(item)
        if follower is not None:
            if item is not None and is_wanted and follower.is_for(item):
                return follower.look_again() if has_changed else None
            follower.stop()
            del self._running[key]
        if item is not None and is_wanted and (config := followed(item)) is not None:
            follower = self._running[key] = Follower(self._desk, self._sites, self._watches, item, config)
            follower.start(group)


class Follower:
    """Watches what one item exports."""

    def __init__(self, desk: Desk, sites: Sites, watches: Watches, item: DeployItem, config: Configuration) -> None:
        self._desk = desk
        self._sites = sites
        self._watches = watches
        self._key = key_of(item)
        self._identity = _identity(item)
        self._config = config
        self._clock = desk.surroundings.clock
        self._debounce = Debounce()
        self._blind_since: float | None = None
        self._view: View | None = None
        self._poked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self, group: asyncio.TaskGroup) -> None:
        """Begin."""
        self._task = group.create_task(self._run(), name=f"follower of {self._key}")

    def stop(self) -> None:
        """End."""
        if self._task is not None:
            self._task.cancel()

    def is_for(self, item: DeployItem) -> bool:
        """Whether the item is still the one that is followed, with the same configuration."""
        return _identity(item) == self._identity and self._task is not None and not self._task.done()

    def look_again(self) -> None:
        """Something about the item, its exports or its targets may have changed."""
        self._poked.set()
        if self._view is not None:
            self._view.wake()

    async def _run(self) -> None:
        tries = 0
        while True:
            try:
                await self._follow()
                tries = 0
                continue
            except LeaseLost:
                return  # should the item come back, so does a follower
            except (LandformError, OperationFailed) as error:
                log.warning("the exports of deploy item %s cannot be followed: %s", self._key, error)
                if tries >= _PATIENCE_TRIES:
                    await self._say_trouble(error)
            except Exception:  # of one item, whatever it is: the others go on
                log.exception("the exports of deploy item %s cannot be followed", self._key)
            tries += 1
            await self._pause(BETWEEN_TRIES.delay(tries, self._desk.surroundings.random))

    async def _pause(self, seconds: float) -> None:
        """Wait, or until something about the item or its targets changed."""
        self._poked.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._poked.wait()

    async def _follow(self) -> None:
        """Follow until the access to a target has changed."""
        item = self._desk.get(self._key)
        if item is None:
            return await self._pause(SWEEP_SECONDS)
        async with DeskSites(self._desk, item, self._sites) as sites:
            goals = [await exporting.goal(sites.site, export) for export in self._config.values]
            async with self._watches.view(self._desk.surroundings) as view:
                vigil, self._view = Vigil(view, [goal for goal in goals if goal.export.follow]), view
                while not await self._must_begin_anew(sites):
                    await vigil.begin()
                    await self._step(vigil, await self._look(vigil, goals))

    async def _must_begin_anew(self, sites: DeskSites) -> bool:
        """Whether a target leads elsewhere now; asked only if something about the item or its targets changed."""
        if not self._poked.is_set():
            return False
        self._poked.clear()
        return not await sites.are_current()

    async def _step(self, vigil: Vigil[exporting.Exported], seconds: float | None) -> None:
        """Wait until something changed, or until it is time to do something about it."""
        try:
            async with asyncio.timeout(seconds) as patience:
                await vigil.step()
        except TimeoutError:
            if not patience.expired():
                raise

    async def _look(self, vigil: Vigil[exporting.Exported], goals: list[exporting.Exported]) -> float | None:
        """Compare what is followed with what is exported, and do something about it when it has been quiet.

        In how many seconds to look again, should nothing happen.
        """
        item = self._desk.get(self._key)
        if item is None or not self._desk.is_settled(item) or not vigil.knows_all:
            return None
        if (seen := self._desk.exported(item)) is None:
            return _UNSEEN_SECONDS
        if vigil.view.trouble is not None:
            return await self._stay_blind(vigil.view.trouble)
        self._blind_since = None
        missing = [verdict.why for verdict in vigil.unmet.values()]
        values = [] if missing else [goal.value(vigil.view) for goal in vigil.goals]
        differs = bool(missing) or _differ(vigil.goals, values, seen)
        is_due = self._debounce.see((missing, values), self._clock.monotonic(), differs=differs)
        if not differs:
            await self._say_well()
        elif is_due and missing:
            await self._say_missing("; ".join(missing))
        elif is_due:
            await self._renew(item, seen, goals)
        return self._debounce.left(self._clock.monotonic())

    async def _stay_blind(self, trouble: ClusterError) -> float | None:
        """A cluster cannot be watched now, and the watch itself tries again; if that lasts, the item says so."""
        now = self._clock.monotonic()
        self._blind_since = now if self._blind_since is None else self._blind_since
        left = self._blind_since + PATIENCE_SECONDS - now
        if left > 0:
            return left
        await self._say_trouble(trouble)
        return None

    async def _renew(self, item: DeployItem, seen: Exported, goals: list[exporting.Exported]) -> None:
        """Export all values of the item as they are now, not only those that are followed: a set of one moment."""
        view = await exporting.afresh(goals)
        try:
            values = exporting.nested((goal.export.key, goal.value(view)) for goal in goals)
            renewed = await self._desk.renew_exports(item, seen, values)
        except NotThere as gone:
            return await self._say_missing(str(gone))
        except Conflict:
            return self._debounce.put_off(self._clock.monotonic())  # the cache will show what others wrote
        self._debounce.renewed(self._clock.monotonic())
        await self._say_well()
        if renewed:
            log.info("deploy item %s exports values that have changed since its job", self._key)
            self._desk.tell(item, EventType.NORMAL, "ExportsRenewed", "exported values have changed and were renewed")

    # What the item says

    async def _say_well(self) -> None:
        """Take back that the values cannot be followed, if that was said."""
        await self._say(
            ConditionStatus.TRUE, "Following", "the exported values are those of the target", only_after=True
        )

    async def _say_missing(self, what: str) -> None:
        """Say which value is not there any more; what was exported stays."""
        if await self._say(ConditionStatus.FALSE, "ValueMissing", f"{what}; what was exported last is kept"):
            self._debounce.done()
        else:
            self._debounce.put_off(self._clock.monotonic())

    async def _say_trouble(self, error: LandformError | OperationFailed) -> None:
        why = error.message if isinstance(error, OperationFailed) else str(error)
        message = f"the exported values cannot be followed now: {why}"
        await self._say(ConditionStatus.FALSE, "CannotFollow", message)

    async def _say(self, status: str, reason: str, message: str, *, only_after: bool = False) -> bool:
        """Have the item say something, unless it has a job now; whether that is settled."""
        item = self._desk.get(self._key)
        if item is None or not self._desk.is_settled(item):
            return True
        if only_after and find(item.status.conditions, CONDITION) is None:
            return True
        try:
            await self._desk.state(item, CONDITION, status, reason, message)
        except LandformError as error:
            log.debug("deploy item %s could not be told: %s", self._key, error)
            return False
        return True


def _identity(item: DeployItem) -> tuple[str, int]:
    return item.metadata.uid or "", item.metadata.generation or 0


def _differ(goals: Sequence[exporting.Exported], values: list[Any], seen: Exported) -> bool:
    pairs = zip(goals, values, strict=True)
    return any(not patches.same(exporting.lookup(seen.values, goal.export.key), value) for goal, value in pairs)
