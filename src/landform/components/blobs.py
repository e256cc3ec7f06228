"""Content of a resource: a few bytes in memory or a file, with its media type."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from landform.components import digests
from landform.components.errors import TooLarge


@dataclass(frozen=True)
class Blob:
    """Some content. A file belongs to a repository or to the cache: it may be read, never changed or moved."""

    content: bytes | Path
    """The bytes, or the file that holds them."""

    media_type: str = ""
    """What the bytes are, as far as somebody said so."""

    @property
    def path(self) -> Path | None:
        """The file, if the content is in one."""
        return self.content if isinstance(self.content, Path) else None

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.content) if isinstance(self.content, bytes) else self.content.stat().st_size

    def called(self, media_type: str) -> Blob:
        """The same content under another media type."""
        return replace(self, media_type=media_type)

    async def read(self, limit: int, what: str = "the content") -> bytes:
        """All bytes, if they are not too many."""
        if isinstance(self.content, bytes):
            _check(len(self.content), limit, what)
            return self.content
        return await asyncio.to_thread(read_file, self.content, limit, what)

    async def hash(self, algorithm: str) -> str:
        """The hexadecimal hash, by an algorithm of hashlib."""
        if isinstance(self.content, bytes):
            return hashlib.new(algorithm, self.content).hexdigest()
        return await asyncio.to_thread(digests.of_file, self.content, algorithm)


def read_file(path: Path, limit: int, what: str) -> bytes:
    """A file that is not too large; it may grow while it is read."""
    with path.open("rb") as file:
        content = file.read(limit + 1)
    _check(len(content), limit, what)
    return content


def _check(size: int, limit: int, what: str) -> None:
    if size > limit:
        raise TooLarge(f"{what} has more than the {limit} bytes that are allowed")
