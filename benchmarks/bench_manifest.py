"""The manifest deployer against the API server it writes to: items per second, objects per item, and items that wait.

The target is a real control plane. Raw rates are measured with the same client in turns with ours, so that a busy
machine slows both alike; the API server's own limit is that of a small Go program.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import uvloop
from tests.cluster.controlplane.plane import ControlPlane
from tests.deployers.manifest.realplaces import RealPlace, kubeconfig_of_plane, real_place

from benchmarks import homes, load
from benchmarks.figures import Report
from landform.api.phases import Phase
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import CONFIG_MAPS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence

    from landform.api.deployitems import DeployItem
    from landform.cluster.http import HttpCluster

T = TypeVar("T")

ITEMS = 500
OBJECTS = 500
WAITING = 2_000
ROUNDS = 3
CONNECTIONS = 50
IDLE_SECONDS = 10.0
GIVEN_WRITES = 3
"""Per item, besides what the deployer writes at home: the item and its job, and the ConfigMap at the target."""


def main() -> None:
    report = Report()
    with ExitStack() as stack:
        program = stack.enter_context(load.generator(1_000))
        plane = stack.enter_context(ControlPlane())
        endpoint = homes.Endpoint(plane.url, plane.token, plane.ca, plane.kubeconfig)
        uvloop.run(_chains(report, plane, program, endpoint))
        uvloop.run(_large_items(report, plane))
        uvloop.run(_waiting_items(report, plane))
    report.finish()


@asynccontextmanager
async def _place(plane: ControlPlane) -> AsyncIterator[tuple[RealPlace, HttpCluster]]:
    async with real_place() as place:
        client = await place.add_target("place", kubeconfig_of_plane(plane))
        async with client:
            yield place, client


async def _chains(report: Report, plane: ControlPlane, program: load.Load, endpoint: homes.Endpoint) -> None:
    """Items with one ConfigMap each, all at once."""
    async with _place(plane) as (place, _):
        raw = await asyncio.to_thread(_raw_rate, program, endpoint, place)
        names = [f"item-{number}" for number in range(ITEMS)]
        started = time.perf_counter()
        await _each(names, lambda name: place.create(place.config_map(name), name=name))
        await _all_finished(place)
        rate = ITEMS / (time.perf_counter() - started)
        writes = GIVEN_WRITES + len(place.counting.writes) / ITEMS
    report.figure("raw creates of the API server", raw, "/s")
    report.figure("items with one ConfigMap", rate, "/s")
    report.figure("writes per item, target included", writes)
    report.at_least("their writes to raw creates", rate * writes / raw, 0.4)


def _raw_rate(program: load.Load, endpoint: homes.Endpoint, place: RealPlace) -> float:
    file = program.object.with_name("configmap.json")
    file.write_text(json.dumps(place.config_map("NAME")))
    collection = f"/api/v1/namespaces/{place.namespace}/configmaps"
    options = ("-collection", collection, "-object", str(file), "-prefix", "raw")
    return program.run(endpoint, *options, "-count", "2000", "-connections", str(CONNECTIONS))["rate"]


async def _large_items(report: Report, plane: ControlPlane) -> None:
    """One item with many objects, in turns with as many creates by the same client."""
    ratios = []
    async with _place(plane) as (place, client):
        for number in range(ROUNDS):
            raw = [place.config_map(f"raw-{number}-{each}") for each in range(OBJECTS)]
            started = time.perf_counter()
            await _each(raw, lambda obj: client.create(CONFIG_MAPS, obj, namespace=place.namespace))
            plain = time.perf_counter() - started
            started = time.perf_counter()
            objs = [place.config_map(f"own-{number}-{each}") for each in range(OBJECTS)]
            await place.create(*objs, name=f"large-{number}")
            await place.finished(f"large-{number}")
            ratios.append(plain / (time.perf_counter() - started))
    report.at_least(f"{OBJECTS} objects in one item to raw creates", sorted(ratios)[ROUNDS // 2], 0.6)


async def _waiting_items(report: Report, plane: ControlPlane) -> None:
    """Items that wait for their ConfigMap to say that it is ready."""
    async with _place(plane) as (place, client):
        names = [f"wait-{number}" for number in range(WAITING)]
        await _each(names, lambda name: _create_waiting(place, name))
        await _until_waiting(place)
        report.at_most(f"memory with {WAITING} waiting items", homes.resident_mib(), 600, "MiB")
        before, started = _cpu_seconds(), time.perf_counter()
        await asyncio.sleep(IDLE_SECONDS)
        idle = (_cpu_seconds() - before) / (time.perf_counter() - started)
        report.at_most("idle CPU of one core", idle * 100, 3, "%")
        times = [await _reaction(place, client, name) for name in names[:20]]
        report.at_most("reaction to a change, slowest of 20", max(times) * 1000, 200, "ms")


async def _create_waiting(place: RealPlace, name: str) -> None:
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "namespace": place.namespace}
    check = {
        "name": "ready",
        "resourceSelector": [reference],
        "requirements": [{"jsonPath": ".data.ready", "operator": "exists"}],
    }
    await place.create(place.config_map(name), name=name, readinessChecks={"custom": [check]}, timeout="none")


async def _reaction(place: RealPlace, client: HttpCluster, name: str) -> float:
    started = time.perf_counter()
    await client.patch(CONFIG_MAPS, name, {"data": {"ready": "yes"}}, namespace=place.namespace)
    await place.finished(name)
    return time.perf_counter() - started


async def _each(things: Iterable[T], function: Callable[[T], Awaitable[Any]]) -> None:
    left = iter(things)

    async def work() -> None:
        for thing in left:
            await function(thing)

    await asyncio.gather(*(work() for _ in range(CONNECTIONS)))


async def _all_finished(place: RealPlace) -> None:
    while not all(item.status.phase == Phase.SUCCEEDED for item in await _items(place)):  # noqa: ASYNC110
        await asyncio.sleep(0.02)


async def _until_waiting(place: RealPlace) -> None:
    while not all(any(c.type == "Waiting" for c in item.status.conditions or ()) for item in await _items(place)):  # noqa: ASYNC110
        await asyncio.sleep(0.5)


async def _items(place: RealPlace) -> Sequence[DeployItem]:
    return (await place.home.list(DEPLOY_ITEMS, namespace="default")).items


def _cpu_seconds() -> float:
    used = os.times()
    return used.user + used.system


if __name__ == "__main__":
    main()
