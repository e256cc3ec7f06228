"""Programs as deploy items: what Landform adds to running them bare.

State is saved to and restored from a home with its file on disk, in turns with the commands ``tar cz`` and ``tar xz``
on the same folder.
"""

from __future__ import annotations

import asyncio
import filecmp
import random
import shutil
import statistics
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import uvloop

from benchmarks import homes, localruns, podruns
from benchmarks.figures import Report
from landform.deployers.programs.contract.identities import ItemId
from landform.deployers.programs.states.states import StateStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from landform.embedded.home import EmbeddedHome

ROUNDS = 3
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Load:
    """A state: so many files with so many bytes together, of which a share does not shrink."""

    name: str
    files: int
    size: int
    noise: float


STATES = (
    Load("state of 50 MB text", 500, 50 * MEGABYTE, 0),
    Load("state of 50 MB, half of it text", 500, 50 * MEGABYTE, 0.5),
    Load("state of 50 MB noise", 500, 50 * MEGABYTE, 1),
)
MANY_FILES = Load("state of 100 MB in 50000 files", 50_000, 100 * MEGABYTE, 0.5)


@dataclass(frozen=True)
class Times:
    """Seconds that the same work takes with tar and with Landform."""

    tar_pack: float
    tar_unpack: float
    save: float
    restore: float


def main() -> None:
    report = Report()
    with homes.folder() as folder:
        uvloop.run(_states(report, folder))
    localruns.measure(report)
    podruns.measure(report)
    report.finish()


async def _states(report: Report, folder: Path) -> None:
    async with homes.in_process(folder / "home") as home:
        for load in STATES:
            _judge(report, load, await _measured(home, load, folder, ROUNDS))
        _judge(report, MANY_FILES, await _measured(home, MANY_FILES, folder, 1))


def _judge(report: Report, load: Load, times: list[Times]) -> None:
    save = statistics.median(each.save / each.tar_pack for each in times)
    restore = statistics.median(each.restore / each.tar_unpack for each in times)
    report.figure(f"{load.name}: saved in", statistics.median(each.save for each in times), "s")
    report.figure(f"{load.name}: restored in", statistics.median(each.restore for each in times), "s")
    report.at_most(f"{load.name}: saved, to tar cz", save, 2, "x")
    report.at_most(f"{load.name}: restored, to tar xz", restore, 2, "x")


async def _measured(home: EmbeddedHome, load: Load, folder: Path, rounds: int) -> list[Times]:
    state = folder / "state"
    await asyncio.to_thread(_make, state, load)
    times = [await _round(home, state, folder, f"{load.name} {number}") for number in range(rounds)]
    await asyncio.to_thread(shutil.rmtree, state)
    return times


async def _round(home: EmbeddedHome, state: Path, folder: Path, uid: str) -> Times:
    archive, theirs, ours = folder / "state.tgz", folder / "theirs", folder / "ours"
    theirs.mkdir()
    ours.mkdir()
    store = StateStore(home.cluster, "default", ItemId("default", "item", uid))
    try:
        packed = await asyncio.to_thread(_seconds, lambda: _tar("czf", archive, state))
        started = time.perf_counter()
        await store.save(state, "run")
        saved = time.perf_counter()
        unpacked = await asyncio.to_thread(_seconds, lambda: _tar("xzf", archive, theirs))
        restoring = time.perf_counter()
        await store.restore(ours)
        restored = time.perf_counter()
        await asyncio.to_thread(_check_same, state, ours)
        return Times(packed, unpacked, saved - started, restored - restoring)
    finally:
        await store.remove()
        for place in (theirs, ours):
            await asyncio.to_thread(shutil.rmtree, place)


def _tar(action: str, archive: Path, folder: Path) -> None:
    what = ["."] if action.startswith("c") else []
    subprocess.run(["tar", action, archive, "-C", folder, *what], check=True)


def _seconds(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _make(folder: Path, load: Load) -> None:
    """Files of equal size in twenty folders; the text is words drawn from a few thousand."""
    chance = random.Random(9)
    words = [bytes(chance.choices(b"etaoinshrdlu", k=chance.randint(3, 9))) for _ in range(3_000)]
    size = load.size // load.files
    for number in range(load.files):
        place = folder / f"folder-{number % 20}" / f"file-{number}"
        place.parent.mkdir(parents=True, exist_ok=True)
        if number % 10 < load.noise * 10:
            place.write_bytes(chance.randbytes(size))
        else:
            place.write_bytes(b" ".join(chance.choices(words, k=size // 6 + 1))[:size])


def _check_same(one: Path, other: Path) -> None:
    compared = filecmp.dircmp(one, other)
    assert not compared.left_only
    assert not compared.right_only
    _, different, unreadable = filecmp.cmpfiles(one, other, compared.common_files, shallow=False)
    assert not different
    assert not unreadable
    for name in compared.common_dirs:
        _check_same(one / name, other / name)


if __name__ == "__main__":
    main()
