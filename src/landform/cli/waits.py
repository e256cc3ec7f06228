"""Waiting: until the jobs that a command started are over, with somebody looking on."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from landform.cluster.informers import Caches
from landform.insight.endings import Ending
from landform.insight.following import Follower
from landform.insight.trees import tree
from landform.kit.clocks import SystemClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from landform.cli.progress import Display
    from landform.cluster import Cluster, watching
    from landform.cluster.resources import ObjectKey
    from landform.insight.endings import Awaited
    from landform.insight.landscapes import Landscape
    from landform.kit.clocks import Clock

_FRAME_SECONDS = 0.1
"""So much time is between two looks at least: a tree that works changes hundreds of times in a second."""

_LONGEST_FRAME_SECONDS = 1.0
"""And so much at most, because the times that are shown move."""

_PATIENCE_SECONDS = 10.0
"""How long a cluster may be silent before somebody who waits is told."""


_ANSWER_SECONDS = 8.0
"""How long a try to reach a cluster takes at most, and what a busy machine adds."""


class Patience:
    """How long somebody who watches bears with a cluster that does not answer."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = self._next = float("-inf")

    def strain(self, trouble: watching.Troubled) -> None:
        """Take notice of a try that failed; raise when all have failed for long."""
        now = self._clock.monotonic()
        if now > self._next:  # it was well in between
            self._since = now
        self._next = now + trouble.delay + _ANSWER_SECONDS
        if now > self._since + _PATIENCE_SECONDS:
            raise trouble.error


class Onlooker:
    """Sees the Installations of a cluster as they change, and shows them."""

    def __init__(self, follower: Follower, changed: asyncio.Event) -> None:
        self.follower = follower
        self._changed = changed
        self._clock = SystemClock()
        self._last_well = self._clock.monotonic()

    def show(self, keys: Sequence[ObjectKey], display: Display) -> Landscape:
        """Show some Installations as they are now."""
        self._changed.clear()
        landscape = self.follower.look(keys)
        found = [each for key in keys if (each := landscape.installation(key)) is not None]
        display.show([tree(landscape, each, self._clock.now()) for each in found])
        return landscape

    async def change(self) -> None:
        """Return when there may be something new to show; raise when the cluster has not answered for long."""
        try:
            async with asyncio.timeout(_LONGEST_FRAME_SECONDS):
                await self._changed.wait()
        except TimeoutError:
            self._check_connection()
        else:
            await self._clock.sleep(_FRAME_SECONDS)

    def _check_connection(self) -> None:
        trouble = self.follower.trouble
        if trouble is None:
            self._last_well = self._clock.monotonic()
        elif self._clock.monotonic() > self._last_well + _PATIENCE_SECONDS:
            raise trouble


@contextlib.asynccontextmanager
async def onlooker(cluster: Cluster, namespace: str) -> AsyncIterator[Onlooker]:
    """Somebody who looks at a namespace, or at all of them."""
    caches = Caches(cluster)
    follower = Follower(caches, namespace)
    changed = asyncio.Event()
    follower.subscribe(changed.set)
    async with caches:
        await caches.synced()
        yield Onlooker(follower, changed)


async def until_over(
    cluster: Cluster, awaited: Sequence[Awaited], display: Display, timeout: float | None
) -> dict[ObjectKey, Ending]:
    """Wait until all jobs are over at the same time: how each ended, or that it had not after `timeout` seconds."""
    namespaces = {each.key.namespace for each in awaited}
    endings = {each.key: Ending.OPEN for each in awaited}
    with contextlib.suppress(TimeoutError):
        async with (
            asyncio.timeout(timeout),
            onlooker(cluster, namespaces.pop() if len(namespaces) == 1 else "") as looking,
        ):
            while Ending.OPEN in endings.values():
                landscape = looking.show(list(endings), display)
                endings = {each.key: each.ending(landscape.installation(each.key)) for each in awaited}
                if Ending.OPEN in endings.values():
                    await looking.change()
    return endings
