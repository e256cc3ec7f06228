"""Virtual time: hours pass at once, in order, and stand still while threads work."""

from __future__ import annotations

import asyncio
import time as real_time

import pytest

from landform.testing import time


def test_a_day_passes_at_once() -> None:
    async def scenario() -> float:
        await asyncio.sleep(86_400)
        return asyncio.get_running_loop().time()

    started = real_time.monotonic()
    assert time.run(scenario()) == 86_400
    assert real_time.monotonic() - started < 10


def test_sleepers_wake_in_the_order_of_their_times() -> None:
    async def scenario() -> list[int]:
        woken: list[int] = []

        async def sleep(seconds: int) -> None:
            await asyncio.sleep(seconds)
            woken.append(seconds)

        await asyncio.gather(*map(sleep, (30, 10, 20)))
        return woken

    assert time.run(scenario()) == [10, 20, 30]


def test_a_timeout_ends_what_takes_too_long() -> None:
    async def scenario() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await asyncio.Event().wait()
        return asyncio.get_running_loop().time()

    assert time.run(scenario()) == 5


def test_waiting_for_what_nobody_does_is_an_error_and_no_hang() -> None:
    async def scenario() -> None:
        await asyncio.Event().wait()

    with pytest.raises(time.Deadlock):
        time.run(scenario())


def test_time_stands_still_while_a_thread_works() -> None:
    async def scenario() -> float:
        sleeper = asyncio.create_task(asyncio.sleep(1000))
        await asyncio.to_thread(sum, range(100_000))
        seen = asyncio.get_running_loop().time()
        sleeper.cancel()
        return seen

    assert time.run(scenario()) == 0


def test_a_skewed_clock_shows_another_time_but_measures_the_same() -> None:
    async def scenario() -> None:
        right, wrong = time.VirtualClock(), time.VirtualClock(skew=90)
        await wrong.sleep(1)
        assert (wrong.now() - right.now()).total_seconds() == 90
        assert right.monotonic() == wrong.monotonic() == 1

    time.run(scenario())
