"""The keeper of one program: starts it, writes down what it prints, ends all that it started, and says how it ended.

It is a process of its own, forked from the nursery, so that the program goes on when the deployer is killed. It stands
alone: the standard library is all that it knows.

The deployer hands over an order (marshalled) and three descriptors:
- LOCK: its folder, locked, which says that the keeper lives. The deployer took the lock; it ends with the keeper.
- ENDED: the writing end of a FIFO, never written to. Whoever reads from it is told when the keeper has ended.
- CONTROL: a FIFO from which the keeper reads ``stop SECONDS`` lines.

It leaves in its folder: ``started`` (from here on the program may have run), ``output-OFFSET`` (what was printed, cut
into segments of which the last ones are kept), ``faults`` (its own, if any), and ``outcome.json``, which ``started``
becomes at the end.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import marshal
import os
import resource
import select
import signal
import sys
import time
import traceback
from typing import Any

ORDER, LOCK, ENDED, CONTROL = 3, 4, 5, 6
"""The numbers under which the descriptors are handed over."""

OUTPUT = "output-"
"""How the names of files with output begin."""

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 36, 38

_ROUND_SECONDS = 5.0
"""How often orphans that have ended are reaped while nothing else happens."""

_BLIND_ROUND_SECONDS = 0.05
"""The same where nothing tells of the end that is waited for."""

_CHUNK = 65536

_libc = ctypes.CDLL(None)


def main() -> None:
    """Keep the program of the order that was handed over, and return when all is over."""
    os.setsid()
    order = marshal.loads(_read_all(ORDER))
    os.chdir(order["folder"])
    _settle_descriptors()
    try:
        _set(_PR_SET_CHILD_SUBREAPER, 1)
        _spare_from_memory_killer(-900)
        os.close(os.open("started", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))  # a second keeper ends here
        _Keeper(order).keep()
    except Exception:
        with open("faults", "w") as faults:
            traceback.print_exc(file=faults)


def _settle_descriptors() -> None:
    """Keep nothing of the nursery's but what was handed over."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2, ORDER):
        os.dup2(null, number, inheritable=False)
    os.closerange(CONTROL + 1, 1 << 16)


class _Keeper:
    """One program from its start to the end of all that it started."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order
        self._output = _Output(order["output"])
        self._started = time.time()
        self._status: int | None = None
        self._fault = ("", 0)
        self._kill_at: float | None = None
        self._is_stopped = False
        self._is_killed = False

    def keep(self) -> None:
        printed, printing = os.pipe()
        faults, faulting = os.pipe()
        self._program = os.fork()
        if self._program == 0:
            _become(self._order, printing, faulting)
        os.close(printing)
        os.close(faulting)
        self._fault = _read_fault(faults)
        os.set_blocking(printed, False)
        self._wait(printed)
        _end_all()
        while self._output.take(printed):
            pass
        self._say()

    def _wait(self, printed: int) -> None:
        """Wait for the program itself, writing down what it prints and doing what the deployer asks for.

        One that was asked to end is waited for with all that it started: the grace is for all of them.
        """
        poll = select.poll()
        poll.register(printed, select.POLLIN)
        poll.register(CONTROL, select.POLLIN)
        over = _watch(self._program)
        if over is not None:
            poll.register(over, select.POLLIN)
        while self._has_children() and (self._status is None or self._kill_at is not None):
            is_blind = over is None or self._status is not None
            for descriptor, _event in poll.poll(self._patience(_BLIND_ROUND_SECONDS if is_blind else _ROUND_SECONDS)):
                if descriptor == printed and not self._output.take(printed):
                    poll.unregister(printed)  # closed by the program, which goes on
                elif descriptor == CONTROL:
                    self._obey(os.read(CONTROL, 4096))
                elif descriptor == over:
                    poll.unregister(over)
            if self._kill_at is not None and time.monotonic() >= self._kill_at:
                self._kill_at = None
                if self._status is None:  # otherwise its number may be another's by now
                    self._is_killed = True
                    _kill(self._program, signal.SIGKILL)

    def _patience(self, seconds: float) -> float:
        if self._kill_at is not None:
            seconds = max(0.0, min(seconds, self._kill_at - time.monotonic()))
        return seconds * 1000 + 1

    def _has_children(self) -> bool:
        """Take the ends of whatever has ended; whether anything is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._program:
                self._status = status

    def _obey(self, text: bytes) -> None:
        for line in text.splitlines():
            self._is_stopped = True
            at = time.monotonic() + float(line.split()[1])
            self._kill_at = at if self._kill_at is None else min(at, self._kill_at)
            if self._status is None:
                _kill(-self._program, signal.SIGTERM)

    def _say(self) -> None:
        """Write the outcome; None for the numbers that there are not."""
        step, fault = self._fault
        code = None if self._status is None or fault else os.waitstatus_to_exitcode(self._status)
        said = {
            "command": self._order["command"][0],
            "exitCode": code if code is not None and code >= 0 else None,
            "signal": -code if code is not None and code < 0 else None,
            "step": step,
            "errno": fault,
            "isStopped": self._is_stopped,
            "isKilled": self._is_killed,
            "started": self._started,
            "finished": time.time(),
        }
        with open("started", "w") as file:
            json.dump(said, file)
        os.rename("started", "outcome.json")


class _Output:
    """What the program prints, in segments named by the offset of their first byte; the oldest go.

    Invariant: the last `limit` bytes are there, or all if there are fewer. What prints nothing makes no file.
    """

    def __init__(self, limit: int) -> None:
        self._segment_size = max(1, limit // 4)
        self._offset = 0
        self._left = 0
        self._segments: list[str] = []
        self._file = -1

    def take(self, source: int) -> bool:
        """Write down what can be read now; False at its end, or if there is nothing."""
        try:
            data = os.read(source, _CHUNK)
        except BlockingIOError:
            return False
        is_end = not data
        while data:
            if not self._left:
                self._begin_segment()
            piece, data = data[: self._left], data[self._left :]
            with contextlib.suppress(OSError):  # a full disk costs the output, not the program
                os.write(self._file, piece)
            self._offset += len(piece)
            self._left -= len(piece)
        return not is_end

    def _begin_segment(self) -> None:
        if self._segments:
            os.close(self._file)
        self._left = self._segment_size
        self._segments.append(f"{OUTPUT}{self._offset:020}")
        if len(self._segments) > 5:  # four full ones and the one being filled
            os.unlink(self._segments.pop(0))
        self._file = os.open(self._segments[-1], os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)


def _become(order: dict[str, Any], printing: int, faulting: int) -> None:
    """Turn this forked process into the program; if that fails, say in which step and end."""
    step = "start"
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDONLY)
        for descriptor, number in ((null, 0), (printing, 1), (printing, 2)):
            os.dup2(descriptor, number)
        os.umask(0o022)
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and what is ignored stays so in the program
            signal.signal(ignored, signal.SIG_DFL)
        _spare_from_memory_killer(0)
        step = "limit"
        for number, value in order["limits"]:
            _limit(number, value)
        step = "user"
        _drop(order["user"])
        _set(_PR_SET_PDEATHSIG, signal.SIGKILL)
        step = "folder"
        os.chdir(order["work"])
        step = "exec"
        os.execvpe(order["command"][0], order["command"], order["env"])
    except OSError as error:
        os.write(faulting, f"{step} {error.errno or 0}".encode())
    except ValueError:
        os.write(faulting, f"{step} 22".encode())
    finally:
        os._exit(127)


def _drop(user: tuple[int, int, tuple[int, ...]] | None) -> None:
    """Give up root for good: nothing that the program starts gets it back."""
    if user is None:
        return
    uid, gid, groups = user
    os.setgroups(groups)
    os.setgid(gid)
    os.setuid(uid)
    _set(_PR_SET_NO_NEW_PRIVS, 1)


def _limit(number: int, value: int) -> None:
    hard = resource.getrlimit(number)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(number, (value, value))


def _read_fault(faults: int) -> tuple[str, int]:
    """Why the program could not be started; nothing once it runs, because then the pipe is closed."""
    text = _read_all(faults).decode()
    os.close(faults)
    step, _, number = text.partition(" ")
    return step, int(number or 0)


def _watch(pid: int) -> int | None:
    """A descriptor that can be read from when the process has ended; None where there is no such thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _end_all() -> None:
    """Kill until no descendant is left: orphans come to this process, whatever session they fled to."""
    while True:
        for pid in _children():
            _kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    me = os.getpid()
    try:
        with open(f"/proc/{me}/task/{me}/children") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


def _kill(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # gone, or it has more rights than this keeper
        os.kill(pid, number)


def _set(option: int, value: int) -> None:
    """Set an attribute of this process; where the system has none such, it goes without."""
    if sys.platform == "linux":
        _libc.prctl(option, value, 0, 0, 0)


def _spare_from_memory_killer(score: int) -> None:
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # only root may lower it
        file.write(str(score))


def _read_all(descriptor: int) -> bytes:
    parts = []
    while part := os.read(descriptor, _CHUNK):
        parts.append(part)
    return b"".join(parts)
