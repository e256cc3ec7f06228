"""The deployer's side of a keeper: starting it, seeing whether it lives, asking it to stop. Blocks, but shortly."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import marshal
import os
import tempfile
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from landform.deployers.programs.processes.keeper import OUTPUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import timedelta
    from pathlib import Path

    from landform.deployers.programs.processes.spawning import Nursery


@dataclass(frozen=True)
class Order:
    """What a keeper is to start."""

    command: Sequence[str]
    env: dict[str, str]
    work: Path
    """The program's working directory."""

    user: tuple[int, int, tuple[int, ...]] | None
    """User, group and further groups to become; None: stay who we are."""

    limits: list[tuple[int, int]]
    output: int
    """Bytes of output that are kept."""


@dataclass(frozen=True)
class Keep:
    """The folder of a keeper."""

    folder: Path

    def spawn(self, order: Order, nursery: Nursery) -> None:
        """Start a keeper; nothing happens if there is one, or was one that started its program."""
        with contextlib.ExitStack() as opened:
            lock = _opened(opened, self.folder, os.O_RDONLY | os.O_DIRECTORY)
            # The lock passes from this process to the keeper without a gap, because both have the same open folder:
            # there is no moment at which the run looks abandoned, whoever is killed.
            if not _locked(lock, fcntl.LOCK_EX) or self.has_started():
                return
            for fifo in (self._ended, self._control):
                with contextlib.suppress(FileExistsError):
                    os.mkfifo(fifo, 0o600)
            ended = _opened(opened, self._ended, os.O_RDWR | os.O_NONBLOCK)
            control = _opened(opened, self._control, os.O_RDWR | os.O_NONBLOCK)
            said = opened.enter_context(_unnamed(self.folder))
            said.write(marshal.dumps({**_plain(order), "folder": str(self.folder)}))
            said.seek(0)
            nursery.spawn((said.fileno(), lock, ended, control))

    def is_alive(self) -> bool:
        """Whether the keeper lives; its lock tells, never its process id, which may be another's by now."""
        try:
            lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            return False
        try:
            return not _locked(lock, fcntl.LOCK_SH)
        finally:
            os.close(lock)

    def has_started(self) -> bool:
        """Whether the program may have been started."""
        return any((self.folder / name).exists() for name in ("started", "outcome.json"))  # the one becomes the other

    def outcome(self) -> bytes | None:
        """What the keeper wrote about the program's end; None if there is nothing."""
        try:
            return (self.folder / "outcome.json").read_bytes()
        except FileNotFoundError:
            return None

    def faults(self) -> str:
        """What went wrong in the keeper itself."""
        try:
            return (self.folder / "faults").read_text(errors="replace").strip()
        except FileNotFoundError:
            return ""

    def watch(self) -> int | None:
        """A descriptor that is readable when the keeper has ended; None if it has."""
        try:
            ended = os.open(self._ended, os.O_RDONLY | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        try:
            os.read(ended, 1)  # at its end at once if nobody could write
        except BlockingIOError:
            return ended
        os.close(ended)
        return None

    def stop(self, grace: timedelta) -> None:
        """Ask the keeper to end its program; nothing happens if there is none."""
        try:
            control = os.open(self._control, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno in (errno.ENXIO, errno.ENOENT):
                return
            raise
        try:
            os.write(control, f"stop {grace.total_seconds()}\n".encode())
        finally:
            os.close(control)

    @property
    def _ended(self) -> Path:
        return self.folder / "ended"

    @property
    def _control(self) -> Path:
        return self.folder / "control"


def read_output(folder: Path, offset: int, most: int) -> tuple[bytes, int]:
    """What was printed from an offset on, about so much, and the offset after it; what is gone is passed over."""
    found = b""
    for start, path in _segments(folder, offset):
        offset = max(offset, start)
        with contextlib.suppress(FileNotFoundError), path.open("rb") as file:  # it may go while we look
            file.seek(offset - start)
            data = file.read(most)
            found, offset = found + data, offset + len(data)
        if len(found) >= most:
            break
    return found, offset


def _segments(folder: Path, offset: int) -> Iterator[tuple[int, Path]]:
    """The segments that hold something from an offset on, in order."""
    try:
        starts = sorted(int(name[len(OUTPUT) :]) for name in os.listdir(folder) if name.startswith(OUTPUT))
    except FileNotFoundError:
        return
    for start, following in itertools.zip_longest(starts, starts[1:]):
        if following is None or following > offset:
            yield start, folder / f"{OUTPUT}{start:020}"


def _unnamed(folder: Path) -> IO[bytes]:
    """A file without a name, in memory where there are such: environments may hold secrets."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("order"), "wb+")
    return tempfile.TemporaryFile(dir=folder)


def _plain(order: Order) -> dict[str, object]:
    return {
        "command": [str(part) for part in order.command],
        "env": {name: str(value) for name, value in order.env.items()},  # enums are no strings to marshal
        "work": str(order.work),
        "user": order.user,
        "limits": order.limits,
        "output": order.output,
    }


def _opened(stack: contextlib.ExitStack, path: Path, flags: int) -> int:
    descriptor = os.open(path, flags, 0o600)
    stack.callback(os.close, descriptor)
    return descriptor


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
