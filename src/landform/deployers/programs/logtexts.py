"""The output of a program, as much of it as is kept: the last of it; pure."""

from __future__ import annotations

from typing import Final

LIMIT: Final = 256 * 1024
"""How many bytes of one run are kept."""

TAIL_LINES: Final = 20
TAIL_BYTES: Final = 2048
"""How much of it goes into an error."""


class LogText:
    """The last bytes of an output.

    Invariant: `content` is at most `limit` bytes long, and is the output without its first `dropped` bytes.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._kept = bytearray()
        self.dropped = 0
        """So many bytes are not kept any more."""

    @property
    def content(self) -> bytes:
        """What is kept."""
        return bytes(self._kept)

    @property
    def size(self) -> int:
        """How many bytes the output has had until now."""
        return self.dropped + len(self._kept)

    def add(self, chunk: bytes) -> None:
        """Take in what was printed next."""
        self._kept += chunk
        excess = len(self._kept) - self._limit
        if excess > 0:
            # A bit more than needed, so that it begins with a whole line.
            line = self._kept.find(b"\n", excess - 1)
            cut = line + 1 if 0 <= line < len(self._kept) - 1 else excess
            del self._kept[:cut]
            self.dropped += cut

    def tail(self, lines: int = TAIL_LINES, size: int = TAIL_BYTES) -> str:
        """The last lines as text, for an error."""
        text = bytes(self._kept[-4 * size :]).decode("utf-8", "replace").rstrip()
        last = "\n".join(text.splitlines()[-lines:])
        kept = last.encode()[-size:].decode("utf-8", "ignore")
        return kept if len(kept) == len(last) else f"...{kept}"


def unseen(content: bytes, dropped: int, seen: int) -> bytes:
    """The part of a kept output that somebody has not seen who has seen its first `seen` bytes."""
    return content[max(0, seen - dropped) :]
