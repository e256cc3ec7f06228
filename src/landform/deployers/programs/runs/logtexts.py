"""The output of a program, as much of it as is kept: the last of it; pure."""

from __future__ import annotations

import re
from typing import Final

LIMIT: Final = 256 * 1024
"""How many bytes of one run are kept."""

TAIL_LINES: Final = 20
TAIL_BYTES: Final = 2048
"""How much of it goes into an error."""

_LONGEST_LINE: Final = 4096
"""So many bytes more than needed are given up for the kept output to begin with a whole line."""

_MARK: Final = 1024
"""By so many of its last bytes an output is found again in another reading of it."""

_CONTROLS: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\0-\x08\x0b-\x1f\x7f-\x9f]")
"""Colours and movements of a terminal, and what else no text shows."""


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
            line = self._kept.find(b"\n", excess - 1, excess + _LONGEST_LINE)
            cut = line + 1 if 0 <= line < len(self._kept) - 1 else excess
            del self._kept[:cut]
            self.dropped += cut

    def go_on(self, later: LogText) -> None:
        """Take in what another reading of the same output, whose beginning was gone, has after the end of this one."""
        mark = self._kept[-_MARK:]
        at = later._kept.rfind(mark)
        if at >= 0:
            self.add(bytes(later._kept[at + len(mark) :]))

    def tail(self, lines: int = TAIL_LINES, size: int = TAIL_BYTES) -> str:
        """The last lines as plain text, for an error."""
        text = bytes(self._kept[-4 * size :]).decode("utf-8", "replace").rstrip()
        last = "\n".join(_CONTROLS.sub("", line) for line in text.splitlines()[-lines:])
        kept = last.encode()[-size:].decode("utf-8", "ignore")
        return kept if len(kept) == len(last) else f"...{kept}"


def unseen(content: bytes, dropped: int, seen: int) -> bytes:
    """The part of a kept output that somebody has not seen who has seen its first `seen` bytes."""
    return content[max(0, seen - dropped) :]
