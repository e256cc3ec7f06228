"""Watches in the same process: their time limit ends them, and never whoever is busy with an event."""

from __future__ import annotations

import asyncio

from landform.cluster.interface import ListOptions
from landform.cluster.resources import CONFIG_MAPS
from landform.kit.surroundings import Surroundings
from landform.testing import homes, time


def test_who_is_busy_with_an_event_when_the_watch_ends_is_left_alone() -> None:
    async def scenario() -> list[str]:
        seen = []
        async with homes.in_process(Surroundings(clock=time.VirtualClock())) as cluster:
            await cluster.create(CONFIG_MAPS, {"metadata": {"name": "one"}}, namespace="kube-public")
            found = await cluster.list(CONFIG_MAPS, namespace="kube-public")
            since = ListOptions(resource_version=found.resource_version, timeout_seconds=5.0)
            async with cluster.watch(CONFIG_MAPS, namespace="kube-public", options=since) as events:
                await cluster.create(CONFIG_MAPS, {"metadata": {"name": "two"}}, namespace="kube-public")
                async for event in events:
                    assert event.object is not None
                    await asyncio.sleep(60)
                    seen.append(event.object["metadata"]["name"])
        return seen

    assert time.run(scenario()) == ["two"]
