"""The manifest deployer against the API server: items per second, objects per item, and items that wait.

One kube-apiserver, whose etcd syncs every write to disk as in production, is home and target. Raw rates of the same
server are measured in the same run, in turns with ours, so that a busy machine slows both alike:

- the API server's limit for items with one ConfigMap is what a small Go program reaches over 50 connections when it
  does nothing but the writes of such items: creates of DeployItems, writes of their status, creates of ConfigMaps;
- the limit for one large item is what our own client reaches when it creates the same objects.

Run it with ``python -m benchmarks manifest``; it takes two or three minutes on two quiet cores.
``LANDFORM_BENCH_ITEMS`` says how many items wait (2,000); with fewer than 500 the other measurements are smaller too.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import time
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import uvloop
from tests.cluster.controlplane.plane import ControlPlane
from tests.deployers.library.worlds import Counting
from tests.deployers.manifest.realplaces import RealPlace, install_kinds, kubeconfig_of_plane, real_place

from benchmarks import homes, items, load
from benchmarks.figures import Report
from landform.api.conditions import ConditionType, find
from landform.api.phases import Phase
from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

    from landform.api.deployitems import DeployItem
    from landform.cluster.connections import Connection
    from landform.cluster.interface import Cluster

T = TypeVar("T")

WAITING: Final = int(os.environ.get("LANDFORM_BENCH_ITEMS", "2000"))
ITEMS: Final = min(500, WAITING)
OBJECTS: Final = min(500, WAITING)
ROUNDS: Final = 3
CONNECTIONS: Final = 50
IDLE_SECONDS: Final = 10.0
REACTIONS: Final = min(20, WAITING)
GIVEN_WRITES: Final = 2
"""Per item, by whoever plays the Execution: the item and its job."""


def main() -> None:
    report = Report()
    with ExitStack() as stack:
        program = stack.enter_context(load.generator(1_000))
        plane = stack.enter_context(ControlPlane(durable=True))
        install_kinds(plane)
        uvloop.run(_chains(report, plane, program))
        uvloop.run(_large_items(report, plane))
        uvloop.run(_waiting_items(report, plane))
    report.finish()


class Audience:
    """Sees what becomes of items, through the deployer's own cache: it costs no watch of its own."""

    def __init__(self, place: RealPlace) -> None:
        self._namespace = place.at
        self.phases: dict[str, str] = {}
        self._waiting: set[str] = set()
        self._changed = asyncio.Event()
        place.controller._place.reading.items.subscribe(self._see)

    async def until(self, is_so: Callable[[Audience], bool]) -> None:
        """Return when it is so."""
        while not is_so(self):
            self._changed.clear()
            await self._changed.wait()

    async def succeeded(self, name: str) -> None:
        """Return when an item has succeeded."""
        await self.until(lambda seen: seen.phases.get(name) == Phase.SUCCEEDED)

    def count(self, phase: Phase) -> int:
        """How many are in a phase; no item may have failed."""
        assert Phase.FAILED not in self.phases.values(), self.phases
        return sum(each == phase for each in self.phases.values())

    @property
    def waiting(self) -> int:
        """How many say what they wait for."""
        return len(self._waiting)

    def _see(self, old: DeployItem | None, new: DeployItem | None) -> None:
        if new is None or new.metadata.namespace != self._namespace:
            return
        name = new.metadata.name or ""
        self.phases[name] = new.status.phase or ""
        if find(new.status.conditions, ConditionType.WAITING) is not None:
            self._waiting.add(name)
        self._changed.set()


class Writes(NamedTuple):
    """For one item; at home the first is its creation, the others are of its status."""

    home: float
    target: float


class Raw(NamedTuple):
    """Writes per second of the load generator."""

    created: float
    status: float
    mapped: float

    def limit(self, writes: Writes) -> float:
        """Items per second if nobody did anything but their writes."""
        return 1 / (1 / self.created + (writes.home - 1) / self.status + writes.target / self.mapped)


@dataclass
class Site:
    """A place whose home and target are the same control plane."""

    place: RealPlace
    client: HttpCluster
    seen: Audience
    at_target: list[Counting] = field(default_factory=list)
    """The deployer's clients for the target."""

    def writes_per(self, count: int) -> Writes:
        """What was written for each of so many items."""
        at_target = sum(len(each.writes) for each in self.at_target)
        return Writes(GIVEN_WRITES + len(self.place.counting.writes) / count, at_target / count)


@asynccontextmanager
async def _site(plane: ControlPlane) -> AsyncIterator[Site]:
    clients: list[Counting] = []

    def connect(connection: Connection) -> Cluster:
        clients.append(Counting(HttpCluster(connection)))
        return clients[-1]

    text = kubeconfig_of_plane(plane)
    async with HttpCluster(kubeconfig.parse(text)) as home:
        made: dict[str, Any] = await home.create(NAMESPACES, {"metadata": {"generateName": "bench-"}})
        async with (
            real_place(home, at=made["metadata"]["name"], connect=connect) as place,
            await place.add_target("place", text) as client,
        ):
            yield Site(place, client, Audience(place), clients)


# One ConfigMap in each item


async def _chains(report: Report, plane: ControlPlane, program: load.Load) -> None:
    """Items with one ConfigMap each, all at once, in turns with the same writes by the load generator."""
    endpoint = homes.Endpoint(plane.url, plane.token, plane.ca, plane.kubeconfig)
    limits: list[float] = []
    rates: list[float] = []
    writes = Writes(0, 0)
    for number in range(ROUNDS):
        async with _site(plane) as site:
            raw = await asyncio.to_thread(_raw, program, endpoint, site.place, f"raw-{number}")
            names = [f"item-{each}" for each in range(ITEMS)]
            started = time.perf_counter()
            await _each(names, lambda name: site.place.create(site.place.config_map(name), name=name))
            await site.seen.until(lambda seen: seen.count(Phase.SUCCEEDED) == ITEMS)
            rates.append(ITEMS / (time.perf_counter() - started))
            writes = site.writes_per(ITEMS)
            limits.append(raw.limit(writes))
    report.figure("limit of the API server for such items", statistics.median(limits), "/s")
    report.figure("items with one ConfigMap", statistics.median(rates), "/s")
    report.figure("writes per item, target included", writes.home + writes.target)
    report.figure("of these at the target", writes.target)
    ratios = [rate / limit for rate, limit in zip(rates, limits, strict=True)]
    report.at_least("items to the limit", statistics.median(ratios), 0.4)


def _raw(program: load.Load, endpoint: homes.Endpoint, place: RealPlace, prefix: str) -> Raw:
    """What the API server takes of the writes that an item needs."""
    home = f"/apis/landscaper.gardener.cloud/v1alpha1/namespaces/{place.namespace}/deployitems"
    maps = f"/api/v1/namespaces/{place.namespace}/configmaps"
    item, config_map = program.object.with_name("item.json"), program.object.with_name("map.json")
    item.write_text(json.dumps(items.deploy_item("NAME", 1_000)))
    config_map.write_text(json.dumps(place.config_map("NAME")))
    change = {"status": {"phase": "Succeeded", "jobID": "NUMBER", "jobIDFinished": "NUMBER", "observedGeneration": 1}}
    common = ("-prefix", prefix, "-count", str(2 * ITEMS), "-connections", str(CONNECTIONS))

    def rate(collection: str, file: object, *more: str) -> float:
        return program.run(endpoint, "-collection", collection, "-object", str(file), *common, *more)["rate"]

    created, mapped = rate(home, item), rate(maps, config_map)
    status = rate(home, item, "-verb", "patch", "-subresource", "status", "-patch", json.dumps(change))
    return Raw(created, status, mapped)


# Many objects in one item


async def _large_items(report: Report, plane: ControlPlane) -> None:
    """One item with many objects, in turns with as many creates by the same client."""
    ratios, rates = [], []
    async with _site(plane) as site:
        place = site.place
        for number in range(ROUNDS):
            raw = [place.config_map(f"raw-{number}-{each}") for each in range(OBJECTS)]
            started = time.perf_counter()
            await _each(raw, lambda obj: site.client.create(CONFIG_MAPS, obj, namespace=place.namespace))
            plain = time.perf_counter() - started
            objs, name = [place.config_map(f"own-{number}-{each}") for each in range(OBJECTS)], f"large-{number}"
            started = time.perf_counter()
            await place.create(*objs, name=name)
            await site.seen.succeeded(name)
            took = time.perf_counter() - started
            ratios.append(plain / took)
            rates.append(OBJECTS / took)
    report.figure("objects of one item", statistics.median(rates), "/s")
    report.at_least(f"{OBJECTS} objects in one item to raw creates", statistics.median(ratios), 0.6)


# Items that wait


async def _waiting_items(report: Report, plane: ControlPlane) -> None:
    """Items that wait for their ConfigMap to say that it is ready."""
    async with _site(plane) as site:
        names = [f"wait-{number}" for number in range(WAITING)]
        await _each(names, lambda name: _create_waiting(site.place, name))
        await site.seen.until(lambda seen: seen.waiting == WAITING)
        report.at_most(f"memory with {WAITING} waiting items", homes.resident_mib(), 600, "MiB")
        before, started = _cpu_seconds(), time.perf_counter()
        await asyncio.sleep(IDLE_SECONDS)
        idle = (_cpu_seconds() - before) / (time.perf_counter() - started)
        report.at_most("idle CPU of one core", idle * 100, 3, "%")
        times = [await _reaction(site, name) for name in names[:REACTIONS]]
        report.figure("reaction to a change, median", statistics.median(times) * 1000, "ms")
        report.at_most(f"reaction to a change, slowest of {REACTIONS}", max(times) * 1000, 200, "ms")


async def _create_waiting(place: RealPlace, name: str) -> None:
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "namespace": place.namespace}
    check = {
        "name": "ready",
        "resourceSelector": [reference],
        "requirements": [{"jsonPath": ".data.ready", "operator": "exists"}],
    }
    await place.create(place.config_map(name), name=name, readinessChecks={"custom": [check]}, timeout="none")


async def _reaction(site: Site, name: str) -> float:
    """Seconds from a change at the target until the item says at home that it has succeeded."""
    started = time.perf_counter()
    await site.client.patch(CONFIG_MAPS, name, {"data": {"ready": "yes"}}, namespace=site.place.namespace)
    await site.seen.succeeded(name)
    return time.perf_counter() - started


async def _each(things: Iterable[T], function: Callable[[T], Awaitable[Any]]) -> None:
    left = iter(things)

    async def work() -> None:
        for thing in left:
            await function(thing)

    await asyncio.gather(*(work() for _ in range(CONNECTIONS)))


def _cpu_seconds() -> float:
    used = os.times()
    return used.user + used.system


if __name__ == "__main__":
    main()
