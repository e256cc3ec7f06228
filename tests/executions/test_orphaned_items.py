"""Items that an Execution no longer wants: they go before anything else begins."""

from __future__ import annotations

import asyncio

from tests.executions.worlds import World, in_a_world, template

from landform.api import conditions
from landform.api.names import Annotation
from landform.cluster.codec import key_of
from landform.cluster.kinds import DEPLOY_ITEMS


def test_a_removed_item_is_gone_before_any_other_begins() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("old"), template("kept"))
        await world.run("J")
        world.tiny.log.clear()
        await world.apply(template("kept"), template("new"))
        assert (await world.run("K")).status.phase == "Succeeded"
        assert world.tiny.log[:2] == ["+old!", "-old!"]
        assert sorted(await world.items()) == ["kept", "new"]

    in_a_world(scenario, seconds=2.0)


def test_removed_items_go_in_the_reverse_of_their_order() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"), template("b", "a"), template("c", "b"), template("kept"))
        await world.run("J")
        world.tiny.log.clear()
        await world.apply(template("kept"))
        await world.run("K")
        assert world.tiny.log == ["+c!", "-c!", "+b!", "-b!", "+a!", "-a!", "+kept", "-kept"]

    in_a_world(scenario, seconds=2.0)


def test_all_items_can_be_removed() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"), template("b", "a"))
        await world.run("J")
        await world.apply()
        ended = await world.run("K")
        assert ended.status.phase == "Succeeded"
        assert ended.status.deploy_item_cache is None
        assert await world.items() == {}

    in_a_world(scenario)


def test_a_removed_item_that_cannot_be_uninstalled_fails_the_job_and_nothing_begins() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("old"), template("kept"))
        await world.run("J")
        world.tiny.log.clear()
        world.tiny.fails.add("old!")
        await world.apply(template("kept"))
        ended = await world.run("K")
        assert ended.status.phase == "Failed"
        assert ended.status.last_error is not None
        assert ended.status.last_error.reason == "OrphanedDeployItemsFailed"
        assert "old! does not work" in ended.status.last_error.message
        assert world.tiny.log == ["+old!", "-old!"]
        world.tiny.fails.clear()
        assert (await world.run("L")).status.phase == "Succeeded"

    in_a_world(scenario)


def test_a_removed_item_without_a_deployer_fails_the_job_after_the_pickup_timeout() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("old"), template("kept"))
        await world.run("J")
        world.tiny.ignores.add("old")
        await world.apply(template("kept"))
        started = asyncio.get_running_loop().time()
        await world.trigger("K")
        await asyncio.sleep(10)
        waiting = conditions.find((await world.execution()).status.conditions, "Waiting")
        assert waiting is not None
        assert waiting.reason == "Orphans"
        assert "(old) has not been begun: no deployer for type example.com/tiny has begun" in waiting.message
        ended = await world.ended()
        assert ended.status.phase == "Failed"
        assert 299 <= asyncio.get_running_loop().time() - started <= 302
        assert ended.status.last_error is not None
        assert "type example.com/tiny" in ended.status.last_error.message
        assert conditions.find(ended.status.conditions, "Waiting") is None

    in_a_world(scenario)


def test_a_removed_item_marked_so_goes_without_its_deployer() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("old"), template("kept"))
        await world.run("J")
        world.tiny.ignores.add("old")
        change = {"metadata": {"annotations": {Annotation.DELETE_WITHOUT_UNINSTALL: "true"}}}
        old = key_of(await world.item("old"))
        await world.cluster.patch(DEPLOY_ITEMS, old.name, change, namespace=old.namespace)
        await world.apply(template("kept"))
        assert (await world.run("K", within=10)).status.phase == "Succeeded"
        assert [*await world.items()] == ["kept"]

    in_a_world(scenario)
