"""Executions and items whose parent is gone: they are uninstalled all the same, in order, and nothing is left."""

from __future__ import annotations

import asyncio

from tests.executions.worlds import NAMESPACE, World, in_a_world, template

from landform.api.names import TRUE, Annotation
from landform.cluster.codec import key_of
from landform.cluster.kinds import DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS

FREE = {"metadata": {"finalizers": None}}


async def adopt(world: World) -> None:
    """Have an Installation that the Execution belongs to."""
    body = {"metadata": {"name": "shop"}, "spec": {"blueprint": {"inline": {"filesystem": {}}}}}
    parent = await world.cluster.create(INSTALLATIONS, body, namespace=NAMESPACE)
    owner = {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "Installation",
        "name": "shop",
        "uid": parent.metadata.uid,
        "controller": True,
    }
    await world.cluster.patch(EXECUTIONS, "shop", {"metadata": {"ownerReferences": [owner]}}, namespace=NAMESPACE)


async def left(world: World) -> list[str]:
    found = [*(await world.cluster.list(EXECUTIONS)).items, *(await world.cluster.list(DEPLOY_ITEMS)).items]
    return [str(key_of(each)) for each in found]


def test_an_execution_whose_installation_is_gone_deletes_itself() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"), template("b", "a"))
        await adopt(world)
        await world.run("J")
        world.tiny.log.clear()
        await world.cluster.delete(INSTALLATIONS, "shop", namespace=NAMESPACE)
        await asyncio.sleep(30)
        assert world.tiny.log == ["+b!", "-b!", "+a!", "-a!"]
        assert await left(world) == []

    in_a_world(scenario)


def test_an_execution_waits_for_an_installation_that_is_there() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await adopt(world)
        await world.run("J")
        await world.cluster.delete(EXECUTIONS, "shop", namespace=NAMESPACE)
        await asyncio.sleep(600)
        assert (await world.execution()).status.job_id == "J"

    in_a_world(scenario)


def test_items_whose_execution_is_gone_are_uninstalled_in_the_reverse_of_their_order() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"), template("b", "a"))
        await world.run("J")
        world.tiny.log.clear()
        await world.cluster.patch(EXECUTIONS, "shop", FREE, namespace=NAMESPACE)
        await world.cluster.delete(EXECUTIONS, "shop", namespace=NAMESPACE)
        await asyncio.sleep(30)
        assert world.tiny.log == ["+b!", "-b!", "+a!", "-a!"]
        assert await left(world) == []

    in_a_world(scenario)


def test_what_cannot_be_uninstalled_stays_until_people_let_it_go() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await adopt(world)
        await world.run("J")
        world.tiny.fails.add("a!")
        await world.cluster.delete(INSTALLATIONS, "shop", namespace=NAMESPACE)
        await asyncio.sleep(600)
        assert (await world.execution()).status.phase == "DeleteFailed"
        await world.annotate(Annotation.DELETE_WITHOUT_UNINSTALL, TRUE)
        await asyncio.sleep(30)
        assert await left(world) == []

    in_a_world(scenario)
