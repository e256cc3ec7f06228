"""Small content on its way into the cache: usable at once, written in batches beside everything else."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from landform.components.limits import MEBIBYTE

if TYPE_CHECKING:
    from landform.components.caches import BlobCache

log = logging.getLogger(__name__)

_MOST_BYTES = 32 * MEBIBYTE
"""What may wait for a slow disk; whoever brings more waits with it."""


class Saving:
    """Content that is not on disk yet. A component has many small blobs, and a change of thread for each takes longer
    than fetching it.

    Content that cannot be written is used all the same, and fetched again next time.
    """

    def __init__(self, cache: BlobCache) -> None:
        self._cache = cache
        self._kept: dict[str, bytes] = {}
        self._task: asyncio.Task[None] | None = None

    def kept(self, digest: str) -> bytes | None:
        """Content that is still on its way."""
        return self._kept.get(digest)

    async def keep(self, digest: str, content: bytes) -> None:
        """Have content written that has this digest."""
        self._kept[digest] = content
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._save(), name="save content of components")
        if sum(map(len, self._kept.values())) > _MOST_BYTES:
            await asyncio.shield(self._task)

    async def settle(self) -> None:
        """Return when everything is on disk."""
        if self._task is not None:
            await self._task

    async def _save(self) -> None:
        while self._kept:
            batch = dict(self._kept)
            try:
                await asyncio.to_thread(self._put, batch)
            except OSError as error:
                log.warning("the cache of components in %s cannot be written: %s", self._cache.folder, error)
            for digest in batch:
                del self._kept[digest]

    def _put(self, batch: dict[str, bytes]) -> None:
        for digest, content in batch.items():
            self._cache.put(digest, content)
