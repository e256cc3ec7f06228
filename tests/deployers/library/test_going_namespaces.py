"""Items in a namespace that is deleted as a whole: what their targets are reached by may go before them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.deployers.library.worlds import CONFIG, TYPE, World, in_a_world

from landform.api.names import Finalizer
from landform.api.phases import Phase
from landform.cluster.errors import Forbidden, NotFound, Unreachable
from landform.cluster.interface import WriteOptions
from landform.cluster.kinds import DEPLOY_ITEMS, TARGETS
from landform.cluster.resources import NAMESPACES, SECRETS, SERVICE_ACCOUNTS
from landform.deployers.library.access import Account
from landform.deployers.library.tokens import TokenCredentials

if TYPE_CHECKING:
    import pytest

    from landform.api.deployitems import DeployItem
    from landform.deployers.library import Item

SHOP = "shop"
PLACE = {"type": "example.org/place", "config": {"a": 1}}
HOLD = {"metadata": {"finalizers": ["example.org/hold"]}}
RELEASE = {"metadata": {"finalizers": None}}


async def deploy(world: World, target: dict[str, Any]) -> None:
    """A deployed item that belongs to nobody, with its Target, in a namespace of its own."""
    cluster = world.cluster
    await cluster.create(NAMESPACES, {"metadata": {"name": SHOP}})
    await cluster.create(SECRETS, {"metadata": {"name": "access"}, "stringData": {"a": "1"}}, namespace=SHOP)
    await cluster.create(SERVICE_ACCOUNTS, {"metadata": {"name": "robot"}}, namespace=SHOP)
    await cluster.create(TARGETS, {"metadata": {"name": "place"}, "spec": target}, namespace=SHOP)
    spec = {"type": TYPE, "config": CONFIG, "target": {"name": "place", "namespace": SHOP}, "timeout": "1m"}
    metadata = {"name": "one", "finalizers": [str(Finalizer.LANDSCAPER)]}
    await cluster.create(DEPLOY_ITEMS, {"metadata": metadata, "spec": spec}, namespace=SHOP)
    change = {"status": {"jobID": "1", "observedGeneration": 0}}
    await cluster.patch(DEPLOY_ITEMS, "one", change, namespace=SHOP, options=WriteOptions(subresource="status"))
    await asyncio.sleep(1)
    assert (await item_of(world)).status.phase == Phase.SUCCEEDED


async def item_of(world: World) -> DeployItem:
    return await world.cluster.get(DEPLOY_ITEMS, "one", namespace=SHOP)


async def is_gone(world: World) -> bool:
    try:
        await world.cluster.get(NAMESPACES, SHOP)
    except NotFound:
        return True
    return False


def test_an_item_whose_target_went_with_the_namespace_does_not_hold_it(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(world: World) -> None:
        await deploy(world, PLACE)
        await world.cluster.delete(NAMESPACES, SHOP)
        await asyncio.sleep(5)
        assert await is_gone(world)
        assert world.sample.times("delete") == []
        message = (
            "deploy item shop/one goes without being uninstalled, what it deployed stays: its namespace is being"
            " deleted, and target shop/place does not exist"
        )
        assert ("Warning", "NotUninstalled", message) in await world.events()
        assert message in caplog.text

    in_a_world(scenario)


def test_an_item_whose_secret_went_with_the_namespace_does_not_hold_it() -> None:
    async def scenario(world: World) -> None:
        await deploy(world, {"type": "example.org/place", "secretRef": {"name": "access"}})
        await world.cluster.patch(TARGETS, "place", HOLD, namespace=SHOP)
        await world.cluster.delete(NAMESPACES, SHOP)
        await asyncio.sleep(5)
        assert (await world.cluster.list(DEPLOY_ITEMS, namespace=SHOP)).items == []
        await world.cluster.patch(TARGETS, "place", RELEASE, namespace=SHOP)
        await asyncio.sleep(5)
        assert await is_gone(world)

    in_a_world(scenario)


def test_an_item_whose_account_went_with_the_namespace_does_not_hold_it() -> None:
    async def scenario(world: World) -> None:
        async def need_a_token(item: Item) -> None:
            account = Account("robot", (), 1000)
            await TokenCredentials(world.cluster, SHOP, account, world.surroundings.clock).current()

        world.sample.on_delete = need_a_token
        await deploy(world, PLACE)
        await world.cluster.patch(TARGETS, "place", HOLD, namespace=SHOP)
        await world.cluster.delete(NAMESPACES, SHOP)
        await asyncio.sleep(5)
        assert (await world.cluster.list(DEPLOY_ITEMS, namespace=SHOP)).items == []
        await world.cluster.patch(TARGETS, "place", RELEASE, namespace=SHOP)

    in_a_world(scenario)


def test_an_item_that_can_be_uninstalled_is_though_its_namespace_goes() -> None:
    async def scenario(world: World) -> None:
        await deploy(world, PLACE)
        await world.cluster.patch(TARGETS, "place", HOLD, namespace=SHOP)
        await world.cluster.delete(NAMESPACES, SHOP)
        await asyncio.sleep(5)
        assert len(world.sample.times("delete")) == 1
        await world.cluster.patch(TARGETS, "place", RELEASE, namespace=SHOP)
        await asyncio.sleep(5)
        assert await is_gone(world)

    in_a_world(scenario)


def test_a_cluster_that_is_down_is_no_reason_to_leave_things_behind() -> None:
    async def fail(item: Item) -> None:
        raise Unreachable("the cluster is down")

    async def scenario(world: World) -> None:
        world.sample.on_delete = fail
        await deploy(world, PLACE)
        await world.cluster.patch(TARGETS, "place", HOLD, namespace=SHOP)
        await world.cluster.delete(NAMESPACES, SHOP)
        await asyncio.sleep(120)
        assert (await item_of(world)).status.phase == Phase.DELETE_FAILED
        await world.cluster.patch(TARGETS, "place", RELEASE, namespace=SHOP)

    in_a_world(scenario)


def test_without_its_target_an_item_stays_as_long_as_its_namespace_does() -> None:
    async def scenario(world: World) -> None:
        await deploy(world, PLACE)
        await world.cluster.delete(TARGETS, "place", namespace=SHOP)
        await world.cluster.delete(DEPLOY_ITEMS, "one", namespace=SHOP)
        await asyncio.sleep(5)
        assert (await item_of(world)).status.phase == Phase.DELETE_FAILED

    in_a_world(scenario)


def test_who_may_not_see_namespaces_fails_as_ever() -> None:
    async def scenario(world: World) -> None:
        await deploy(world, PLACE)
        reading = world.controller._place.reading
        object.__setattr__(reading, "cluster", _NoNamespaces(world.cluster))
        await world.cluster.delete(NAMESPACES, SHOP)
        await asyncio.sleep(5)
        assert (await item_of(world)).status.phase == Phase.DELETE_FAILED

    in_a_world(scenario)


class _NoNamespaces:
    """A cluster that lets nobody look at namespaces."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster

    async def get(self, resource: Any, name: str, **options: Any) -> Any:
        if resource is NAMESPACES:
            raise Forbidden("you may not get namespaces")
        return await self._cluster.get(resource, name, **options)
