"""How fast virtual time passes while 50 objects go through three controllers, each a process; alone on one core."""

from __future__ import annotations

import asyncio
import itertools
import logging
import statistics
import time
from typing import TYPE_CHECKING

from benchmarks.figures import Report
from landform.cluster.codec import key_of
from landform.cluster.informers import Caches
from landform.cluster.resources import CONFIG_MAPS
from landform.runtime.controllers import Controller
from landform.runtime.intents import Hands, Intent, NoFence, Patch
from landform.runtime.manager import Entered, Manager
from landform.runtime.metrics import Metrics
from landform.runtime.recorders import Recorder
from landform.runtime.shards import Shards
from landform.testing import simulation
from landform.testing.simulation import Scenario, invariants

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.cluster.informers import Informer
    from landform.cluster.resources import ObjectKey, Unstructured
    from landform.runtime.errors import Terminal
    from landform.runtime.manager import Part
    from landform.testing.simulation import Process, World
    from landform.testing.simulation.processes import Program

OBJECTS = 50
STAGES = ("wanted", "first", "second", "third")
"""Fields of the objects: each controller copies one to the next."""

STORMY_SEEDS = range(1, 11)
TARGET = 200.0


class Copier:
    """Copies one field of ConfigMaps to another."""

    def __init__(self, informer: Informer[Unstructured], source: str, destination: str) -> None:
        self._informer = informer
        self._source = source
        self._destination = destination

    def observe(self, key: ObjectKey) -> Unstructured | None:
        return self._informer.get(key)

    def decide(self, snapshot: Unstructured) -> list[Intent]:
        data = snapshot.get("data") or {}
        if self._source not in data:
            return []
        return [Patch(CONFIG_MAPS, snapshot, {"data": {self._destination: data[self._source]}})]

    def mark(self, snapshot: Unstructured, error: Terminal) -> list[Intent]:
        raise error


def copier(source: str, destination: str, *, group: str = "") -> Program:
    """The program of a controller; with a group, one of several replicas that divide the objects among them."""

    async def main(process: Process) -> None:
        cluster, surroundings = process.cluster, process.surroundings
        caches = Caches(cluster, surroundings=surroundings)
        informer = caches.informer(CONFIG_MAPS, namespace="default")
        recorder = Recorder(cluster, "copier", surroundings=surroundings)
        shards = Shards(cluster, group, namespace="default", holder=process.name, surroundings=surroundings)
        fence = shards if group else NoFence()
        hands = Hands(cluster, recorder, (informer,), fence, surroundings)
        controller = Controller("copier", Copier(informer, source, destination), hands, metrics=Metrics())
        controller.follow(informer, lambda obj: [key_of(obj)])
        parts: dict[str, Part] = {"caches": Entered(caches), "recorder": recorder}
        if group:
            shards.join(controller)
            parts["shards"] = shards
        await Manager([parts, {"controller": controller}]).run()

    return main


async def create_all(world: World) -> None:
    """The objects come one after the other, for most of the storm."""
    for number in range(OBJECTS):
        obj = {"metadata": {"name": f"c{number}"}, "data": {"wanted": "0"}}
        await world.cluster.create(CONFIG_MAPS, obj, namespace="default")
        await asyncio.sleep(world.chance.uniform(0.0, 1.0))


def scenario(name: str, processes: Mapping[str, Program], last: str) -> Scenario:
    """What is measured."""
    return Scenario(
        name=name,
        processes=processes,
        workload=create_all,
        always=(invariants.no_lost_updates(CONFIG_MAPS),),
        eventually=(
            invariants.everything_converges(CONFIG_MAPS, lambda obj: is_copied(obj, last), at_least=OBJECTS),
            invariants.no_writes_after_convergence(),
        ),
    )


def is_copied(obj: Unstructured, last: str) -> bool:
    data = obj.get("data") or {}
    return data.get("wanted") == data.get(last)


CHAIN = scenario("chain", {new: copier(old, new) for old, new in itertools.pairwise(STAGES)}, STAGES[-1])
REPLICAS = scenario("replicas", dict.fromkeys("abc", copier("wanted", "first", group="copiers")), "first")


def main() -> None:
    logging.disable(logging.CRITICAL)
    report = Report()
    simulation.run(CHAIN, 0)
    calm = statistics.median([_speed(CHAIN, 0) for _ in range(3)])
    report.at_least("virtual seconds per second, nothing goes wrong", calm, TARGET, "s/s")
    stormy = statistics.median([_speed(CHAIN, seed) for seed in STORMY_SEEDS])
    report.at_least("virtual seconds per second, median of ten seeds", stormy, TARGET, "s/s")
    replicas = statistics.median([_speed(REPLICAS, seed) for seed in STORMY_SEEDS])
    report.figure("the same with three replicas that keep leases", replicas, "s/s")
    report.finish()


def _speed(scenario: Scenario, seed: int) -> float:
    """Virtual seconds per second of this core's time."""
    started = time.process_time()
    result = simulation.run(scenario, seed)
    took = time.process_time() - started
    assert not result.violations, result.violations
    return result.seconds / took


if __name__ == "__main__":
    main()
