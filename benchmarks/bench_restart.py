"""How long ``landform up`` takes from its start to its first answer, with 60,000 objects in the data folder."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import uvloop

from benchmarks import homes, items
from benchmarks.figures import Report
from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.kinds import DEPLOY_ITEMS

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 60_000
SIZE = 3_000
TARGET_SECONDS = 3.0


def main() -> None:
    report = Report()
    with homes.folder() as data:
        uvloop.run(_fill(data))
        started = time.perf_counter()
        with homes.landform_up(data) as endpoint:
            uvloop.run(_ask(endpoint))
            elapsed = time.perf_counter() - started
    report.at_most("start to first answer with 60,000 objects", elapsed, TARGET_SECONDS, "s")
    report.finish()


async def _fill(data: Path) -> None:
    async with homes.in_process(data) as home:
        numbers = iter(range(COUNT))

        async def work() -> None:
            for number in numbers:
                obj = items.deploy_item(f"item-{number}", SIZE)
                await home.cluster.create(DEPLOY_ITEMS, obj, namespace=items.NAMESPACE)

        await asyncio.gather(*(work() for _ in range(200)))


async def _ask(endpoint: homes.Endpoint) -> None:
    cluster = HttpCluster(kubeconfig.load(endpoint.kubeconfig))
    found = await cluster.get(DEPLOY_ITEMS, f"item-{COUNT - 1}", namespace=items.NAMESPACE)
    assert found.metadata.name == f"item-{COUNT - 1}"
    await cluster.close()


if __name__ == "__main__":
    main()
