"""A podman that listens: its API socket, with storage and network of its own."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from tests.cluster.node.rooms import Tenant

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = """\
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]

[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"

[network]
network_backend = "cni"
"""
"""crun refuses machines with both versions of control groups; the usual limits are more than a room may give."""


class Podman(Tenant):
    """A podman service, from `with Podman() as podman` to the end of the block."""

    @property
    def socket(self) -> Path:
        """Where it listens, for clients of podman's and of docker's API."""
        return self._room.folder / "podman.sock"

    @property
    def logs(self) -> list[Path]:
        """What the service wrote."""
        return [self._room.folder / "podman.log"]

    def load(self, archive: Path) -> None:
        """Make an image known, by the name that its archive gives it."""
        self.run("load", f"--input={archive}")

    def run(self, *arguments: str) -> str:
        """What a podman command prints that works on the same storage as the service."""
        variables = [f"{name}={value}" for name, value in self._environment.items()]
        return self._room.run("env", *variables, "podman", *self._places, *arguments)

    def _start(self) -> None:
        (self._room.folder / "containers.conf").write_text(SETTINGS)
        flags = [*self._places, "system", "service", "--time=0", f"unix://{self.socket}"]
        service = self._room.start("podman", flags, self._environment)
        service.wait_until(self._answers)

    @property
    def _places(self) -> list[str]:
        folder = self._room.folder
        return [f"--root={self._room.memory}/storage", f"--runroot={folder}/run", f"--tmpdir={folder}/tmp"]

    @property
    def _environment(self) -> dict[str, str]:
        return {"CONTAINERS_CONF": f"{self._room.folder}/containers.conf", "TMPDIR": "/var/tmp"}

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(str(self.socket)) == 0
