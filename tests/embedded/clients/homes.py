"""A home in a process of its own, as users start it, and the clients that are run against it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START_SECONDS = 45.0
"""Generous: a busy machine is common, and a home that does not start is an error anyway."""

STOP_SECONDS = 15.0
COMMAND_SECONDS = 50.0


@dataclass(frozen=True)
class Home:
    """A running ``landform up``."""

    url: str
    folder: Path

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "data" / "kubeconfig"


@contextmanager
def running(folder: Path) -> Iterator[Home]:
    """A home from its start to its orderly end. Whatever it had to complain about is an error."""
    log = folder / "stderr"
    command = [sys.executable, "-m", "landform.cli.main", "up", "--data", str(folder / "data")]
    with log.open("wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, process_group=0)
    try:
        yield Home(_wait_for_url(process, log), folder)
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS) == 0
    finally:
        process.kill()
        process.communicate()
    complaints = log.read_text()
    assert not complaints, complaints


def _wait_for_url(process: subprocess.Popen[str], log: Path) -> str:
    """The URL that the home prints once it listens."""
    # A home that hangs is killed, which ends its output and with it our waiting.
    patience = threading.Timer(START_SECONDS, process.kill)
    patience.start()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.split()[:1] == ["API"]:
                return line.split()[1]
    finally:
        patience.cancel()
    raise AssertionError(f"landform up did not start:\n{log.read_text()}")


class CommandFailed(AssertionError):
    """A client ended with an error; the text is all it said."""


@dataclass(frozen=True)
class Client:
    """A command line client that talks to a home, in a namespace of its own."""

    binary: str
    home: Home
    namespace: str

    def __call__(self, *arguments: str, stdin: Any = None) -> str:
        """What the command prints; CommandFailed if it fails. Objects on stdin go as JSON."""
        done = self.run(*arguments, stdin=stdin)
        if done.returncode != 0:
            raise CommandFailed(f"{' '.join(arguments)}\n{done.stdout}{done.stderr}")
        return done.stdout

    def get(self, *arguments: str) -> Any:
        """An object, as kubectl gets it."""
        return json.loads(self("get", *arguments, "--output", "json"))

    def run(self, *arguments: str, stdin: Any = None) -> subprocess.CompletedProcess[str]:
        """The whole outcome, for commands that may fail."""
        return subprocess.run(
            self.command(*arguments),
            input=None if stdin is None else json.dumps(stdin),
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            env=self.environment(),
            check=False,
        )

    def command(self, *arguments: str) -> list[str]:
        """The command line."""
        return [self.binary, "--namespace", self.namespace, *arguments]

    def environment(self) -> dict[str, str]:
        """Nothing of the user's own settings: their clusters and caches are not for tests."""
        place = self.home.folder / "client"
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(place),
            "KUBECONFIG": str(self.home.kubeconfig),
        }
