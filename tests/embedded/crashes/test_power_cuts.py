"""kill -9 in the middle of a thousand concurrent writes: whatever was acknowledged is there afterwards."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import pytest
from tests.cli.processes import Up, up
from tests.contract.objects import config_map, next_change, take
from tests.embedded.crashes.writers import NAMESPACE, Promises, Writer

from landform.cluster.errors import Gone
from landform.cluster.http import Limits
from landform.cluster.interface import ListOptions
from landform.cluster.resources import CONFIG_MAPS

if TYPE_CHECKING:
    from pathlib import Path

    from landform.cluster.http import HttpCluster

ROUNDS = 20
WRITERS = 1000


def limits(round: int) -> Limits:
    """In three of the rounds each writer has a connection of its own; making them costs more than all the rest."""
    return Limits(retry_seconds=0, connections=WRITERS if round % 7 == 0 else 100)


@pytest.mark.timeout(300)
async def test_every_acknowledged_write_survives_twenty_power_cuts(tmp_path: Path) -> None:
    promises = Promises()
    chance = random.Random(20)
    seen = ""
    for round in range(ROUNDS):
        with up(tmp_path / "data") as home:
            async with home.cluster(limits(round)) as cluster:
                await check_promises(cluster, promises)
                await check_watch(cluster, seen)
                seen = (await cluster.list(CONFIG_MAPS, namespace=NAMESPACE)).resource_version
                await cut_power_while_writing(home, cluster, promises, f"r{round}", chance.randint(1, 600))
    with up(tmp_path / "data") as home:
        async with home.cluster() as cluster:
            await check_promises(cluster, promises)
            await check_watch(cluster, seen)
        assert await home.stopped() == 0
    assert promises.total > ROUNDS * 100


async def cut_power_while_writing(home: Up, cluster: HttpCluster, promises: Promises, prefix: str, moment: int) -> None:
    """Start all writers, and kill the home once it has acknowledged so many writes of theirs."""
    promises.expect(promises.total + moment)
    writers = [asyncio.create_task(Writer(cluster, promises, f"{prefix}-w{n}").run()) for n in range(WRITERS)]
    async with asyncio.timeout(60):
        await promises.reached.wait()
        home.kill()
        await asyncio.gather(*writers)


async def check_promises(cluster: HttpCluster, promises: Promises) -> None:
    """All that was acknowledged is there, whole, at that version or a newer one."""
    listed = await cluster.list(CONFIG_MAPS, namespace=NAMESPACE)
    found = {obj["metadata"]["name"]: obj for obj in listed.items}
    assert not promises.deleted & found.keys(), "what was deleted stays deleted"
    for name, version in promises.versions.items():
        if name in found:
            obj = found[name]
            assert version <= int(obj["metadata"]["resourceVersion"]) <= int(listed.resource_version)
            assert obj["metadata"]["uid"]
            assert obj["data"]["text"] == name * 50
            # A change that was on its way when the power went may have been made, but only the next one.
            assert promises.counts[name] <= int(obj["data"]["count"]) <= promises.counts[name] + 1
        else:
            # Only a deletion that was on its way explains it, and only after the last change.
            assert name in promises.deleted or promises.counts[name] == 2, f"{name} is lost"
    await check_single_reads(cluster, found)


async def check_single_reads(cluster: HttpCluster, found: dict[str, dict[str, object]]) -> None:
    """A read of one object says the same as the list."""
    for name in sorted(found)[:20]:
        assert await cluster.get(CONFIG_MAPS, name, namespace=NAMESPACE) == found[name]


async def check_watch(cluster: HttpCluster, seen: str) -> None:
    """A watch from before the power cut goes on where it was, or is told to list again; from now on all is heard."""
    if seen:
        with pytest.raises(Gone):
            await take(cluster.watch(CONFIG_MAPS, options=ListOptions(resource_version=seen)), 1)
    now = (await cluster.list(CONFIG_MAPS, namespace=NAMESPACE)).resource_version
    async with cluster.watch(CONFIG_MAPS, options=ListOptions(resource_version=now)) as stream:
        probe = await cluster.create(CONFIG_MAPS, config_map(f"probe-{now}"), namespace=NAMESPACE)
        async with asyncio.timeout(10):
            event = await next_change(stream)
    assert event.object == probe
    assert int(event.resource_version) > int(now)
