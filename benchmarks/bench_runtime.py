"""What the runtime itself costs: empty reconciles per second, and the memory of idle keys; alone on one core."""

from __future__ import annotations

import asyncio
import statistics
import time

import uvloop

from benchmarks import homes
from benchmarks.figures import Report
from landform.cluster.resources import ObjectKey
from landform.runtime.controllers import Controller
from landform.runtime.intents import Hands, Intent
from landform.runtime.manager import Life
from landform.runtime.metrics import Metrics
from landform.runtime.queue import Queue
from landform.runtime.recorders import Recorder
from landform.testing.homes import in_process

KEYS = 10_000
ROUNDS = 5
IDLE_KEYS = 100_000
TARGET_PER_SECOND = 20_000.0
TARGET_MIB = 150.0


class Empty:
    """Reconciles without doing anything, and tells when all keys were seen."""

    def __init__(self) -> None:
        self.left = 0
        self.complete = asyncio.Event()

    def observe(self, key: ObjectKey) -> ObjectKey:
        return key

    def decide(self, snapshot: ObjectKey) -> list[Intent]:
        self.left -= 1
        if self.left == 0:
            self.complete.set()
        return []

    def mark(self, snapshot: ObjectKey, error: Exception) -> list[Intent]:
        raise error


def main() -> None:
    report = Report()
    uvloop.run(_measure_memory(report))
    uvloop.run(_measure_speed(report))
    report.finish()


async def _measure_memory(report: Report) -> None:
    before = homes.resident_mib()
    queue = Queue()
    for number in range(IDLE_KEYS):
        queue.add(ObjectKey(f"namespace-{number % 100}", f"item-{number}"), after=3600.0 + number)
    resident = homes.resident_mib()
    report.figure("added by 100,000 delayed keys", resident - before, "MiB")
    report.at_most("resident with 100,000 delayed keys", resident, TARGET_MIB, "MiB")
    queue.close()


async def _measure_speed(report: Report) -> None:
    async with in_process() as cluster:
        empty = Empty()
        controller = Controller("empty", empty, Hands(cluster, Recorder(cluster, "bench")), metrics=Metrics())
        life = Life()
        running = asyncio.create_task(controller.run(life))
        keys = [ObjectKey(f"namespace-{number % 100}", f"item-{number}") for number in range(KEYS)]
        usual = statistics.median([await _round(controller, empty, keys) for _ in range(ROUNDS)])
        report.at_least("empty reconciles of 10,000 keys, median of five rounds", usual, TARGET_PER_SECOND, "/s")
        life.stop()
        await running


async def _round(controller: Controller[ObjectKey], empty: Empty, keys: list[ObjectKey]) -> float:
    """Reconciles per second of this core's time, adding included."""
    empty.left = len(keys)
    empty.complete.clear()
    started = time.process_time()
    for key in keys:
        controller.add(key)
    await empty.complete.wait()
    return len(keys) / (time.process_time() - started)


if __name__ == "__main__":
    main()
