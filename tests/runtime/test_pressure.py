"""Whether a process is behind with its work."""

from __future__ import annotations

from landform.cluster.resources import ObjectKey
from landform.runtime.pressure import MANY, Pressure
from landform.runtime.queue import Queue
from landform.testing import time


def test_keys_that_wait_and_keys_that_run_make_the_pressure() -> None:
    async def scenario() -> None:
        pressure, queue = Pressure(), Queue()
        pressure.follow(Queue())
        pressure.follow(queue)
        for number in range(MANY):
            assert not pressure.is_high
            queue.add(ObjectKey("default", str(number)))
        assert pressure.is_high
        jobs = [queue.take_nowait() for _ in range(MANY)]
        assert pressure.is_high
        for job in jobs:
            assert job is not None
            queue.finish(job)
        assert not pressure.is_high

    time.run(scenario())


def test_keys_whose_time_has_not_come_make_none() -> None:
    async def scenario() -> None:
        pressure, queue = Pressure(), Queue()
        pressure.follow(queue)
        for number in range(MANY):
            queue.add(ObjectKey("default", str(number)), after=60)
        assert not pressure.is_high
        queue.close()

    time.run(scenario())
