"""A deployer may tell what it would do; the library gives it what it gives for the work itself."""

from __future__ import annotations

import asyncio

import pytest
from tests.deployers.library.worlds import Sample, World, in_a_world

from landform.api.errors import OperationFailed
from landform.deployers.library import Action, Change, EventType, Item, Plan


class Planner(Sample):
    """Plans to greet, and greets."""

    async def plan(self, item: Item) -> Plan | None:
        who = item.config["who"]
        return Plan((Change(Action.CREATE, "v1", "Greeting", who), Change(Action.LEAVE, "v1", "Greeting", "others")))


def test_a_plan_is_made_of_the_item_and_nothing_is_written() -> None:
    async def scenario(world: World) -> None:
        item = await world.create(config={"who": "world"})
        plan = await world.controller.plan(item)
        assert plan is not None
        assert [change.name for change in plan.of(Action.CREATE)] == ["world"]
        assert world.writes == []
        assert (await world.item()).status.phase is None

    in_a_world(scenario, deployer=Planner())


def test_a_deployer_need_not_plan() -> None:
    async def scenario(world: World) -> None:
        assert await world.controller.plan(await world.create()) is None

    in_a_world(scenario)


def test_what_is_wrong_with_the_item_is_raised() -> None:
    async def scenario(world: World) -> None:
        item = await world.create(config={"who": "x"}, target={"name": "nowhere", "namespace": "default"})
        with pytest.raises(OperationFailed, match="nowhere does not exist"):
            await world.controller.plan(item)

    in_a_world(scenario, deployer=Planner())


def test_exports_may_be_kept_without_exporting_again() -> None:
    async def scenario(world: World) -> None:
        async def first(item: Item) -> None:
            await item.export({"a": 1})

        async def then(item: Item) -> None:
            item.keep_exports()
            item.tell(EventType.NORMAL, "Kept", "nothing was exported anew")

        world.sample.on_reconcile = first
        await world.run_job()
        world.sample.on_reconcile = then
        await world.trigger()
        await asyncio.sleep(0.05)
        assert (await world.item()).status.export_ref is not None
        assert await world.exported() == {"a": 1}
        assert ("Normal", "Kept", "nothing was exported anew") in await world.events()

    in_a_world(scenario)
