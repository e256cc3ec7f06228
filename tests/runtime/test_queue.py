"""The queue: one job per key, nothing lost, delays that grow and are forgotten; in virtual time."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from landform.cluster.resources import ObjectKey
from landform.cluster.retries import Backoff
from landform.kit.surroundings import Surroundings
from landform.runtime.queue import Queue
from landform.runtime.schedules import Priority
from landform.testing import time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

KEY = ObjectKey("default", "one")
KEYS = st.builds(ObjectKey, st.sampled_from("ab"), st.sampled_from("xy"))


def in_virtual_time(scenario: Callable[[Queue], Awaitable[None]], seed: int = 0) -> None:
    """Run a scenario with a queue of its own."""

    async def main() -> None:
        surroundings = Surroundings(clock=time.VirtualClock(), random=random.Random(seed))
        queue = Queue(surroundings=surroundings, backoff=Backoff(first=1.0, longest=60.0))
        await scenario(queue)
        queue.close()

    time.run(main())


def now() -> float:
    return asyncio.get_running_loop().time()


def test_a_key_added_twice_runs_once() -> None:
    async def scenario(queue: Queue) -> None:
        queue.add(KEY)
        queue.add(KEY)
        queue.finish(await queue.take())
        assert queue.take_nowait() is None

    in_virtual_time(scenario)


def test_a_key_added_while_it_runs_runs_again_and_not_beside_itself() -> None:
    async def scenario(queue: Queue) -> None:
        queue.add(KEY)
        job = await queue.take()
        queue.add(KEY, priority=Priority.PERSON)
        assert queue.take_nowait() is None
        queue.finish(job)
        assert (await queue.take()).priority is Priority.PERSON

    in_virtual_time(scenario)


def test_a_delayed_key_wakes_the_one_who_waits_for_it_exactly_in_time() -> None:
    async def scenario(queue: Queue) -> None:
        queue.add(KEY, after=30)
        job = await queue.take()
        assert (job.key, job.waited, now()) == (KEY, 0.0, 30.0)

    in_virtual_time(scenario)


def test_an_earlier_key_wakes_the_one_who_waits_for_a_later_one() -> None:
    async def scenario(queue: Queue) -> None:
        queue.add(ObjectKey("n", "late"), after=30)
        taking = asyncio.create_task(queue.take())
        await asyncio.sleep(1)
        queue.add(ObjectKey("n", "early"), after=4)
        assert (await taking).key.name == "early"
        assert now() == 5.0

    in_virtual_time(scenario)


def test_delays_grow_with_each_failure_and_are_forgotten_on_success() -> None:
    async def scenario(queue: Queue) -> None:
        queue.add(KEY)
        delays = [queue.back_off(await queue.take()) for _ in range(9)]
        bounds = [min(60.0, 2.0**tries) for tries in range(9)]
        assert all(bound / 2 <= delay <= bound for delay, bound in zip(delays, bounds, strict=True))
        queue.finish(await queue.take())
        assert queue.failures(KEY) == 0
        queue.add(KEY)
        assert queue.back_off(await queue.take()) <= 1.0

    in_virtual_time(scenario)


def test_two_keys_that_fail_together_come_back_at_different_times() -> None:
    async def scenario(queue: Queue) -> None:
        queue.add(ObjectKey("n", "a"))
        queue.add(ObjectKey("n", "b"))
        jobs = [await queue.take(), await queue.take()]
        assert len({queue.back_off(job) for job in jobs}) == 2

    in_virtual_time(scenario)


def test_a_cluster_that_asks_for_patience_is_given_it() -> None:
    async def scenario(queue: Queue) -> None:
        queue.add(KEY)
        assert queue.back_off(await queue.take(), at_least=20.0) == 20.0
        await queue.take()
        assert now() == 20.0

    in_virtual_time(scenario)


def test_a_change_during_back_off_is_looked_at_at_once() -> None:
    async def scenario(queue: Queue) -> None:
        queue.add(KEY)
        queue.back_off(await queue.take(), at_least=100.0)
        queue.add(KEY)
        await queue.take()
        assert now() == 0.0
        assert queue.failures(KEY) == 1

    in_virtual_time(scenario)


@given(
    st.lists(st.tuples(KEYS, st.sampled_from(Priority), st.sampled_from([0.0, 0.5, 3.0]), st.sampled_from([0.0, 1.0]))),
    st.integers(0, 2**16),
)
def test_no_key_is_lost_or_run_beside_itself(adds: list[tuple[ObjectKey, Priority, float, float]], seed: int) -> None:
    chance = random.Random(seed)
    wanted: dict[ObjectKey, float] = {}
    started: dict[ObjectKey, float] = {}
    busy: set[ObjectKey] = set()

    async def work(queue: Queue) -> None:
        while True:
            job = await queue.take()
            assert job.key not in busy
            busy.add(job.key)
            started[job.key] = now()
            await asyncio.sleep(chance.choice([0.0, 0.1, 2.0]))
            busy.remove(job.key)
            if chance.random() < 0.3:
                queue.back_off(job)
            else:
                queue.finish(job)

    async def scenario(queue: Queue) -> None:
        workers = [asyncio.create_task(work(queue)) for _ in range(3)]
        for key, priority, after, pause in adds:
            queue.add(key, priority=priority, after=after)
            wanted[key] = now()
            await asyncio.sleep(pause)
        await asyncio.sleep(1000)
        assert all(started[key] >= at for key, at in wanted.items())
        assert len(queue) == 0
        assert not queue.running
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)

    in_virtual_time(scenario, seed)
