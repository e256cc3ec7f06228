"""A cache of content on disk, by digest: shared by all processes of a machine, bounded, and never trusted blindly.

A file appears under its digest only when it is complete, by a rename, so a process that dies leaves nothing but a file
in `incoming`, which is swept later. Before a process uses a file for the first time, it checks the digest.
"""

from __future__ import annotations

import fcntl
import hashlib
import math
import os
import secrets
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from landform.components import digests
from landform.components.errors import Corrupt
from landform.components.limits import MEBIBYTE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_GRACE_SECONDS = 600.0
"""What was used as recently as that is not removed: somebody may be about to open it."""

_STALE_SECONDS = 3600.0
"""What has been coming in for as long as that never will."""


_LISTED_SECONDS = 1.0
"""For how long a listing of the folder is believed; what others bring meanwhile is fetched once more, no harm done."""

_MOST_LISTED = 4096
"""Files up to which a folder is listed at once; with more of them each is looked for by itself."""


@dataclass
class BlobCache:
    """Content by digest in one folder. Its functions block: call them in a thread, but for `lacks`."""

    folder: Path
    """Where the files are; created when it is first needed."""

    limit: int = 2048 * MEBIBYTE
    """Bytes to keep. What was used in the last ten minutes stays, even if it is more."""

    _verified: dict[str, tuple[int, int]] = field(default_factory=dict, init=False)
    _added: int = field(default=0, init=False)
    _names: set[str] | None = field(default=None, init=False)
    _listed: float = field(default=-math.inf, init=False)

    def lacks(self, digest: str) -> bool:
        """Whether there is probably nothing; the one question that is too short to be worth a thread.

        A component version has many small blobs: one look at the folder answers for all of them.
        """
        path = self._path(digest)
        if time.monotonic() - self._listed > _LISTED_SECONDS:
            self._names, self._listed = self._listing(), time.monotonic()
        return path.name not in self._names if self._names is not None else not path.exists()

    def get(self, digest: str) -> Path | None:
        """The file with that content; None if it is not there, or is not what it should be."""
        path = self._path(digest)
        try:
            found = path.stat()
        except FileNotFoundError:
            return None
        if self._verified.get(digest) != (found.st_ino, found.st_size):
            algorithm, _, expected = digest.partition(":")
            if digests.of_file(path, algorithm) != expected:
                path.unlink(missing_ok=True)
                return None
            self._verified[digest] = (found.st_ino, found.st_size)
        with suppress(FileNotFoundError):
            os.utime(path)
        return path

    def put(self, digest: str, content: bytes) -> Path:
        """Keep some content, if it has that digest."""
        incoming = self.incoming(digest)
        incoming.write(content)
        return incoming.finish()

    def incoming(self, digest: str) -> Incoming:
        """A file for content that comes in pieces; either `finish` or `abandon` ends it."""
        self._path(digest)
        part = self.folder / "incoming" / f"{os.getpid()}-{secrets.token_hex(8)}"
        try:
            return Incoming(self, digest, part)
        except FileNotFoundError:
            # Nobody else may look into it: what was fetched with credentials is not for everybody on this machine.
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            part.parent.mkdir(exist_ok=True)
            return Incoming(self, digest, part)

    def accept(self, digest: str, part: Path, size: int) -> Path:
        """Give a complete and checked file its name."""
        path = self._path(digest)
        try:
            part.replace(path)
        except FileNotFoundError:
            path.parent.mkdir(exist_ok=True)
            part.replace(path)
        found = path.stat()
        self._verified[digest] = (found.st_ino, found.st_size)
        if self._names is not None:
            self._names.add(path.name)
        self._added += size
        if self._added > self.limit // 16:
            self._added = 0
            self.sweep()
        return path

    def sweep(self) -> None:
        """Remove what was not used for longest, until the rest fits, and what never came in completely."""
        with self._alone() as alone:
            if not alone:
                return  # another process is at it
            now = time.time()
            for part in (self.folder / "incoming").glob("*"):
                with suppress(FileNotFoundError):
                    if now - part.stat().st_mtime > _STALE_SECONDS:
                        part.unlink()
            self._evict(now)

    def _listing(self) -> set[str] | None:
        """The names of all files; None if there are too many to list them often."""
        found: set[str] = set()
        for algorithm in ("sha256", "sha512"):
            with suppress(FileNotFoundError, NotADirectoryError), os.scandir(self.folder / algorithm) as entries:
                found.update(entry.name for entry in islice(entries, _MOST_LISTED + 1))
        return found if len(found) <= _MOST_LISTED else None

    def _evict(self, now: float) -> None:
        files = sorted(self._files())
        excess = sum(size for _, size, _ in files) - self.limit
        for used, size, path in files:
            if excess <= 0 or now - used < _GRACE_SECONDS:
                return
            path.unlink(missing_ok=True)
            excess -= size

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        for algorithm in ("sha256", "sha512"):
            for path in (self.folder / algorithm).glob("*"):
                with suppress(FileNotFoundError):
                    found = path.stat()
                    yield found.st_mtime, found.st_size, path

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Whether no other process sweeps now; the lock goes with the process that holds it."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.folder / "lock").open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    def _path(self, digest: str) -> Path:
        if not digests.is_digest(digest):
            raise Corrupt(f"{digest[:100]!r} is not a digest")
        algorithm, _, value = digest.partition(":")
        # One folder for all: creating one for each first letters takes longer than the small blobs of a component.
        return self.folder / algorithm / value


class Incoming:
    """Content on its way into the cache."""

    def __init__(self, cache: BlobCache, digest: str, part: Path) -> None:
        self._cache, self._digest, self._part = cache, digest, part
        self._algorithm, _, self._expected = digest.partition(":")
        self._hash = hashlib.new(self._algorithm)
        self._file = part.open("xb")
        self._size = 0

    def write(self, content: bytes) -> None:
        """The next piece."""
        self._hash.update(content)
        self._file.write(content)
        self._size += len(content)

    def finish(self) -> Path:
        """The file in the cache, if all pieces together have the digest."""
        self._file.close()
        found = self._hash.hexdigest()
        if found != self._expected:
            self.abandon()
            raise Corrupt(f"{self._digest} is expected, but the content has {self._algorithm}:{found}")
        return self._cache.accept(self._digest, self._part, self._size)

    def abandon(self) -> None:
        """Forget what has come in."""
        self._file.close()
        self._part.unlink(missing_ok=True)
