"""Resident memory of a home with 20,000 DeployItems of 9 KB and an informer on them, in one process."""

from __future__ import annotations

import asyncio

import uvloop

from benchmarks import homes, items
from benchmarks.figures import Report
from landform.cluster.informers import Informer
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.embedded.catalog import GroupResource

COUNT = 20_000
SIZE = 9_000
TARGET_MIB = 400.0


def main() -> None:
    report = Report()
    uvloop.run(_measure(report))
    report.finish()


async def _measure(report: Report) -> None:
    with homes.folder() as data:
        async with homes.in_process(data) as home:
            informer = Informer(home.cluster, DEPLOY_ITEMS)
            following = asyncio.create_task(informer.run())
            complete = asyncio.Event()
            informer.subscribe(lambda old, new: complete.set() if len(informer) == COUNT else None)
            numbers = iter(range(COUNT))

            async def work() -> None:
                for number in numbers:
                    obj = items.deploy_item(f"item-{number}", SIZE)
                    await home.cluster.create(DEPLOY_ITEMS, obj, namespace=items.NAMESPACE)

            await asyncio.gather(*(work() for _ in range(50)))
            await complete.wait()
            stored = home.verbs.store.objects(GroupResource(DEPLOY_ITEMS.group, DEPLOY_ITEMS.plural))
            report.figure("size of a stored item", sum(len(one.raw) for one in stored) / len(stored), "bytes")
            report.at_most("resident with 20,000 items and an informer", homes.resident_mib(), TARGET_MIB, "MiB")
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)


if __name__ == "__main__":
    main()
