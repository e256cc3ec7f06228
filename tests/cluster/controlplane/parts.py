"""One process of a control plane: started with a log, waited for, and quoted when it does not come up."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from typing import TYPE_CHECKING

from tests.cluster.controlplane import watchdog

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

START_DEADLINE = 120.0
"""Seconds that a part has to become ready; generous, because a machine busy with a build is common."""

POLL_INTERVAL = 0.05
LOG_LINES = 15


class StartError(Exception):
    """A part did not become ready; the text has the last lines of its log."""


class PortTaken(StartError):
    """Another process took the port between our choosing it and the part's listening on it."""


class Part:
    """A running process of the control plane, known to the watchdog by its environment."""

    def __init__(self, binary: Path, flags: Sequence[str], *, folder: Path, through: Sequence[str] = ()) -> None:
        """`through`: a command that runs the one it is followed by, in another namespace."""
        self.name = binary.name
        self.log = folder / f"{binary.name}.log"
        environment = {**os.environ, watchdog.MARK: str(folder)}
        with self.log.open("wb") as log:
            # A group of its own: Ctrl-C in a terminal is for the tests, which then end the part in order.
            self.process = subprocess.Popen(
                [*through, binary, *flags], cwd=folder, env=environment, stdout=log, stderr=log, process_group=0
            )

    def wait_until(self, is_ready: Callable[[], bool], deadline: float = START_DEADLINE) -> None:
        """Ask until the answer is yes; StartError when the process ends or the time is over."""
        end = time.monotonic() + deadline
        while not is_ready():
            if self.process.poll() is not None:
                raise self._ended()
            if time.monotonic() > end:
                raise StartError(f"{self.name} was not ready after {deadline:.0f} s; its log ends with\n{self._tail()}")
            time.sleep(POLL_INTERVAL)

    def _ended(self) -> StartError:
        kind = PortTaken if "address already in use" in self.log.read_text(errors="replace") else StartError
        return kind(f"{self.name} ended with exit code {self.process.returncode}; its log ends with\n{self._tail()}")

    def _tail(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join(f"  | {line}" for line in lines[-LOG_LINES:])


def free_port() -> int:
    """A loopback port that nobody listens on right now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
