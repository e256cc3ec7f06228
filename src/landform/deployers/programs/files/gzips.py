"""One gzip stream, written fast and read with patience.

What does not shrink is stored as it is: to try costs as much time as all the rest together. A block at a time decides,
so that a folder may hold both kinds. All blocks together are one member, which every reader of gzip takes.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from typing import Final, Protocol

from landform.deployers.programs.contract.faults import Damaged

_BLOCK: Final = 1 << 20
_READ: Final = 1 << 18
_HEADER: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""No name, no time, unknown system: the same bytes each time."""

_LAST_BLOCK: Final = b"\x03\x00"
_LEVEL: Final = 1
_SAMPLE: Final = 4096
_WORTHWHILE: Final = 0.9
"""A block whose samples do not shrink below this share is stored."""


class Readable(Protocol):
    """What can be read from."""

    def read(self, size: int, /) -> bytes:
        """Some bytes, at most so many; none at the end."""


class Writable(Protocol):
    """What can be written to."""

    def write(self, data: bytes, /) -> object:
        """Take all of the bytes."""


class Compressor:
    """Compresses what is written to it; `digest` is that of everything before compression.

    The same content gives the same bytes, in whatever pieces it is written.
    """

    def __init__(self, out: Writable) -> None:
        self._out = out
        self._pending = bytearray()
        self._hash = hashlib.sha256()
        self._checksum = 0
        self._size = 0
        out.write(_HEADER)

    @property
    def digest(self) -> str:
        """SHA-256 of what was written, once it is finished."""
        return self._hash.hexdigest()

    def write(self, data: bytes | memoryview) -> None:
        """Take more content."""
        self._pending += data
        while len(self._pending) >= _BLOCK:
            self._block(bytes(memoryview(self._pending)[:_BLOCK]))
            del self._pending[:_BLOCK]

    def finish(self) -> None:
        """Write the rest and the end."""
        if self._pending:
            self._block(bytes(self._pending))
            self._pending.clear()
        self._out.write(_LAST_BLOCK + struct.pack("<II", self._checksum, self._size & 0xFFFFFFFF))

    def _block(self, block: bytes) -> None:
        self._hash.update(block)
        self._checksum = zlib.crc32(block, self._checksum)
        self._size += len(block)
        stream = zlib.compressobj(_LEVEL if _shrinks(block) else 0, zlib.DEFLATED, -zlib.MAX_WBITS)
        # A full flush ends on a whole byte and refers to nothing before it: such pieces may stand one after another.
        self._out.write(stream.compress(block) + stream.flush(zlib.Z_FULL_FLUSH))


def _shrinks(block: bytes) -> bool:
    places = range(0, len(block), max(_SAMPLE, len(block) // 4))
    sample = b"".join(block[place : place + _SAMPLE] for place in places)
    return len(zlib.compress(sample, _LEVEL)) < _WORTHWHILE * len(sample)


class Decompressor:
    """Reads what a gzip stream holds. Whatever comes after its end is ignored.

    The original Landscaper fills up its last piece of state with zeros, or with bytes of the piece before it.
    """

    def __init__(self, source: Readable) -> None:
        self._source = source
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._hash = hashlib.sha256()
        self._piece = memoryview(b"")

    @property
    def digest(self) -> str:
        """SHA-256 of all that was decompressed up to now."""
        return self._hash.hexdigest()

    def some(self, most: int) -> memoryview:
        """The next bytes, at least one and at most so many; none at the end."""
        if not self._piece:
            self._piece = memoryview(self._next_piece())
        taken, self._piece = self._piece[:most], self._piece[most:]
        return taken

    def exactly(self, size: int) -> bytes:
        """The next bytes, exactly so many; Damaged if there are fewer."""
        taken = bytearray()
        while len(taken) < size:
            piece = self.some(size - len(taken))
            if not piece:
                raise Damaged("it ends too early")
            taken += piece
        return bytes(taken)

    def _next_piece(self) -> bytes:
        try:
            while not self._stream.eof:
                compressed = self._stream.unconsumed_tail or self._source.read(_READ)
                if not compressed:
                    raise Damaged("its end is missing")
                piece = self._stream.decompress(compressed, _BLOCK)
                if piece:
                    self._hash.update(piece)
                    return piece
        except zlib.error as error:
            raise Damaged(f"it cannot be decompressed: {error}") from error
        return b""
