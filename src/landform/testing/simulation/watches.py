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
        left = seconds if seconds is not None else math.inf
        dropped = self._opening.kind is Kind.WATCH_DROPPED and self._opening.patience <= left
        with _Alarm(self._opening.patience if dropped else left) as alarm:
            while True:
                try:
                    event = await alarm.waiting_for(events)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    if dropped:
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
        if self._injector.is_calm:
            self._show(event)
            return 1
        verdict = self._injector.judge(self._what, _EVENT)
        await asyncio.sleep(verdict.there)
        if verdict.kind is Kind.WATCH_DROPPED:
            break_off(verdict.share)
            return 0
        if verdict.kind is Kind.WATCH_DELAYED:
            await asyncio.sleep(verdict.share * self._injector.faults.longest_lag)
        self._show(event)
        return 2 if verdict.kind is Kind.WATCH_DUPLICATED else 1

    def _show(self, event: WatchEvent[T]) -> None:
        if event.object is not None:
            self._connection.show(self._resource, (event.object,))

    def _lag(self) -> Episode | None:
        """Why nothing is shown of this resource now."""
        now = self._injector.now()
        for episode in self._connection.episodes:
            lags = episode.kind is Kind.WATCH_LAGGING and episode.start <= now < episode.end
            if lags and self._injector.share(f"{episode.id}/{self._resource.plural}") < _LAGGING_SHARE:
                return episode
        return None


class _Alarm:
    """A time limit for many waits of one task, and for nothing it does between them.

    It does what `asyncio.timeout_at` does, with one timer for a whole watch in place of one for each event.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[Any] | None = None
        self._rang = False

    def __enter__(self) -> _Alarm:
        if not math.isinf(self._seconds):
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self._ring)
        return self

    def __exit__(self, *error: object) -> None:
        if self._timer is not None:
            self._timer.cancel()

    async def waiting_for(self, events: AsyncIterator[T]) -> T:
        """The next of the events; TimeoutError if the time is over before."""
        if self._is_over():
            raise TimeoutError
        task = self._task = asyncio.current_task()
        try:
            return await anext(events)
        except asyncio.CancelledError:
            if not self._is_over() or task is None or task.uncancel():
                raise
            raise TimeoutError from None
        finally:
            self._task = None

    def _is_over(self) -> bool:
        return self._rang

    def _ring(self) -> None:
        self._rang = True
        if self._task is not None:
            self._task.cancel()


def break_off(share: float) -> None:
    """End a watch in one of the ways in which watches end; if it does not raise, quietly."""
    if share < 0.25:
        raise Gone("the resourceVersion is too old")
    if share < 0.8:
        raise Unreachable("the watch broke")
