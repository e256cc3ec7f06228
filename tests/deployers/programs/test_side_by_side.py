"""Work that is done side by side is bounded, in order, and over when it says so."""

from __future__ import annotations

import asyncio
import threading

import pytest

from landform.deployers.programs.tasks import abreast, threads
from landform.testing import time


def test_results_come_in_order_and_never_too_many_work_at_once() -> None:
    working: list[int] = []
    most = 0

    async def work(number: int) -> int:
        nonlocal most
        working.append(number)
        most = max(most, len(working))
        await asyncio.sleep(10 - number)
        working.remove(number)
        return number * number

    assert time.run(abreast.each(work, range(10), most=3)) == [number * number for number in range(10)]
    assert most == 3


def test_the_first_failure_ends_the_others_and_is_raised_as_it_is() -> None:
    done: list[int] = []

    async def work(number: int) -> None:
        if number == 1:
            raise ValueError(number)
        await asyncio.sleep(1)
        done.append(number)

    with pytest.raises(ValueError, match="1"):
        time.run(abreast.each(work, range(5), most=2))
    assert done == []


def test_nothing_to_do_is_done_at_once() -> None:
    assert time.run(abreast.each(asyncio.sleep, [], most=2)) == []


async def test_who_is_cancelled_waits_until_the_thread_has_ended() -> None:
    begun, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def work() -> None:
        begun.set()
        go_on.wait(10)
        done.append("work")
        raise ValueError("nobody hears this")

    task = asyncio.create_task(threads.finish(work))
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == ["work"]


async def test_results_and_failures_of_a_thread_pass_through() -> None:
    assert await threads.finish(pow, 2, 5) == 32
    with pytest.raises(ZeroDivisionError):
        await threads.finish(divmod, 1, 0)
