"""Figures: what Prometheus reads of queues, reconciles, requests and watches."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.runtime.samples import World, in_a_world

from landform.cluster.errors import NotFound
from landform.cluster.informers import Caches
from landform.cluster.resources import CONFIG_MAPS, ObjectKey
from landform.kit.surroundings import Surroundings
from landform.runtime.metrics import MeteredCluster, Metrics
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster.interface import Cluster


class Late:
    """A cluster whose watches are three seconds late."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def __getattr__(self, verb: str) -> Any:
        return getattr(self._cluster, verb)

    @asynccontextmanager
    async def watch(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        async def late(events: AsyncIterator[Any]) -> AsyncIterator[Any]:
            async for event in events:
                await asyncio.sleep(3)
                yield event

        async with self._cluster.watch(*args, **kwargs) as events:
            yield late(events)


def test_a_controller_tells_its_reconciles_and_its_queue() -> None:
    async def scenario(world: World) -> None:
        await world.create("one", wanted="x")
        await asyncio.sleep(1)
        world.controller.add(ObjectKey("default", "one"), after=100)
        page = world.metrics.page().decode()
        assert 'landform_reconciles_total{controller="copier",result="done"} 1.0' in page
        assert 'landform_queue_delayed{controller="copier"} 1.0' in page
        assert 'landform_queue_depth{controller="copier"} 0.0' in page
        assert 'landform_reconcile_seconds_count{controller="copier"} 2.0' in page
        assert 'landform_queue_wait_seconds_count{controller="copier"} 2.0' in page

    in_a_world(scenario)


def test_requests_are_counted_by_verb_and_code() -> None:
    async def main() -> None:
        metrics = Metrics()
        async with homes.in_process(Surroundings(clock=time.VirtualClock())) as home:
            cluster: Cluster = MeteredCluster(home, metrics)
            await cluster.create(CONFIG_MAPS, {"metadata": {"name": "one"}}, namespace="default")
            await cluster.patch(CONFIG_MAPS, "one", {"data": {"a": "1"}}, namespace="default")
            with pytest.raises(NotFound):
                await cluster.get(CONFIG_MAPS, "two", namespace="default")
            await cluster.delete(CONFIG_MAPS, "one", namespace="default")
        for verb, code in (("create", "2xx"), ("patch", "2xx"), ("get", "404"), ("delete", "2xx")):
            labels = {"verb": verb, "resource": "configmaps", "code": code}
            assert metrics.registry.get_sample_value("landform_api_requests_total", labels) == 1.0

    time.run(main())


def test_the_lag_of_a_watch_is_the_time_from_the_answer_of_a_write_to_its_event() -> None:
    async def main() -> None:
        clock = time.VirtualClock()
        metrics = Metrics()
        async with homes.in_process(Surroundings(clock=clock)) as home:
            cluster: Cluster = MeteredCluster(Late(home), metrics, surroundings=Surroundings(clock=clock))
            async with Caches(cluster) as caches:
                caches.informer(CONFIG_MAPS, namespace="default")
                await caches.synced()
                await asyncio.sleep(1)
                await cluster.create(CONFIG_MAPS, {"metadata": {"name": "one"}}, namespace="default")
                await asyncio.sleep(10)
        labels = {"resource": "configmaps"}
        assert metrics.registry.get_sample_value("landform_watch_lag_seconds_sum", labels) == pytest.approx(3.0)

    time.run(main())
