"""Small content on its way into the cache: usable at once, written in batches beside everything else."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from landform.components.limits import MEBIBYTE

if TYPE_CHECKING:
    from landform.components.caches import BlobCache

log = logging.getLogger(__name__)

_MOST_BYTES = 32 * MEBIBYTE
"""What may wait for a slow disk; whoever brings more waits with it."""

_PAUSE_SECONDS = 0.05
"""When nothing came for so long, there is time for the disk."""


class Saving:
    """Content that is not on disk yet. A component has many small blobs, and a change of thread for each takes longer
    than fetching it; writing them while others are fetched took a third of the processor's time.

    Content that cannot be written is used all the same, and fetched again next time.
    """

    def __init__(self, cache: BlobCache) -> None:
        self._cache = cache
        self._kept: dict[str, bytes] = {}
        self._size = 0
        self._task: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()

    def kept(self, digest: str) -> bytes | None:
        """Content that is still on its way."""
        return self._kept.get(digest)

    async def keep(self, digest: str, content: bytes) -> None:
        """Have content written that has this digest."""
        self._size += len(content) - len(self._kept.get(digest, b""))
        self._kept[digest] = content
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._save(), name="save content of components")
        if self._size > _MOST_BYTES:
            await self.settle()

    async def settle(self) -> None:
        """Return when everything is on disk."""
        if self._task is not None and not self._task.done():
            self._hurry.set()
            await asyncio.shield(self._task)

    async def _save(self) -> None:
        await self._pause()
        while self._kept:
            batch = dict(self._kept)
            try:
                await asyncio.to_thread(self._put, batch)
            except OSError as error:
                log.warning("the cache of components in %s cannot be written: %s", self._cache.folder, error)
            for digest in batch:
                self._size -= len(self._kept.pop(digest))
        self._hurry.clear()

    async def _pause(self) -> None:
        """Wait until nothing new came for a moment, or somebody is in a hurry."""
        count = -1
        while count != len(self._kept):
            count = len(self._kept)
            with suppress(TimeoutError):
                async with asyncio.timeout(_PAUSE_SECONDS):
                    await self._hurry.wait()
                    return

    def _put(self, batch: dict[str, bytes]) -> None:
        for digest, content in batch.items():
            self._cache.put(digest, content)
