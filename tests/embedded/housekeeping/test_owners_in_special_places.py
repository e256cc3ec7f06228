"""Owners in circles, of other scopes, of unknown kinds, or held by others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.contract.objects import config_map, exists, names, owner
from tests.embedded.housekeeping.resting import ManualClock, at_rest

from landform.cluster.interface import DeleteOptions, Propagation
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES
from landform.kit.surroundings import Surroundings
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster.interface import Cluster

HOLD = "landform.test/hold"
FOREGROUND = DeleteOptions(propagation=Propagation.FOREGROUND)


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with homes.in_process(Surroundings(clock=ManualClock())) as home:
        await at_rest()
        yield home


async def create(cluster: Cluster, name: str, **metadata: Any) -> dict[str, Any]:
    return await cluster.create(CONFIG_MAPS, config_map(name, **metadata), namespace="default")


@pytest.mark.parametrize("length", [2, 3, 5])
async def test_a_circle_of_owners_can_be_deleted_in_the_foreground(cluster: Cluster, length: int) -> None:
    circle = [await create(cluster, f"c{number}") for number in range(length)]
    for number, obj in enumerate(circle):
        patch = {"metadata": {"ownerReferences": [owner(circle[number - 1], blockOwnerDeletion=True)]}}
        await cluster.patch(CONFIG_MAPS, obj["metadata"]["name"], patch, namespace="default")
    await cluster.delete(CONFIG_MAPS, "c0", namespace="default", options=FOREGROUND)
    await at_rest()
    assert names((await cluster.list(CONFIG_MAPS, namespace="default")).items) == ["kube-root-ca.crt"]


async def test_an_object_without_a_namespace_is_never_collected_for_an_owner_that_has_one(cluster: Cluster) -> None:
    """Nobody can say which namespace the owner would be in, so nobody can say that it is gone."""
    parent = await create(cluster, "parent")
    await cluster.create(NAMESPACES, {"metadata": {"name": "child", "ownerReferences": [owner(parent)]}})
    await at_rest()
    assert "deletionTimestamp" not in (await cluster.get(NAMESPACES, "child"))["metadata"]
    await cluster.delete(CONFIG_MAPS, "parent", namespace="default")
    await at_rest()
    assert "deletionTimestamp" not in (await cluster.get(NAMESPACES, "child"))["metadata"]


async def test_an_owner_without_a_namespace_takes_what_it_owns_in_any(cluster: Cluster) -> None:
    parent = await cluster.create(NAMESPACES, {"metadata": {"name": "parent"}})
    await create(cluster, "child", ownerReferences=[owner(parent)])
    await cluster.delete(NAMESPACES, "parent")
    await at_rest()
    assert not await exists(cluster, CONFIG_MAPS, "child", "default")


async def test_an_owner_of_an_unknown_kind_keeps_what_it_owns(cluster: Cluster) -> None:
    stranger = {"apiVersion": "unknown.test/v1", "kind": "Stranger", "name": "s", "uid": "1"}
    await create(cluster, "child", ownerReferences=[stranger])
    await at_rest()
    assert await exists(cluster, CONFIG_MAPS, "child", "default")


async def test_in_the_foreground_all_children_go_even_while_someone_else_holds_the_owner(cluster: Cluster) -> None:
    parent = await create(cluster, "parent", finalizers=[HOLD])
    await create(cluster, "held-up-for", ownerReferences=[owner(parent, blockOwnerDeletion=True)])
    await create(cluster, "not-held-up-for", ownerReferences=[owner(parent)])
    await cluster.delete(CONFIG_MAPS, "parent", namespace="default", options=FOREGROUND)
    await at_rest()
    found = (await cluster.list(CONFIG_MAPS, namespace="default")).items
    assert names(found) == ["kube-root-ca.crt", "parent"]
    assert found[1]["metadata"]["finalizers"] == [HOLD]


async def test_in_the_background_children_stay_while_someone_else_holds_the_owner(cluster: Cluster) -> None:
    parent = await create(cluster, "parent", finalizers=[HOLD])
    await create(cluster, "child", ownerReferences=[owner(parent)])
    await cluster.delete(CONFIG_MAPS, "parent", namespace="default")
    await at_rest()
    assert await exists(cluster, CONFIG_MAPS, "child", "default")
    await cluster.patch(CONFIG_MAPS, "parent", {"metadata": {"finalizers": None}}, namespace="default")
    await at_rest()
    assert not await exists(cluster, CONFIG_MAPS, "child", "default")


async def test_an_owner_goes_once_its_child_no_longer_holds_it_up(cluster: Cluster) -> None:
    parent = await create(cluster, "parent")
    await create(cluster, "child", ownerReferences=[owner(parent, blockOwnerDeletion=True)], finalizers=[HOLD])
    await cluster.delete(CONFIG_MAPS, "parent", namespace="default", options=FOREGROUND)
    await at_rest()
    assert await exists(cluster, CONFIG_MAPS, "parent", "default")
    patch = {"metadata": {"ownerReferences": [owner(parent)]}}
    await cluster.patch(CONFIG_MAPS, "child", patch, namespace="default")
    await at_rest()
    assert not await exists(cluster, CONFIG_MAPS, "parent", "default")
