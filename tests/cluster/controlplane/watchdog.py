"""Cleans up after a control plane, however the process that started it ends.

Run as ``python watchdog.py FOLDER`` with a pipe as standard input that only the starter holds open: the pipe ends
when the starter closes it or dies, even by SIGKILL. Then every process that was started for FOLDER is killed and
FOLDER is removed, with the control groups that FOLDER/control-groups.json names. An orderly stop takes this same way,
so it is used on every run.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

MARK = "LANDFORM_CONTROL_PLANE"
"""Environment variable that names the folder a process belongs to; a shell that looks at the logs there has it not."""

GROUPS_FILE = "control-groups.json"
"""In the folder, if what runs there has control groups of its own: mount point of each hierarchy, and the group."""

GROUP_DEADLINE = 10.0
"""Seconds that killed processes have to leave their control groups."""


def members(folder: Path) -> list[int]:
    """Ids of the processes that were started for this folder."""
    mark = f"{MARK}={folder}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile, or is not ours to look at
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
    return found


def clean_up(folder: Path) -> None:
    """Kill the folder's processes and remove it."""
    # Killed ones have no environment any more, even while their parent has not collected them: so this ends.
    while pids := members(folder):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    _remove_control_groups(folder / GROUPS_FILE)
    shutil.rmtree(folder, ignore_errors=True)


def _remove_control_groups(listed: Path) -> None:
    """Remove the groups with all below them; those whose processes are still ending are asked again for a while."""
    groups = [Path(group) for group in json.loads(listed.read_text()).values()] if listed.exists() else []
    end = time.monotonic() + GROUP_DEADLINE
    while (left := [group for group in groups if group.exists()]) and time.monotonic() < end:
        for group in left:
            for below, _, _ in os.walk(group, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(below)
        time.sleep(0.01)


def main() -> None:
    """Wait for the starter's end, then clean up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # whoever stops the starter stops us through the pipe
    sys.stdin.buffer.read()
    clean_up(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
