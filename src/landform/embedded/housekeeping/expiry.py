"""Events do not stay: they are deleted after an hour, so that they never fill the disk."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from landform.cluster.errors import ClusterError
from landform.cluster.interface import DeleteOptions
from landform.embedded.catalog import Catalog, GroupResource
from landform.kit.clocks import Clock, parse_rfc3339

if TYPE_CHECKING:
    from landform.embedded.registry import Registry
    from landform.embedded.store import Store

EVENTS = GroupResource("", "events")
KEPT = timedelta(hours=1)
_PAUSE_SECONDS = 60.0


class _Metadata(msgspec.Struct, rename="camel"):
    creation_timestamp: str = ""


class _Series(msgspec.Struct, rename="camel"):
    last_observed_time: str | None = None


class _Event(msgspec.Struct, rename="camel"):
    metadata: _Metadata
    last_timestamp: str | None = None
    series: _Series | None = None


_DECODER = msgspec.json.Decoder(_Event)


class EventExpiry:
    """Deletes events an hour after they last happened."""

    def __init__(self, store: Store, catalog: Catalog, registry: Registry, clock: Clock) -> None:
        self._store = store
        self._catalog = catalog
        self._registry = registry
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run(), name="event expiry")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            await self._clock.sleep(_PAUSE_SECONDS)
            with contextlib.suppress(ClusterError):  # a full disk: the next round tries again
                await self.expire()

    async def expire(self) -> None:
        """One round."""
        now = self._clock.now()
        type_ = self._catalog.versions(EVENTS)[0]
        old = [stored for stored in self._store.objects(EVENTS) if _last_happened(stored.raw, now) < now - KEPT]
        await self._registry.delete_all(type_, old, DeleteOptions())


def _last_happened(raw: bytes, now: datetime) -> datetime:
    """When the event was last reported; times from the future are not believed, they would keep it for ever."""
    event = _DECODER.decode(raw)
    repeated = event.series.last_observed_time if event.series is not None else None
    told = [event.metadata.creation_timestamp, event.last_timestamp, repeated]
    return max((time for time in map(parse_rfc3339, filter(None, told)) if time <= now), default=now)
