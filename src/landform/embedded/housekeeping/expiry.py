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


class _Event(msgspec.Struct, rename="camel"):
    metadata: _Metadata
    last_timestamp: str | None = None


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
        limit = self._clock.now() - KEPT
        type_ = self._catalog.versions(EVENTS)[0]
        old = [stored for stored in self._store.objects(EVENTS) if _happened_before(stored.raw, limit)]
        await self._registry.delete_all(type_, old, DeleteOptions())


def _happened_before(raw: bytes, limit: datetime) -> bool:
    event = _DECODER.decode(raw)
    return parse_rfc3339(event.last_timestamp or event.metadata.creation_timestamp) < limit
