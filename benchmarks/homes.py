"""The homes that are measured: ``landform up`` as users start it, and a home in this process with its file on disk."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from landform.embedded.folder import DataFolder
from landform.embedded.home import EmbeddedHome, open_home
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


@dataclass(frozen=True)
class Endpoint:
    """How to reach an API."""

    url: str
    token: str
    ca: Path
    kubeconfig: Path
    pid: int = 0


@contextmanager
def landform_up(data: Path) -> Iterator[Endpoint]:
    """A home as users start it, in a process of its own."""
    command = [sys.executable, "-m", "landform.cli.main", "up", "--data", str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("Ctrl-C"):
                    break
            yield _endpoint(data, process.pid)
        finally:
            process.send_signal(signal.SIGTERM)


def _endpoint(data: Path, pid: int) -> Endpoint:
    document = yaml.safe_load((data / "kubeconfig").read_text())
    ca = data / "ca.crt"
    pem = (data / "pki" / "ca.pem").read_text()
    ca.write_text(pem[pem.index("-----BEGIN CERTIFICATE") :])
    return Endpoint(
        document["clusters"][0]["cluster"]["server"],
        document["users"][0]["user"]["token"],
        ca,
        data / "kubeconfig",
        pid,
    )


@asynccontextmanager
async def in_process(data: Path) -> AsyncIterator[EmbeddedHome]:
    """A home in this process, with its file on disk."""
    folder = DataFolder(data)
    try:
        async with open_home(folder, Surroundings()) as home:
            yield home
    finally:
        folder.close()


@contextmanager
def folder() -> Iterator[Path]:
    """A temporary data folder on the disk that the project is on: the system's own may be memory."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=Path.cwd().parent) as path:
        yield Path(path)


def resident_mib(pid: int | str = "self") -> float:
    """The resident memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"/proc/{pid}/status tells no VmRSS")
