"""The first process of a room: makes the room around itself, then collects orphans until it is killed.

Run as ``python room_init.py enter FOLDER PACKAGES``: joins the room's control groups, starts new namespaces, and runs
itself again as ``init`` in them. Prints its process id outside the room when everything is in place. Killing it ends
every process of the room, and with the last one all its mounts and network interfaces are gone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

GROUPS_FILE = "control-groups.json"
"""In the room's folder: its control groups, which only the watchdog can remove when all its processes have ended."""

MEMORY = "memory"
"""In the room's folder, seen inside only: for many files that go with the room, without the disk's time for it."""

NAMESPACES = ("--mount", "--pid", "--net", "--ipc", "--uts", "--cgroup")

KERNEL_SETTINGS = ("/proc/sys/kernel", "/proc/sys/vm", "/proc/sys/fs")
"""Settings of the one kernel that the room shares with the machine, which a kubelet would change; read only inside."""

WANTED_SETTINGS = {
    "/proc/sys/vm/overcommit_memory": "1",
    "/proc/sys/vm/panic_on_oom": "0",
    "/proc/sys/kernel/panic": "10",
    "/proc/sys/kernel/panic_on_oops": "1",
    "/proc/sys/kernel/keys/root_maxkeys": "1000000",
    "/proc/sys/kernel/keys/root_maxbytes": "25000000",
}
"""Without these a kubelet does not start. It is shown them, whatever the kernel's own are."""

_COPIED = ("cpuset.cpus", "cpuset.mems")
"""What a new group of the first version of control groups has empty, and must have before a process can join."""


def control_groups(room: str, joined: str, mounts: str) -> dict[str, str]:
    """Mount point of each hierarchy of control groups, and the room's own group in it, below the caller's group.

    `joined` is what /proc/self/cgroup says, `mounts` what /proc/self/mounts says.
    """
    places = [line.split()[1:4] for line in mounts.splitlines()]
    found = {}
    for line in joined.splitlines():
        _, controllers, path = line.split(":", 2)
        for place, kind, options in places:
            older = kind == "cgroup" and controllers and set(controllers.split(",")) <= set(options.split(","))
            newer = kind == "cgroup2" and not controllers
            if older or newer:
                found[place] = str(Path(place) / path.lstrip("/") / room)
                break
    return found


def enter(folder: Path, packages: Path) -> None:
    """Join the room's control groups and become its first process."""
    groups = control_groups(folder.name, Path("/proc/self/cgroup").read_text(), Path("/proc/self/mounts").read_text())
    (folder / GROUPS_FILE).write_text(json.dumps(groups))  # before they exist, so that they are removed in any case
    for group in map(Path, groups.values()):
        group.mkdir()
        for name in _COPIED:
            if (group / name).exists():
                (group / name).write_text((group.parent / name).read_text())
        (group / "cgroup.procs").write_text(str(os.getpid()))
    again = [sys.executable, __file__, "init", str(folder), str(packages)]
    os.execvp("unshare", ["unshare", *NAMESPACES, "--fork", "--kill-child", *again])


def init(folder: Path, packages: Path) -> None:
    """Mount what the room has of its own, say so, and stay."""
    outside = Path("/proc/self").readlink()  # /proc is still the machine's
    for place, group in json.loads((folder / GROUPS_FILE).read_text()).items():
        _mount("--bind", group, place)
    for top in ("etc", "usr", "var"):
        _cover(top, folder / "room" / top, packages / top)
    (folder / MEMORY).mkdir()
    for place in (str(folder / MEMORY), "/dev/shm", "/run"):
        _mount("-t", "tmpfs", "tmpfs", place)
    _mount("-t", "proc", "proc", "/proc")
    for settings in KERNEL_SETTINGS:
        _mount("--bind", settings, settings)
        _mount("-o", "remount,bind,ro", settings)
    for number, (setting, value) in enumerate(WANTED_SETTINGS.items()):
        shown = folder / f"setting-{number}"
        shown.write_text(f"{value}\n")
        _mount("--bind", str(shown), setting)
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel itself then collects whoever loses its parent
    print(outside, flush=True)
    while True:
        signal.pause()


def _cover(top: str, place: Path, packages: Path) -> None:
    """Lay the packages' files over the machine's; what is written goes to `place`."""
    lower = f"{packages}:/{top}" if packages.exists() else f"/{top}"
    for name in ("upper", "work"):
        (place / name).mkdir(parents=True)
    options = f"lowerdir={lower},upperdir={place}/upper,workdir={place}/work"
    _mount("-t", "overlay", "overlay", "-o", options, f"/{top}")


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


if __name__ == "__main__":
    {"enter": enter, "init": init}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
