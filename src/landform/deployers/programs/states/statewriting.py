"""How a state is packed, and written piece by piece, wherever the pieces go.

The wait container loads it, so it needs nothing but the standard library.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final

from landform.deployers.programs.contract.faults import ProgramDataError, TooLarge
from landform.deployers.programs.files import archives, tars
from landform.deployers.programs.states import statechunks
from landform.deployers.programs.tasks import abreast

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from landform.deployers.programs.files.gzips import Writable

Put = Callable[[int, bytes], Awaitable[None]]
"""Writes the piece of a number; it is kept when the call returns."""

_AT_ONCE: Final = 4
_EMPTY: Final = hashlib.sha256(tars.END).hexdigest()


@dataclass(frozen=True)
class Packed:
    """A state, packed into a file that nobody else sees."""

    file: BinaryIO
    size: int
    digest: str
    """SHA-256 of the state before it is compressed: the same for the same content."""

    fingerprint: str
    """SHA-256 of the packed bytes."""

    @property
    def count(self) -> int:
        """How many pieces it has."""
        return statechunks.count_of(self.size)

    def is_same_as(self, digest: str | None) -> bool:
        """Whether it is the state with that digest; None is no state at all, and the same as an empty one."""
        return self.digest == (_EMPTY if digest is None else digest)

    def piece(self, number: int) -> bytes:
        """The bytes of a piece."""
        return os.pread(self.file.fileno(), statechunks.SIZE, number * statechunks.SIZE)


@contextmanager
def scratch(folder: Path | None = None) -> Iterator[BinaryIO]:
    """A file without a name, in the system's temporary folder if none is given; gone with all that is in it."""
    with tempfile.TemporaryFile(dir=folder) as file:
        yield file


def is_nothing(folder: Path) -> bool:
    """Whether a state's folder is empty, or was removed by the program. Blocks."""
    if not os.path.lexists(folder):
        return True
    try:
        return not folder.is_symlink() and folder.is_dir() and not any(folder.iterdir())
    except PermissionError:  # the program took it from its own user: whoever packs it sees to that
        return False


def pack(folder: Path, file: BinaryIO) -> Packed:
    """Pack a state's folder into an empty file; a folder that the program removed counts as empty. Blocks."""
    hashing = _Hashing(file)
    try:
        digest = archives.pack(folder, hashing).digest if os.path.lexists(folder) else _pack_nothing(hashing)
        file.flush()
    except ProgramDataError as error:
        raise type(error)(f"the state cannot be kept: {error}") from error
    except OSError as error:
        raise ProgramDataError(
            f"the state cannot be kept: {error}; see to the disk, and run the program again"
        ) from error
    packed = Packed(file, hashing.size, digest, hashing.hash.hexdigest())
    if packed.count > statechunks.MOST:
        raise TooLarge(
            f"the state cannot be kept: it has {packed.size} bytes once it is packed, and at most"
            f" {statechunks.MOST * statechunks.SIZE} are allowed; leave less in the folder"
        )
    return packed


def _pack_nothing(out: Writable) -> str:
    out.write(archives.pack_files({}))
    return _EMPTY


async def write(packed: Packed, put: Put) -> None:
    """Write all pieces, some at once, and the first one last: with it the set is whole."""

    async def one(number: int) -> None:
        await put(number, await asyncio.to_thread(packed.piece, number))

    await abreast.each(one, range(1, packed.count), most=_AT_ONCE)
    await one(0)


class _Hashing:
    """A file that is written to, with the digest of what was written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.hash = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes, /) -> int:
        self.hash.update(data)
        self.size += len(data)
        return self._file.write(data)
