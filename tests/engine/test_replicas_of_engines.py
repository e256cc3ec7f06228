"""Several engines that share the work."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from tests.engine.landscapes import ended, installation

from landform.cluster.kinds import DEPLOY_ITEMS, INSTALLATIONS
from landform.deployers.mock import MockDeployer
from landform.engine.engine import Engine, Replicas, Settings
from landform.kit.surroundings import Surroundings
from landform.runtime.manager import Life
from landform.testing import homes, time

if TYPE_CHECKING:
    from landform.cluster import Cluster

HOW_MANY = 12


def engine(cluster: Cluster, surroundings: Surroundings, name: str) -> Engine:
    settings = Settings(replicas=Replicas("default", name), identity=name)
    return Engine(cluster, surroundings, deployers=[MockDeployer()], settings=settings)


async def create(cluster: Cluster, prefix: str, delay: str = "") -> list[str]:
    names = [f"{prefix}-{number}" for number in range(HOW_MANY)]
    for name in names:
        await cluster.create(INSTALLATIONS, installation(name, delay=delay), namespace="default")
    return names


async def workers(cluster: Cluster) -> set[str]:
    """Who worked on items."""
    items = (await cluster.list(DEPLOY_ITEMS, namespace="default")).items
    return {item.status.deployer.identity for item in items if item.status.deployer is not None}


def test_two_engines_share_the_work() -> None:
    async def scenario() -> None:
        surroundings = Surroundings(clock=time.VirtualClock())
        async with homes.in_process(surroundings) as cluster, AsyncExitStack() as stack:
            for name in ("one", "two"):
                await stack.enter_async_context(engine(cluster, surroundings, name).running())
            await asyncio.sleep(10)  # both know each other
            for name in await create(cluster, "shared"):
                assert (await ended(cluster, name)).status.phase == "Succeeded"
            assert await workers(cluster) == {"one", "two"}

    time.run(scenario())


def test_what_a_dead_engine_left_is_finished_by_the_other() -> None:
    async def scenario() -> None:
        surroundings = Surroundings(clock=time.VirtualClock())
        async with homes.in_process(surroundings) as cluster:
            dying = asyncio.create_task(engine(cluster, surroundings, "dying").run(Life()))
            async with engine(cluster, surroundings, "living").running():
                await asyncio.sleep(10)
                names = await create(cluster, "left", delay="5s")
                await asyncio.sleep(1)
                assert await workers(cluster) == {"dying", "living"}
                dying.cancel()
                await asyncio.gather(dying, return_exceptions=True)
                for name in names:
                    assert (await ended(cluster, name)).status.phase == "Succeeded"
                assert await workers(cluster) == {"living"}

    time.run(scenario())
