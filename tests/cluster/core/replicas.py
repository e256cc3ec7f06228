"""Replicas of `landform controller`, each a process of its own."""

from __future__ import annotations

import signal
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.cli.processes import PATIENCE_SECONDS, command, environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cluster.controlplane.plane import ControlPlane


@contextmanager
def replica(plane: ControlPlane, name: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A replica that works. In the end it is asked to stop, and killed if it cannot."""
    log = plane.folder / f"replica-{name}-{time.monotonic_ns()}.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command("controller", "--kubeconfig", plane.kubeconfig, "--identity", name, *arguments),
            stdin=subprocess.DEVNULL,
            stderr=errors,  # a file and no pipe: whoever does not read a pipe stops its writer
            env=environment(PYTHONUNBUFFERED="1"),
            process_group=0,
        )
    try:
        _wait_until_ready(process, log)
        yield process
    finally:
        _stop(process)


def _wait_until_ready(process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while " ready\n" not in log.read_text():
        assert process.poll() is None, f"the controller ended: {log.read_text()}"
        assert time.monotonic() < deadline, f"the controller does not become ready: {log.read_text()}"
        time.sleep(0.05)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
