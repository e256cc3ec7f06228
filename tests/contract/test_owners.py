"""Owner references: what happens to children when their owner goes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.contract.objects import config_map, eventually, exists, owner, widget

from landform.cluster.interface import DeleteOptions, EventType, Propagation
from landform.cluster.resources import CONFIG_MAPS

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured

HOLD = "landform.test/hold"


@pytest.fixture
async def parent(cluster: Cluster, namespace: str, widgets: Resource[Unstructured]) -> Unstructured:
    return await cluster.create(widgets, widget("parent"), namespace=namespace)


async def gone(cluster: Cluster, resource: Resource[Unstructured], name: str, namespace: str) -> None:
    """Wait until the garbage collector has removed the object."""

    async def is_gone() -> bool:
        return not await exists(cluster, resource, name, namespace)

    await eventually(is_gone, f"{name} is gone")


async def test_children_of_a_deleted_owner_go_in_the_background(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], parent: Unstructured
) -> None:
    child = await cluster.create(widgets, widget("child", ownerReferences=[owner(parent)]), namespace=namespace)
    await cluster.create(CONFIG_MAPS, config_map("grandchild", ownerReferences=[owner(child)]), namespace=namespace)
    assert await cluster.delete(widgets, "parent", namespace=namespace) is None
    await gone(cluster, widgets, "child", namespace)
    await gone(cluster, CONFIG_MAPS, "grandchild", namespace)


async def test_with_foreground_the_owner_waits_for_its_blocking_children(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], parent: Unstructured
) -> None:
    reference = owner(parent, blockOwnerDeletion=True)
    await cluster.create(
        CONFIG_MAPS, config_map("child", ownerReferences=[reference], finalizers=[HOLD]), namespace=namespace
    )
    options = DeleteOptions(propagation=Propagation.FOREGROUND)
    waiting = await cluster.delete(widgets, "parent", namespace=namespace, options=options)
    assert waiting is not None
    assert waiting["metadata"]["finalizers"] == ["foregroundDeletion"]
    assert waiting["metadata"]["deletionTimestamp"]

    async def child_is_marked() -> bool:
        child = await cluster.get(CONFIG_MAPS, "child", namespace=namespace)
        return "deletionTimestamp" in child["metadata"]

    await eventually(child_is_marked, "the child is marked for deletion")
    assert await exists(cluster, widgets, "parent", namespace)
    await cluster.patch(CONFIG_MAPS, "child", {"metadata": {"finalizers": None}}, namespace=namespace)
    await gone(cluster, widgets, "parent", namespace)


async def test_with_foreground_children_go_before_the_owner(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], parent: Unstructured
) -> None:
    reference = owner(parent, blockOwnerDeletion=True)
    await cluster.create(widgets, widget("child", ownerReferences=[reference]), namespace=namespace)
    async with asyncio.timeout(30), cluster.watch(widgets, namespace=namespace) as stream:
        options = DeleteOptions(propagation=Propagation.FOREGROUND)
        await cluster.delete(widgets, "parent", namespace=namespace, options=options)
        order: list[str] = []
        async for event in stream:
            if event.type is EventType.DELETED and event.object is not None:
                order.append(event.object["metadata"]["name"])
            if len(order) == 2:
                break
    assert order == ["child", "parent"]


async def test_orphaned_children_stay_without_their_reference(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], parent: Unstructured
) -> None:
    await cluster.create(CONFIG_MAPS, config_map("child", ownerReferences=[owner(parent)]), namespace=namespace)
    options = DeleteOptions(propagation=Propagation.ORPHAN)
    waiting = await cluster.delete(widgets, "parent", namespace=namespace, options=options)
    assert waiting is not None
    assert waiting["metadata"]["finalizers"] == ["orphan"]
    await gone(cluster, widgets, "parent", namespace)
    assert "ownerReferences" not in (await cluster.get(CONFIG_MAPS, "child", namespace=namespace))["metadata"]


async def test_a_child_with_another_living_owner_stays(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], parent: Unstructured
) -> None:
    second = await cluster.create(widgets, widget("second"), namespace=namespace)
    references = [owner(parent), owner(second)]
    await cluster.create(CONFIG_MAPS, config_map("child", ownerReferences=references), namespace=namespace)
    await cluster.delete(widgets, "parent", namespace=namespace)

    async def reference_is_removed() -> bool:
        child = await cluster.get(CONFIG_MAPS, "child", namespace=namespace)
        return list(child["metadata"]["ownerReferences"]) == [owner(second)]

    await eventually(reference_is_removed, "only the living owner is referenced")
    await cluster.delete(widgets, "second", namespace=namespace)
    await gone(cluster, CONFIG_MAPS, "child", namespace)


async def test_a_child_of_nobody_is_collected(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], parent: Unstructured
) -> None:
    impostor = owner(parent) | {"uid": "11111111-2222-3333-4444-555555555555"}
    await cluster.create(CONFIG_MAPS, config_map("child", ownerReferences=[impostor]), namespace=namespace)
    await gone(cluster, CONFIG_MAPS, "child", namespace)


async def test_an_owner_in_another_namespace_does_not_count(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    elsewhere = await cluster.create(widgets, widget(namespace), namespace="default")
    await cluster.create(CONFIG_MAPS, config_map("child", ownerReferences=[owner(elsewhere)]), namespace=namespace)
    await gone(cluster, CONFIG_MAPS, "child", namespace)
    await cluster.delete(widgets, namespace, namespace="default")


async def test_a_child_that_gets_its_reference_late_is_collected_too(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], parent: Unstructured
) -> None:
    await cluster.create(CONFIG_MAPS, config_map("child"), namespace=namespace)
    await cluster.delete(widgets, "parent", namespace=namespace)
    await cluster.patch(CONFIG_MAPS, "child", {"metadata": {"ownerReferences": [owner(parent)]}}, namespace=namespace)
    await gone(cluster, CONFIG_MAPS, "child", namespace)
