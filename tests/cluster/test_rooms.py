"""Rooms keep to themselves what is done in them, and leave nothing, however they end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cluster.controlplane import watchdog
from tests.cluster.node import fixtures, room_init
from tests.cluster.node.rooms import Room, RoomError

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [*fixtures.MARKS]

FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")


def wait_until(holds: Callable[[], bool], deadline: float = 60) -> None:
    """Ask until the answer is yes."""
    end = time.monotonic() + deadline
    while not holds():
        assert time.monotonic() < end, f"not so after {deadline} s"
        time.sleep(0.05)


def test_what_is_done_inside_is_not_seen_outside() -> None:
    mounts, forwarding = Path("/proc/self/mountinfo").read_text(), FORWARDING.read_text()
    with Room() as room:
        room.run("sh", "-c", "mkdir /var/lib/landform-test && echo one >/etc/landform-test")
        room.run("touch", "/run/landform-test", "/dev/shm/landform-test")
        assert room.run("cat", "/etc/landform-test") == "one\n"
        assert room.run("cat", str(FORWARDING)) == "1\n"
        for path in ("/var/lib/landform-test", "/etc/landform-test", "/run/landform-test", "/dev/shm/landform-test"):
            assert not Path(path).exists()
        assert str(room.folder) not in Path("/proc/self/mountinfo").read_text()
    assert str(room.folder) not in mounts
    assert FORWARDING.read_text() == forwarding


def test_the_kernels_settings_cannot_be_changed_inside() -> None:
    path = Path("/proc/sys/fs/file-max")
    with Room() as room, pytest.raises(RoomError, match="Read-only file system"):
        room.run("sh", "-c", f"echo {path.read_text().strip()} >{path}")  # what it is already, should it succeed


@pytest.mark.parametrize("setting", ["kernel/panic", "vm/overcommit_memory"])
def test_a_setting_that_a_kubelet_insists_on_is_only_shown_to_it(setting: str) -> None:
    path = Path("/proc/sys") / setting
    before = path.read_text()
    with Room() as room:
        assert room.run("cat", str(path)).strip() == room_init.WANTED_SETTINGS[str(path)]
        room.run("sh", "-c", f"echo {before.strip()} >{path}")  # what the kernel has already, should it get there
    assert path.read_text() == before


def test_programs_of_packages_are_there_and_in_the_rooms_control_groups() -> None:
    with Room() as room:
        assert room.run("containerd", "--version").startswith("containerd ")
        groups = {line.split(":", 2)[2] for line in room.run("cat", "/proc/self/cgroup").splitlines()}
        assert groups == {"/"}


def test_two_rooms_have_lines_of_their_own() -> None:
    with Room() as first, Room() as second:
        assert len({first.address, first.host_address, second.address, second.host_address}) == 4
        assert first.host_address in first.run("ip", "route", "show", "default")


def test_a_failing_command_is_quoted() -> None:
    with Room() as room, pytest.raises(RoomError, match=r"`ls /nowhere`: .*No such file"):
        room.run("ls", "/nowhere")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT], ids=lambda number: number.name)
def test_a_killed_starter_leaves_nothing(number: signal.Signals) -> None:
    program = (
        "import time\n"
        "from tests.cluster.node import images\n"
        "from tests.cluster.node.podman import Podman\n"
        "with Podman() as podman:\n"
        "    podman.load(images.shell())\n"
        "    podman.run('run', '--detach', images.SHELL, 'sleep', '6543')\n"
        "    print(podman.socket.parent, flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as starter:
        assert starter.stdout is not None
        folder = Path(starter.stdout.readline().strip())
        groups = [Path(group) for group in json.loads((folder / watchdog.GROUPS_FILE).read_text()).values()]
        assert groups
        assert all(group.exists() for group in groups)
        assert sleepers()
        starter.send_signal(number)
    wait_until(lambda: not folder.exists() and not watchdog.members(folder))
    assert not any(group.exists() for group in groups)
    wait_until(lambda: not sleepers())


def sleepers() -> list[str]:
    """The processes of the container above, which carry no mark of their room."""
    return subprocess.run(["pgrep", "-f", "^sleep 6543$"], capture_output=True, text=True, check=False).stdout.split()


def test_control_groups_of_both_versions_are_found() -> None:
    joined = "4:memory:/user\n2:cpu,cpuacct:/\n1:name=systemd:/\n0::/\n"
    mounts = (
        "cgroup /groups/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0\n"
        "cgroup /groups/memory cgroup rw,relatime,memory 0 0\n"
        "cgroup /groups/systemd cgroup rw,relatime,name=systemd 0 0\n"
        "cgroup2 /groups/unified cgroup2 rw,relatime 0 0\n"
        "tmpfs /run tmpfs rw 0 0\n"
    )
    assert room_init.control_groups("room", joined, mounts) == {
        "/groups/memory": "/groups/memory/user/room",
        "/groups/cpu,cpuacct": "/groups/cpu,cpuacct/room",
        "/groups/systemd": "/groups/systemd/room",
        "/groups/unified": "/groups/unified/room",
    }
