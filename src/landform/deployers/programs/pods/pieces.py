"""Files that are pieces of one, read as one."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


class _Joined(io.RawIOBase):
    """Reads one file after the other; each is opened when it is its turn."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = [*paths]
        self._file: BinaryIO | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while self._file is not None or self._paths:
            if self._file is None:
                self._file = self._paths.pop(0).open("rb")
            if data := self._file.read(len(buffer)):
                buffer[: len(data)] = data
                return len(data)
            self._file.close()
            self._file = None
        return 0

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


@contextmanager
def opened(paths: Sequence[Path]) -> Iterator[BinaryIO]:
    """All pieces, in their order, as one stream."""
    with _Joined(paths) as raw:
        yield cast("BinaryIO", io.BufferedReader(raw, 1 << 20))
