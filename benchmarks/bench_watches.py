"""How soon ten watchers over HTTPS see a write, at 500 writes a second."""

from __future__ import annotations

import asyncio
import time

import uvloop

from benchmarks import homes, items
from benchmarks.figures import Report
from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.interface import ListOptions
from landform.cluster.kinds import DEPLOY_ITEMS

WATCHERS = 10
RATE = 500
SECONDS = 10
SIZE = 3_000
TARGET_MS = 20.0

_RESOURCE = DEPLOY_ITEMS.untyped()


def main() -> None:
    report = Report()
    with homes.folder() as data, homes.landform_up(data) as endpoint:
        delays, rate = uvloop.run(_measure(endpoint))
    delays.sort()
    report.figure("writes per second", rate, "/s")
    report.figure("from write to 10 watchers, median", delays[len(delays) // 2], "ms")
    report.at_most("from write to 10 watchers, p99", delays[len(delays) * 99 // 100], TARGET_MS, "ms")
    report.finish()


async def _measure(endpoint: homes.Endpoint) -> tuple[list[float], float]:
    """Milliseconds from sending a write until each watcher has seen it: the write and its way to the disk included."""
    cluster = HttpCluster(kubeconfig.load(endpoint.kubeconfig))
    sent: dict[str, float] = {}
    seen: list[dict[str, float]] = [{} for _ in range(WATCHERS)]
    total = RATE * SECONDS
    ready = asyncio.Barrier(WATCHERS + 1)

    async def watch(times: dict[str, float]) -> None:
        start = (await cluster.list(_RESOURCE, namespace=items.NAMESPACE)).resource_version
        async with cluster.watch(
            _RESOURCE, namespace=items.NAMESPACE, options=ListOptions(resource_version=start)
        ) as events:
            await ready.wait()
            async for event in events:
                if event.object is not None:
                    times[event.object["metadata"]["name"]] = time.perf_counter()
                if len(times) == total:
                    return

    async def write(name: str) -> None:
        sent[name] = time.perf_counter()
        await cluster.create(_RESOURCE, items.deploy_item(name, SIZE), namespace=items.NAMESPACE)

    async with asyncio.TaskGroup() as group:
        for times in seen:
            group.create_task(watch(times))
        await ready.wait()
        started = time.perf_counter()
        for number in range(total):
            group.create_task(write(f"item-{number}"))
            await asyncio.sleep(max(0.0, started + (number + 1) / RATE - time.perf_counter()))
        rate = total / (time.perf_counter() - started)
    await cluster.close()
    delays = [(times[name] - moment) * 1000 for times in seen for name, moment in sent.items()]
    return delays, rate


if __name__ == "__main__":
    main()
