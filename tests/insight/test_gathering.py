"""Gathering a landscape from a home, and following it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
from tests.insight.objects import execution, export, installation, item

from landform.cluster.informers import Caches
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS
from landform.cluster.resources import ObjectKey
from landform.insight.following import Follower
from landform.insight.gathering import everything, gather
from landform.testing import homes

if TYPE_CHECKING:
    from landform.cluster import Cluster
    from landform.insight.landscapes import Landscape

BLUEPRINT = {"blueprint.yaml": "apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Blueprint\n"}
SHOP = ObjectKey("default", "shop")


async def build(cluster: Cluster) -> None:
    """Two roots; `shop` has a child, which has an item and an export."""
    for made in (
        installation("shop", blueprint=BLUEPRINT),
        installation("db-1", parent="shop", blueprint=BLUEPRINT),
        installation("other", blueprint=BLUEPRINT),
    ):
        await create(cluster, INSTALLATIONS, made)
    await create(cluster, EXECUTIONS, execution("db-1"))
    await create(cluster, DEPLOY_ITEMS, item("db-1-server-x", "db-1"))
    await create(cluster, DATA_OBJECTS, export("url", 1, of="db-1"))
    await create(cluster, DATA_OBJECTS, export("other", 1, of="other"))


async def create(cluster: Cluster, resource: Any, made: Any) -> None:
    plain = msgspec.to_builtins(msgspec.json.decode(msgspec.json.encode(made)))
    del plain["metadata"]["namespace"]
    plain["metadata"].pop("uid", None)
    plain.pop("status", None)
    await cluster.create(resource, plain, namespace="default")


def names(landscape: Landscape) -> list[list[str]]:
    groups: Any = (landscape.installations, landscape.executions, landscape.items, landscape.exports)
    return [sorted(each.metadata.name for each in group) for group in groups]


async def test_only_what_belongs_to_the_root_is_gathered() -> None:
    async with homes.in_process() as cluster:
        await build(cluster)
        assert names(await gather(cluster, [SHOP])) == [["db-1", "shop"], ["db-1"], ["db-1-server-x"], ["url"]]


async def test_what_is_not_there_is_left_out() -> None:
    async with homes.in_process() as cluster:
        assert names(await gather(cluster, [SHOP])) == [[], [], [], []]


async def test_everything_is_everything() -> None:
    async with homes.in_process() as cluster:
        await build(cluster)
        both = await everything(cluster, "default")
        assert names(both) == [["db-1", "other", "shop"], ["db-1"], ["db-1-server-x"], ["other", "url"]]
        assert names(await everything(cluster, "kube-system")) == [[], [], [], []]


async def test_a_follower_sees_what_comes() -> None:
    async with homes.in_process() as cluster:
        caches = Caches(cluster)
        follower = Follower(caches, "default")
        changed = asyncio.Event()
        follower.subscribe(changed.set)
        async with caches, asyncio.timeout(20):
            await caches.synced()
            assert follower.roots() == []
            await build(cluster)
            while len(follower.look([SHOP]).items) < 1:
                changed.clear()
                await changed.wait()
            assert names(follower.look([SHOP])) == [["db-1", "shop"], ["db-1"], ["db-1-server-x"], []]
            while len(follower.roots()) < 2:
                changed.clear()
                await changed.wait()
            assert follower.roots() == [ObjectKey("default", "other"), SHOP]
