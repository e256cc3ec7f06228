"""Programs outlive the deployer that started them, and none is started twice."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from tests.deployers.programs import folder_worlds
from tests.deployers.programs.folder_worlds import a_run, until

from landform.deployers.programs.contract.outcomes import End
from landform.deployers.programs.processes.launcher import ProcessLauncher
from landform.deployers.programs.processes.settings import ProcessSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.deployers.programs.folder_worlds import World

COUNTED = """
echo ran >> ../../count
echo begun
while [ ! -e ../../go ]; do sleep 0.01; done
echo '{"a": 1}' > "$EXPORTS_PATH"
"""
"""Counts how often it runs, and ends when it may."""


@asynccontextmanager
async def a_deployer(place: World, step: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Another process that begins the run, says when it is at a step, and stays there until it is killed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.deployers.programs.processes.doomed", str(place.root), step),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(COUNTED.encode())
    process.stdin.close()
    try:
        assert await process.stdout.readline() == b"there\n"
        yield process
    finally:
        process.kill()
        await process.wait()


@pytest.fixture
async def place() -> AsyncIterator[World]:
    async with folder_worlds.world(lambda: ProcessLauncher(drops=False)) as world:
        yield world


async def test_a_killed_deployer_leaves_the_program_running_and_the_next_has_its_result(place: World) -> None:
    run = a_run()
    async with a_deployer(place, "running"):
        pass  # killed here, with -9
    assert await place.sandbox.has(run)
    await place.begin(run, COUNTED)
    output = place.sandbox.output(run)
    assert await anext(output) == b"begun\n"
    _go(place)
    result = await place.finished(run)
    assert result.exports == b'{"a": 1}\n'
    assert [piece async for piece in output] == []
    assert _count(place) == 1


async def test_what_a_killed_deployer_staged_by_half_is_begun_anew(place: World) -> None:
    run = a_run()
    async with a_deployer(place, "staging"):
        assert not await place.sandbox.has(run)
    assert list(await place.sandbox.runs()) == []
    await place.begin(run, COUNTED)
    _go(place)
    assert (await place.finished(run)).outcome.succeeded
    assert _count(place) == 1
    assert [path for path in place.root.iterdir() if path.is_dir()] == [place.folder(run)]


async def test_what_a_killed_deployer_collected_by_half_is_collected_again(place: World) -> None:
    run = a_run()
    _go(place)
    async with a_deployer(place, "collecting"):
        pass
    assert (await place.finished(run)).exports == b'{"a": 1}\n'
    assert _count(place) == 1


async def test_a_program_whose_keeper_was_killed_is_lost_and_not_started_again(place: World) -> None:
    run = a_run()
    await place.begin(run, "echo $PPID; sleep 1000")
    keeper = int(await anext(place.sandbox.output(run)))
    os.kill(keeper, signal.SIGKILL)
    result = await place.finished(run)
    assert result.outcome.end is End.LOST
    assert "it was killed, or the machine was restarted" in result.outcome.message
    assert await place.sandbox.has(run)
    await place.begin(run, "echo again")
    assert await place.finished(run) == result


async def test_a_dead_nursery_is_replaced(place: World) -> None:
    run = a_run()
    await place.begin(run, "read line < /proc/$PPID/stat; echo $line")
    await place.finished(run)
    nursery = int((await place.printed(run)).split()[3])
    os.kill(nursery, signal.SIGKILL)
    assert (await place.result("exit 0", a_run("job-2")))[0].outcome.succeeded


async def test_the_next_deployer_counts_what_runs_already() -> None:
    async with folder_worlds.world(lambda: ProcessLauncher(ProcessSettings(slots=1), drops=False)) as place:
        await place.begin(a_run(), COUNTED)
        await until(lambda: _count(place) == 1)
        await place.restart()
        await place.begin(a_run("job-2"), COUNTED)
        assert not (place.folder(a_run("job-2")) / "started").exists()
        _go(place)
        assert (await place.finished(a_run())).outcome.succeeded
        assert (await place.finished(a_run("job-2"))).outcome.succeeded


def _go(place: World) -> None:
    place.root.mkdir(exist_ok=True)
    (place.root / "go").touch()


def _count(place: World) -> int:
    counted = place.root / "count"
    return counted.read_text().count("ran") if counted.exists() else 0
