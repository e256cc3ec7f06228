"""In whose name an object is worked on."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tests.engine.landscapes import API, installation

from landform.cluster.informers import Caches
from landform.cluster.kinds import DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS
from landform.cluster.resources import ObjectKey
from landform.engine.roots import Roots
from landform.runtime.manager import Life
from landform.runtime.shards import UNKNOWN
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from landform.cluster import Cluster, Resource


def key(name: str) -> ObjectKey:
    return ObjectKey("default", name)


def owned(by: Any, **obj: Any) -> dict[str, Any]:
    reference = {"apiVersion": API, "kind": by.kind, "name": by.metadata.name, "uid": by.metadata.uid}
    obj["metadata"]["ownerReferences"] = [{**reference, "controller": True}]
    return obj


async def build(cluster: Cluster) -> None:
    """root > child > Execution child > item; and one of each that stands alone."""
    root = await cluster.create(INSTALLATIONS, installation("root"), namespace="default")
    child = await cluster.create(INSTALLATIONS, owned(root, **installation("child")), namespace="default")
    execution = await cluster.create(EXECUTIONS, owned(child, metadata={"name": "child"}, spec={}), namespace="default")
    item = {"type": "landscaper.gardener.cloud/mock"}
    await cluster.create(DEPLOY_ITEMS, owned(execution, metadata={"name": "item"}, spec=item), namespace="default")
    await cluster.create(EXECUTIONS, {"metadata": {"name": "alone"}, "spec": {}}, namespace="default")
    await cluster.create(DEPLOY_ITEMS, {"metadata": {"name": "alone"}, "spec": item}, namespace="default")


async def test_everything_in_a_tree_has_the_same_root() -> None:
    async with homes.in_process() as cluster:
        await build(cluster)
        caches = Caches(cluster)
        roots = Roots(caches)
        async with caches:
            await caches.synced()
            assert roots.of_installation(key("root")) == key("root")
            assert roots.of_installation(key("child")) == key("root")
            assert roots.of_execution(key("child")) == key("root")
            assert roots.of_item(key("item")) == key("root")
            for climb in (roots.of_installation, roots.of_execution, roots.of_item):
                assert climb(key("alone")) == key("alone")
                assert climb(key("nowhere")) == key("nowhere")


class Listener:
    """As much of a controller as roots need."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    def add(self, key: ObjectKey) -> None:
        self.keys.append(key.name)


class SlowInstallations:
    """A cluster whose Installations take their time."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.shown = asyncio.Event()

    async def list(self, resource: Resource[Any], **options: Any) -> Any:
        if resource == INSTALLATIONS:
            await self.shown.wait()
        return await self._cluster.list(resource, **options)

    @asynccontextmanager
    async def watch(self, resource: Resource[Any], **options: Any) -> AsyncIterator[Any]:
        if resource == INSTALLATIONS:
            await self.shown.wait()
        async with self._cluster.watch(resource, **options) as events:
            yield events


async def test_what_is_below_an_object_is_looked_at_again_when_the_object_appears() -> None:
    async with homes.in_process() as cluster:
        await build(cluster)
        slow: Any = SlowInstallations(cluster)
        caches = Caches(slow)
        roots = Roots(caches)
        listeners: Any = [Listener() for _ in range(3)]
        roots.follow(listeners[:1], listeners[1:2], listeners[2:])
        async with caches, asyncio.timeout(20):
            await caches.informer(EXECUTIONS).synced.wait()
            await caches.informer(DEPLOY_ITEMS).synced.wait()
            assert roots.of_item(key("item")) == key("child"), "as far as is known"
            for listener in listeners:
                listener.keys.clear()
            slow.shown.set()
            await caches.synced()
        assert [set(listener.keys) for listener in listeners[1:]] == [{"child"}, {"item"}]


async def test_while_a_parent_is_unseen_nobody_can_tell_the_root() -> None:
    async with homes.in_process() as cluster:
        await build(cluster)
        slow: Any = SlowInstallations(cluster)
        caches = Caches(slow)
        roots = Roots(caches, cluster)
        listeners: Any = [Listener() for _ in range(3)]
        roots.follow(listeners[:1], listeners[1:2], listeners[2:])
        async with caches, asyncio.timeout(20), running(roots):
            await caches.informer(EXECUTIONS).synced.wait()
            await caches.informer(DEPLOY_ITEMS).synced.wait()
            assert roots.of_item(key("item")) == UNKNOWN
            listeners[2].keys.clear()
            await until(lambda: roots.of_item(key("item")) == key("root"))
            assert "item" in listeners[2].keys


async def test_a_child_whose_parent_is_gone_is_a_root() -> None:
    async with homes.in_process() as cluster:
        gone: Any = SimpleNamespace(kind="Execution", metadata=SimpleNamespace(name="gone", uid="u-1"))
        item = owned(
            gone,
            metadata={"name": "left", "finalizers": ["example.com/held"]},
            spec={"type": "landscaper.gardener.cloud/mock"},
        )
        caches = Caches(cluster)
        roots = Roots(caches, cluster)
        listeners: Any = [Listener() for _ in range(3)]
        roots.follow(listeners[:1], listeners[1:2], listeners[2:])
        async with caches, asyncio.timeout(20), running(roots):
            await caches.synced()
            caches.informer(DEPLOY_ITEMS).observe_write(await cluster.create(DEPLOY_ITEMS, item, namespace="default"))
            assert roots.of_item(key("left")) == UNKNOWN
            listeners[2].keys.clear()
            await until(lambda: roots.of_item(key("left")) == key("gone"))
            assert roots.of_execution(key("gone")) == key("gone")
            assert listeners[2].keys == ["left"]


@asynccontextmanager
async def running(roots: Roots) -> AsyncIterator[None]:
    life = Life()
    async with asyncio.TaskGroup() as group:
        group.create_task(roots.run(life))
        await life.until_ready()
        yield
        life.stop()


async def until(done: Callable[[], bool]) -> None:
    while not done():  # noqa: ASYNC110 - there is no event to wait for
        await asyncio.sleep(0.005)
