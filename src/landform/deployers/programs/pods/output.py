"""What a container prints, followed through the host's API, without gaps and without anything twice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager


_STAMP = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


@runtime_checkable
class LogDoor(Protocol):
    """A cluster with nodes, whose pods can be asked for what they print."""

    def pod_log(
        self, name: str, *, namespace: str, container: str, since: str = "", follow: bool = False
    ) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """What the container has printed from that moment on, each line with its moment and a space before it."""
        ...


class Lines:
    """Puts a log together from streams that overlap, because the API counts moments in whole seconds only.

    Invariant: what `feed` returned, in all, is the log from its beginning to where it was last cut.
    """

    def __init__(self) -> None:
        self._moment = ""
        self._same = 0
        """How many lines of that very moment were given out: a clock may be coarser than the printing."""

        self._skip = 0
        self._rest = b""

    @property
    def since(self) -> str:
        """From when on to ask again; empty for everything."""
        return self._moment

    @property
    def unfinished(self) -> bytes:
        """What is there of a line whose end has not come."""
        return self._rest

    def resume(self) -> None:
        """Another stream begins, at `since`; a line that was cut off comes again as a whole."""
        self._rest = b""
        self._skip = self._same

    def feed(self, chunk: bytes) -> bytes:
        """The new lines that end in this chunk, without their moments."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return b"".join(text + b"\n" for line in lines if (text := self._new(line)) is not None)

    def finish(self) -> bytes:
        """What is left of a last line that has no end."""
        text = self._new(self._rest) if self._rest else None
        self._rest = b""
        return text or b""

    def _new(self, line: bytes) -> bytes | None:
        stamp, _, text = line.partition(b" ")
        if not _STAMP.fullmatch(stamp):
            return None  # the kubelet's own words, such as that the log is gone with its container
        moment = stamp.decode()
        if _order(moment) < _order(self._moment):
            return None
        if _order(moment) > _order(self._moment):
            self._moment, self._same, self._skip = moment, 1, 0
            return text
        if self._skip:
            self._skip -= 1
            return None
        self._same += 1
        return text


def _order(moment: str) -> tuple[str, str]:
    """A moment such that earlier ones compare as less, however many digits of a second it has; all are in UTC."""
    seconds, _, fraction = moment.rstrip("Z").partition(".")
    return seconds, fraction.ljust(9, "0")
