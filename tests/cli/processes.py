"""`landform` as users run it: in a process of its own, from its start to its end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster, Limits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from pathlib import Path

PATIENCE_SECONDS = 45.0
"""Generous: a busy machine is common, and whoever does not answer by then never will."""


def command(*arguments: str | Path) -> list[str]:
    """The command line of `landform`, run by this very Python."""
    return [sys.executable, "-m", "landform.cli.main", *map(str, arguments)]


def environment(**more: str) -> dict[str, str]:
    """Nothing of the user's own settings."""
    return {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", **more}


def run(*arguments: str | Path, stdin: str = "", more: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command that ends by itself."""
    done = subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
        env=environment(**(more or {})),
    )
    return done.returncode, done.stdout, done.stderr


@dataclass(frozen=True)
class Up:
    """A running `landform up`."""

    process: subprocess.Popen[str]
    folder: Path
    url: str

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    @asynccontextmanager
    async def cluster(self, limits: Limits | None = None) -> AsyncIterator[HttpCluster]:
        """A client of the admin."""
        async with HttpCluster(kubeconfig.load(self.kubeconfig), limits=limits or Limits(retry_seconds=0)) as client:
            yield client

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait(PATIENCE_SECONDS)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end, and wait until it has; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_SECONDS)

    async def stopped(self, number: signal.Signals = signal.SIGTERM) -> int:
        """The same, while this process goes on reading."""
        return await asyncio.to_thread(self.stop, number)


@contextmanager
def up(folder: Path, *arguments: str, complaints: bool = False) -> Iterator[Up]:
    """A home that listens; killed at the end if it still runs. Unless expected, nothing on stderr is accepted."""
    log = folder.with_name(f"{folder.name}.stderr")
    with log.open("w") as errors:
        process = subprocess.Popen(
            command("up", "--data", folder, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment(),
            process_group=0,
        )
    try:
        yield Up(process, folder, _wait_for_url(process, log))
    finally:
        process.kill()
        process.communicate()
    assert complaints or log.read_text() == ""


def _wait_for_url(process: subprocess.Popen[str], log: Path) -> str:
    """The URL that the home prints once it listens."""
    # A home that hangs is killed, which ends its output and with it our waiting.
    patience = threading.Timer(PATIENCE_SECONDS, process.kill)
    patience.start()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.split()[:1] == ["API"]:
                return line.split()[1]
    finally:
        patience.cancel()
        patience.join()
    raise AssertionError(f"landform up did not start:\n{log.read_text()}")
