"""The manager: order of starting and stopping, failures, limits, and what signals do."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.runtime.manager import Entered, Life, Manager, Part, PartEnded
from landform.testing import time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Worker:
    """A part that takes its time, and notes what it does."""

    def __init__(self, name: str, notes: list[str], *, start: float = 0.0, stop: float = 0.0) -> None:
        self._name = name
        self._notes = notes
        self._start = start
        self._stop = stop

    async def run(self, life: Life) -> None:
        self._notes.append(f"start {self._name}")
        await asyncio.sleep(self._start)
        self._notes.append(f"ready {self._name}")
        life.ready()
        await life.stopping()
        self._notes.append(f"stop {self._name}")
        try:
            await asyncio.sleep(self._stop)
        except asyncio.CancelledError:
            self._notes.append(f"cancelled {self._name}")
            raise
        self._notes.append(f"end {self._name}")


class Failing:
    """A part that fails, or just ends, some seconds after it was ready."""

    def __init__(self, after: float, error: Exception | None) -> None:
        self._after = after
        self._error = error

    async def run(self, life: Life) -> None:
        life.ready()
        await asyncio.sleep(self._after)
        if self._error is not None:
            raise self._error


def run_and_stop(manager: Manager, *times: float) -> float:
    """Run it and ask it to stop at these times; when it ended."""

    async def main() -> float:
        loop = asyncio.get_running_loop()
        for at in times:
            loop.call_at(at, manager.stop)
        await manager.run()
        return loop.time()

    return time.run(main())


def test_groups_start_in_order_and_stop_in_the_reverse() -> None:
    notes: list[str] = []
    groups: list[dict[str, Part]] = [
        {"caches": Worker("caches", notes, start=3)},
        {"controller": Worker("controller", notes, stop=2)},
    ]
    assert run_and_stop(Manager(groups), 10.0) == 12.0
    assert notes == [
        "start caches", "ready caches", "start controller", "ready controller",
        "stop controller", "end controller", "stop caches", "end caches",
    ]  # fmt: skip


def test_it_is_ready_when_all_parts_are_and_until_it_is_asked_to_stop() -> None:
    async def main() -> None:
        manager = Manager([{"one": Worker("one", [], start=5)}, {"two": Worker("two", [], start=5)}])
        running = asyncio.create_task(manager.run())
        await asyncio.sleep(6)
        assert (manager.is_ready, manager.unready()) == (False, ["two"])
        await asyncio.sleep(5)
        assert (manager.is_ready, manager.unready()) == (True, [])
        manager.stop()
        assert not manager.is_ready
        await running

    time.run(main())


def test_work_that_does_not_finish_within_the_limit_is_cancelled() -> None:
    notes: list[str] = []
    manager = Manager([{"slow": Worker("slow", notes, stop=3600)}], stop_seconds=25)
    assert run_and_stop(manager, 10.0) == 35.0
    assert notes[-1] == "cancelled slow"


def test_a_second_request_to_stop_ends_at_once() -> None:
    notes: list[str] = []
    groups: list[dict[str, Part]] = [{"one": Worker("one", notes)}, {"slow": Worker("slow", notes, stop=3600)}]
    assert run_and_stop(Manager(groups), 10.0, 12.0) == 12.0
    assert "cancelled slow" in notes


def test_a_part_that_fails_stops_the_others_and_its_error_comes_out() -> None:
    notes: list[str] = []
    groups: list[dict[str, Part]] = [{"good": Worker("good", notes)}, {"bad": Failing(7, ValueError("broken"))}]
    with pytest.raises(ValueError, match="broken"):
        run_and_stop(Manager(groups))
    assert notes[-1] == "end good"


def test_a_part_that_fails_before_it_is_ready_keeps_later_groups_from_starting() -> None:
    class Stillborn:
        async def run(self, life: Life) -> None:
            raise ValueError("cannot start")

    notes: list[str] = []
    with pytest.raises(ValueError, match="cannot start"):
        run_and_stop(Manager([{"bad": Stillborn()}, {"later": Worker("later", notes)}]))
    assert notes == []


def test_a_part_that_ends_by_itself_is_an_error() -> None:
    with pytest.raises(PartEnded, match="quitter ended by itself"):
        run_and_stop(Manager([{"quitter": Failing(7, None)}]))


def test_a_stop_before_all_is_ready_ends_what_was_started() -> None:
    notes: list[str] = []
    groups: list[dict[str, Part]] = [
        {"one": Worker("one", notes)}, {"two": Worker("two", notes, start=9)}, {"three": Worker("three", notes)},
    ]  # fmt: skip
    assert run_and_stop(Manager(groups), 1.0) == 9.0
    assert "start three" not in notes
    assert notes[-1] == "end one"


def test_a_block_is_left_when_its_part_is_stopped() -> None:
    notes: list[str] = []

    @asynccontextmanager
    async def block() -> AsyncIterator[None]:
        notes.append("in")
        yield
        notes.append("out")

    run_and_stop(Manager([{"block": Entered(block())}]), 1.0)
    assert notes == ["in", "out"]


@given(
    st.lists(st.lists(st.tuples(st.floats(0, 9), st.floats(0, 9)), min_size=1, max_size=3), min_size=1, max_size=4),
    st.floats(0, 40),
)
def test_no_group_starts_before_the_one_below_is_ready_or_stops_before_the_one_above_has_ended(
    times: list[list[tuple[float, float]]], stop_at: float
) -> None:
    notes: list[str] = []
    groups: list[dict[str, Part]] = [
        {
            f"{level}.{number}": Worker(f"{level}.{number}", notes, start=start, stop=stop)
            for number, (start, stop) in enumerate(group)
        }
        for level, group in enumerate(times)
    ]
    ended = run_and_stop(Manager(groups, stop_seconds=20), stop_at)
    assert ended <= stop_at + 20 + 1e-6
    for level in range(1, len(groups)):
        below, above = groups[level - 1], groups[level]
        started = [notes.index(f"start {name}") for name in above if f"start {name}" in notes]
        ready = [notes.index(f"ready {name}") for name in below if f"ready {name}" in notes]
        assert not started or (len(ready) == len(below) and max(ready) < min(started))
        stopped = [notes.index(f"stop {name}") for name in below if f"stop {name}" in notes]
        finished = [notes.index(f"end {name}") for name in above if f"end {name}" in notes]
        assert not stopped or not finished or max(finished) < min(stopped)


PROGRAM = """
import asyncio, sys
from landform.runtime.manager import Life, Manager, stopped_by_signals

class Stubborn:
    async def run(self, life: Life) -> None:
        life.ready()
        print("ready", flush=True)
        await life.stopping()
        print("stopping", flush=True)
        if sys.argv[1] == "stubborn":
            await asyncio.sleep(1000)

async def main() -> None:
    manager = Manager([{"part": Stubborn()}])
    with stopped_by_signals(manager):
        await manager.run()
    print("ended", flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_one_signal_ends_in_good_order_and_a_second_at_once(number: signal.Signals) -> None:
    for temper, last, code in (("obedient", "ended\n", 0), ("stubborn", "", -number)):
        command = [sys.executable, "-c", PROGRAM, temper]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            process.send_signal(number)
            assert process.stdout.readline() == "stopping\n"
            if temper == "stubborn":
                process.send_signal(number)
            assert process.stdout.readline() == last
            assert process.wait(20) == code
