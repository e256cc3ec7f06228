"""How fast virtual time passes: 50 objects and three controllers, in a calm and in stormy runs; alone on one core."""

from __future__ import annotations

import asyncio
import logging
import statistics
import time
from typing import TYPE_CHECKING

from benchmarks.figures import Report
from landform.cluster.codec import key_of
from landform.cluster.informers import Caches
from landform.cluster.resources import CONFIG_MAPS
from landform.runtime.controllers import Controller
from landform.runtime.intents import Hands, Intent, Patch
from landform.runtime.manager import Entered, Manager
from landform.runtime.metrics import Metrics
from landform.runtime.recorders import Recorder
from landform.runtime.shards import Shards
from landform.testing import simulation
from landform.testing.simulation import Scenario, invariants

if TYPE_CHECKING:
    from landform.cluster.informers import Informer
    from landform.cluster.resources import ObjectKey, Unstructured
    from landform.runtime.errors import Terminal
    from landform.testing.simulation import Process, World

OBJECTS = 50
CONTROLLERS = ("a", "b", "c")
STORMY_SEEDS = range(1, 11)
TARGET = 200.0


class Copier:
    """Copies `data.wanted` to `data.have`."""

    def __init__(self, informer: Informer[Unstructured]) -> None:
        self._informer = informer

    def observe(self, key: ObjectKey) -> Unstructured | None:
        return self._informer.get(key)

    def decide(self, snapshot: Unstructured) -> list[Intent]:
        data = snapshot.get("data") or {}
        return [Patch(CONFIG_MAPS, snapshot, {"data": {"have": data["wanted"]}})] if "wanted" in data else []

    def mark(self, snapshot: Unstructured, error: Terminal) -> list[Intent]:
        raise error


async def controller(process: Process) -> None:
    """One of three replicas that divide the objects among them."""
    cluster, surroundings = process.cluster, process.surroundings
    caches = Caches(cluster, surroundings=surroundings)
    informer = caches.informer(CONFIG_MAPS, namespace="default")
    recorder = Recorder(cluster, "copier", surroundings=surroundings)
    shards = Shards(cluster, "copier", namespace="default", holder=process.name, surroundings=surroundings)
    hands = Hands(cluster, recorder, (informer,), shards, surroundings)
    copier = Controller("copier", Copier(informer), hands, metrics=Metrics())
    copier.follow(informer, lambda obj: [key_of(obj)])
    shards.join(copier)
    await Manager([{"caches": Entered(caches), "recorder": recorder, "shards": shards}, {"copier": copier}]).run()


async def change_all(world: World) -> None:
    """Each object is changed a few times."""
    for number in range(OBJECTS):
        obj = {"metadata": {"name": f"c{number}"}, "data": {"wanted": "0"}}
        await world.cluster.create(CONFIG_MAPS, obj, namespace="default")
    for value in "123":
        for number in range(OBJECTS):
            await asyncio.sleep(world.chance.uniform(0.0, 0.3))
            await world.cluster.patch(CONFIG_MAPS, f"c{number}", {"data": {"wanted": value}}, namespace="default")


def is_copied(obj: Unstructured) -> bool:
    data = obj.get("data") or {}
    return data.get("wanted") == data.get("have")


SCENARIO = Scenario(
    name="copiers",
    processes=dict.fromkeys(CONTROLLERS, controller),
    workload=change_all,
    always=(invariants.no_lost_updates(CONFIG_MAPS),),
    eventually=(
        invariants.everything_converges(CONFIG_MAPS, is_copied, at_least=OBJECTS),
        invariants.no_writes_after_convergence(),
    ),
)


def main() -> None:
    logging.disable(logging.CRITICAL)
    report = Report()
    simulation.run(SCENARIO, 0)
    calm = statistics.median([_speed(0) for _ in range(3)])
    report.at_least("virtual seconds per second, nothing goes wrong", calm, TARGET, "s/s")
    stormy = statistics.median([_speed(seed) for seed in STORMY_SEEDS])
    report.at_least("virtual seconds per second, median of ten seeds", stormy, TARGET, "s/s")
    report.finish()


def _speed(seed: int) -> float:
    """Virtual seconds per second of this core's time."""
    started = time.process_time()
    result = simulation.run(SCENARIO, seed)
    took = time.process_time() - started
    assert not result.violations, result.violations
    return result.seconds / took


if __name__ == "__main__":
    main()
