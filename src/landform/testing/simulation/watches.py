"""A watch that ends early, lags behind, or says things twice."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from landform.cluster.errors import Gone, Unreachable
from landform.testing.simulation.faults import Kind

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from landform.cluster.interface import WatchEvent
    from landform.cluster.resources import Resource
    from landform.testing.simulation.clusters import Connection
    from landform.testing.simulation.injecting import Episode

T = TypeVar("T")

_LAGGING_SHARE = 0.5
_EVENT = (Kind.WATCH_DROPPED, Kind.WATCH_DELAYED, Kind.WATCH_DUPLICATED)


class FaultyWatch(Generic[T]):
    """One watch.

    Invariant: events come in their order and none is left out, unless the watch ends.
    """

    def __init__(self, connection: Connection, resource: Resource[T], namespace: str, id: str) -> None:
        self._connection = connection
        self._injector = connection.injector
        self._resource: Resource[Any] = resource
        self._what = f"{connection.actor}/event/{resource.plural}/{namespace}"
        self._opening = self._injector.judge(f"{id}/end", (Kind.WATCH_DROPPED,))

    async def stream(
        self, events: AsyncIterator[WatchEvent[T]], seconds: float | None
    ) -> AsyncGenerator[WatchEvent[T], None]:
        """The events as the process gets to see them, for so many seconds at most."""
        now = self._injector.now()
        end = now + seconds if seconds is not None else math.inf
        drop = now + self._opening.patience if self._opening.kind is Kind.WATCH_DROPPED else math.inf
        while True:
            limit = min(end, drop)
            try:
                async with asyncio.timeout_at(None if math.isinf(limit) else limit):
                    event = await anext(events)
            except StopAsyncIteration:
                return
            except TimeoutError:
                if drop <= end:
                    break_off(self._opening.share)
                return
            times = await self._arrival(event)
            if not times:
                return
            for _ in range(times):
                yield event

    async def _arrival(self, event: WatchEvent[T]) -> int:
        """Wait until the event comes; how often it does, 0 if the watch ends before."""
        for episode in (self._connection.trouble(self._resource), self._lag()):
            if episode is not None:
                await asyncio.sleep(episode.end - self._injector.now())
        verdict = self._injector.judge(self._what, _EVENT)
        await asyncio.sleep(verdict.there)
        if verdict.kind is Kind.WATCH_DROPPED:
            break_off(verdict.share)
            return 0
        if verdict.kind is Kind.WATCH_DELAYED:
            await asyncio.sleep(verdict.share * self._injector.faults.longest_lag)
        if event.object is not None:
            self._connection.show(self._resource, (event.object,))
        return 2 if verdict.kind is Kind.WATCH_DUPLICATED else 1

    def _lag(self) -> Episode | None:
        """Why nothing is shown of this resource now."""
        now = self._injector.now()
        for episode in self._connection.episodes:
            lags = episode.kind is Kind.WATCH_LAGGING and episode.start <= now < episode.end
            if lags and self._injector.share(f"{episode.id}/{self._resource.plural}") < _LAGGING_SHARE:
                return episode
        return None


def break_off(share: float) -> None:
    """End a watch in one of the ways in which watches end; if it does not raise, quietly."""
    if share < 0.25:
        raise Gone("the resourceVersion is too old")
    if share < 0.8:
        raise Unreachable("the watch broke")
