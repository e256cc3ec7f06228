"""A process that crashes leaves everything as it is; one that freezes goes on as if no time had passed."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import pytest
from tests.simulation import worlds

from landform.testing.simulation.faults import Kind

if TYPE_CHECKING:
    from landform.testing.simulation.processes import Process
    from landform.testing.simulation.scenarios import World


async def cleans_up(process: Process) -> None:
    """Says that it lives, and wants to say so when it does not any more."""
    try:
        await worlds.create(process.cluster, f"life-{process.life}")
        await worlds.create(process.cluster, f"second-{process.life}")
        await asyncio.Event().wait()
    finally:
        await worlds.create(process.cluster, "cleaned-up")


def test_nothing_that_cleans_up_reaches_the_cluster_after_a_crash() -> None:
    result = worlds.run(cleans_up, {"a/create/configmaps/default/life-1/1": Kind.CRASH_AFTER})
    assert worlds.data(result, "life-1") is not None
    assert worlds.data(result, "second-1") is None
    assert worlds.data(result, "life-2") is not None
    assert worlds.data(result, "second-2") is not None
    assert worlds.data(result, "cleaned-up") is None


def test_a_crash_before_a_write_keeps_it_from_happening() -> None:
    result = worlds.run(cleans_up, {"a/create/configmaps/default/life-1/1": Kind.CRASH_BEFORE})
    assert worlds.data(result, "life-1") is None
    assert worlds.data(result, "life-2") is not None


def test_no_line_of_a_program_runs_between_its_crash_and_the_end() -> None:
    seen: list[tuple[int, float]] = []

    async def ticks(process: Process) -> None:
        while True:
            seen.append((process.life, asyncio.get_running_loop().time()))
            await asyncio.sleep(0.1)

    result = worlds.run(ticks, {"a/crash/1": Kind.CRASH})
    [crash] = [entry.at for entry in result.history.entries if str(entry).startswith("crashes")]
    assert max(moment for life, moment in seen if life == 1) <= crash
    assert min(moment for life, moment in seen if life == 2) > crash


def test_a_crashed_process_does_not_clean_up_when_memory_is_reclaimed() -> None:
    cleaned: list[float] = []

    async def waits_for_nobody(process: Process) -> None:
        try:
            await worlds.create(process.cluster, f"life-{process.life}")
        finally:
            cleaned.append(asyncio.get_running_loop().time())
        await asyncio.Event().wait()

    async def reclaims(world: World) -> None:
        await asyncio.sleep(5.0)
        cleaned.clear()
        gc.collect()
        assert not cleaned

    result = worlds.run(
        waits_for_nobody, {"a/create/configmaps/default/life-1/1": Kind.CRASH_BEFORE}, workload=reclaims
    )
    assert not result.violations


def test_each_life_has_ids_and_chance_of_its_own_and_the_same_clock() -> None:
    drawn: list[tuple[str, float]] = []

    async def draws(process: Process) -> None:
        drawn.append((process.surroundings.ids.uid(), process.surroundings.random.random()))
        await asyncio.Event().wait()

    worlds.run(draws, {"a/crash/1": Kind.CRASH})
    worlds.run(draws, {"a/crash/1": Kind.CRASH})
    assert len(drawn) == 4
    assert drawn[:2] == drawn[2:]
    assert drawn[0] != drawn[1]


def test_a_frozen_process_does_nothing_and_then_finds_that_time_has_passed() -> None:
    gaps: list[float] = []

    async def ticks(process: Process) -> None:
        last = process.surroundings.clock.monotonic()
        while True:
            await asyncio.sleep(0.1)
            now = process.surroundings.clock.monotonic()
            gaps.append(now - last)
            last = now

    result = worlds.run(ticks, {"a/freeze/1": Kind.FREEZE})
    froze, went_on = (entry.at for entry in result.history.entries if str(entry).startswith(("freezes", "goes on")))
    assert went_on - froze > 0.5
    assert max(gaps) == pytest.approx(went_on - froze, abs=0.11)
    assert sorted(gaps)[-2] == pytest.approx(0.1)


def test_what_a_frozen_process_has_sent_arrives() -> None:
    async def sends(process: Process) -> None:
        for number in range(100):
            await worlds.create(process.cluster, f"c{number}")
            await asyncio.sleep(0.1)
        await asyncio.Event().wait()

    result = worlds.run(sends, {"a/freeze/1": Kind.FREEZE})
    assert worlds.data(result, "c99") is not None
    assert worlds.notes(result)[0] == "starts"


def test_a_life_is_not_held_by_the_freeze_of_the_one_before() -> None:
    moments: list[float] = []

    async def ticks(process: Process) -> None:
        while True:
            moments.append(asyncio.get_running_loop().time())
            await asyncio.sleep(0.1)

    async def freezes_crashes_and_freezes(world: World) -> None:
        victim = world.processes["a"]
        victim.freeze(15.0)
        victim.crash("frozen")
        await asyncio.sleep(2.0)
        victim.freeze(3.0)

    worlds.run(ticks, workload=freezes_crashes_and_freezes)
    assert len([moment for moment in moments if 5.2 < moment < 15.0]) > 90
    assert not [moment for moment in moments if 2.2 < moment < 4.8]


def test_a_timeout_that_is_not_needed_any_more_does_not_strike_after_a_freeze() -> None:
    outcomes: list[str] = []

    async def hurries(process: Process) -> None:
        while True:
            try:
                async with asyncio.timeout(1.0):
                    await asyncio.sleep(0.3)
                outcomes.append("in time")
            except TimeoutError:
                outcomes.append("late")

    worlds.run(hurries, {"a/freeze/1": Kind.FREEZE})
    assert outcomes.count("late") <= 1


def test_a_process_that_ends_by_itself_is_started_again() -> None:
    async def fails(process: Process) -> None:
        await asyncio.sleep(5.0)
        raise RuntimeError("out of luck")

    told = worlds.notes(worlds.run(fails))
    assert told[:3] == ["starts", "ends by itself: RuntimeError('out of luck')", "starts again"]


def test_a_process_that_never_waits_is_told_and_does_not_hang_the_run() -> None:
    async def spins(process: Process) -> None:
        while True:
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                continue

    result = worlds.run(spins)
    assert result.violations[0].text == "a works on and on while no time passes"


def test_what_would_run_in_a_thread_runs_at_once() -> None:
    async def computes(process: Process) -> None:
        total = await asyncio.to_thread(sum, range(10))
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(divmod, 1, 0)
        await worlds.create(process.cluster, f"total-{total}")
        await asyncio.Event().wait()

    assert worlds.data(worlds.run(computes), "total-45") is not None
