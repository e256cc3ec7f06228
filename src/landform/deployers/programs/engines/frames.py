"""The output of a container without a terminal: frames of a header and content, cut anywhere by the network; pure."""

from __future__ import annotations

from typing import Final

_HEADER: Final = 8
"""One byte for the stream, three empty ones, four for the length."""


class Frames:
    """Takes pieces as they come, and gives the content of the frames, both streams in one."""

    def __init__(self) -> None:
        self._header = b""
        self._left = 0

    def feed(self, data: bytes) -> bytes:
        """The content that a further piece holds; empty if it holds none."""
        found = []
        while data:
            if self._left:
                found.append(data[: self._left])
                taken = len(found[-1])
                self._left -= taken
            else:
                taken = min(len(data), _HEADER - len(self._header))
                self._header += data[:taken]
                if len(self._header) == _HEADER:
                    self._left, self._header = int.from_bytes(self._header[4:]), b""
            data = data[taken:]
        return b"".join(found)
