"""Namespaces of its own for whatever mounts, starts containers and changes the network."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from ipaddress import IPv4Network
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tests.cluster.controlplane import parts, watchdog
from tests.cluster.node import packages, room_init

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

LINKS = IPv4Network("10.213.0.0/16")
"""Each room takes four addresses of it for the line between itself and the machine."""

LINK_ATTEMPTS = 20

JOIN_GROUPS = 'for group in /sys/fs/cgroup /sys/fs/cgroup/*; do echo $$ 2>&- >"$group/cgroup.procs"; done; exec "$@"'
"""A shell's program that joins the room's control groups, which entering its namespaces does not do."""


class RoomError(Exception):
    """A command in a room failed; the text is what it wrote to its standard error."""


class Room:
    """Namespaces for mounts, processes, network and control groups, from `with Room() as room` to the end of the block.

    Inside, Debian's packages look installed, and /etc, /usr, /var and /run can be written without the machine seeing
    it. The room and the machine reach each other over a line with one address at each end. When the block ends, or the
    process that runs it ends in any way, every process of the room is killed; its mounts, interfaces, control groups
    and the folder go with them. Several can exist at the same time.
    """

    folder: Path
    """Seen by both sides under the same name; holds logs and all data."""

    memory: Path
    """A folder in memory that only the room's own processes see."""

    address: str
    """The room's, as the machine sees it."""

    host_address: str
    """The machine's, as the room sees it: servers that listen on all addresses are reached there."""

    def __init__(self) -> None:
        self._watchdog: subprocess.Popen[bytes] | None = None
        self._parts: list[parts.Part] = []

    def __enter__(self) -> Self:
        if os.geteuid() != 0:
            raise RoomError("a room for a node or podman needs root; run the tests as root, for example in a container")
        programs = packages.unpacked()
        self.folder = Path(tempfile.mkdtemp(prefix="landform-room-"))
        self.folder.chmod(0o755)  # containers' users pass through it
        self.memory = self.folder / room_init.MEMORY
        self._watchdog = subprocess.Popen(
            [sys.executable, watchdog.__file__, str(self.folder)], stdin=subprocess.PIPE, process_group=0
        )
        try:
            self._open(programs)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self, program: str, flags: Sequence[str], environment: Mapping[str, str] | None = None) -> parts.Part:
        """A long-running program in the room."""
        variables = [f"{name}={value}" for name, value in (environment or {}).items()]
        through = [*self._enter, "env", *variables]
        part = parts.Part(Path(program), flags, folder=self.folder, through=through)
        self._parts.append(part)
        return part

    def run(self, *command: str, input: bytes | None = None) -> str:
        """What a command prints in the room."""
        done = subprocess.run([*self._enter, *command], input=input, capture_output=True, check=False)
        if done.returncode:
            raise RoomError(f"`{' '.join(command)}`: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout.decode()

    def close(self) -> None:
        """End everything in the room and remove the folder. Idempotent."""
        if self._watchdog is None:
            return
        self._watchdog.communicate()  # closes the pipe: the watchdog kills, removes, and ends
        for part in self._parts:
            part.process.wait()
        self._watchdog = None

    @property
    def _enter(self) -> list[str]:
        namespaces = ("--mount", "--pid", "--net", "--ipc", "--uts", "--cgroup")
        return ["nsenter", f"--target={self._pid}", *namespaces, "sh", "-c", JOIN_GROUPS, "join"]

    def _open(self, programs: Path) -> None:
        arguments = [room_init.__file__, "enter", str(self.folder), str(programs)]
        part = parts.Part(Path(sys.executable), arguments, folder=self.folder)
        self._parts.append(part)
        part.wait_until(lambda: part.log.read_text().endswith("\n"))
        answer = part.log.read_text().strip()
        if not answer.isdecimal():
            raise RoomError(f"the room could not be made:\n{answer}")
        self._pid = int(answer)
        self._connect()

    def _connect(self) -> None:
        """Lay the line to the machine, on addresses that no other line has."""
        name = f"lf{self._pid}"
        _ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", str(self._pid))
        net = _free_link()
        self.host_address, self.address = (str(address) for address in net.hosts())
        _ip("address", "add", f"{self.host_address}/{net.prefixlen}", "dev", name)
        _ip("link", "set", name, "up")
        self.run("ip", "address", "add", f"{self.address}/{net.prefixlen}", "dev", "eth0")
        self.run("ip", "link", "set", "eth0", "up")
        self.run("ip", "route", "add", "default", "via", self.host_address)
        # Containers' own networks are unknown outside.
        self.run("iptables", "-t", "nat", "-A", "POSTROUTING", "-o", "eth0", "-j", "MASQUERADE")


class Tenant(ABC):
    """Programs with a room of their own, from `with` to the end of the block; they answer when it begins."""

    def __init__(self) -> None:
        self._room = Room()

    def __enter__(self) -> Self:
        self._room.__enter__()
        try:
            self._start()
        except BaseException:
            self._room.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._room.close()

    @property
    def host_address(self) -> str:
        """Where containers reach servers of this machine that listen on all addresses."""
        return self._room.host_address

    @abstractmethod
    def _start(self) -> None:
        """Start the programs in the room, and wait until they answer."""


def _free_link() -> IPv4Network:
    taken = _ip("-4", "-oneline", "address", "show")
    candidates = list(LINKS.subnets(new_prefix=30))
    return next(net for net in random.sample(candidates, LINK_ATTEMPTS) if f" {next(net.hosts())}/" not in taken)


def _ip(*arguments: str) -> str:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RoomError(f"`ip {' '.join(arguments)}`: {done.stderr.strip()}")
    return done.stdout
