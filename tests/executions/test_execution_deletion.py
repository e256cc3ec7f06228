"""The deletion of Executions: in reverse order, past everything that is broken, and never wedged in silence."""

from __future__ import annotations

import asyncio

from tests.executions.worlds import NAMESPACE, World, in_a_world, template

from landform.api import conditions
from landform.api.names import Annotation, Finalizer
from landform.cluster.codec import key_of
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS


def test_items_are_uninstalled_in_the_reverse_of_their_order() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"), template("b", "a"), template("c", "a"), template("d", "b", "c"))
        await world.run("J")
        world.tiny.log.clear()
        assert await world.delete("D") is None
        assert world.tiny.log[:2] == ["+d!", "-d!"]
        assert world.tiny.log[-2:] == ["+a!", "-a!"]
        assert await world.items() == {}

    in_a_world(scenario, seconds=2.0)


def test_the_deletion_of_one_item_costs_five_writes() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await world.run("J")
        world.recording.writes.clear()
        await world.delete("D")
        assert world.recording.writes == [
            "delete DeployItem",
            "patch Execution/status",
            "patch DeployItem/status",
            "patch DeployItem",  # the deployer takes its finalizer off
            "patch Execution",
        ]

    in_a_world(scenario)


def test_an_execution_that_never_ran_is_deleted_in_one_write() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        assert await world.delete("D") is None
        assert world.recording.writes == ["patch Execution"]

    in_a_world(scenario)


def test_the_exports_go_with_the_execution() -> None:
    async def scenario(world: World) -> None:
        world.tiny.exports["a"] = {"x": 1}
        await world.apply(template("a"))
        await world.run("J")
        assert await world.exports() == [{"a": {"x": 1}}]
        await world.delete("D")
        await asyncio.sleep(10)
        assert not (await world.cluster.list(DATA_OBJECTS, namespace=NAMESPACE)).items

    in_a_world(scenario)


def test_a_failed_execution_is_deleted() -> None:
    async def scenario(world: World) -> None:
        world.tiny.fails.add("a")
        await world.apply(template("a"), template("b", "a"))
        await world.run("J")
        assert await world.delete("D") is None
        assert await world.items() == {}

    in_a_world(scenario)


def test_items_that_are_gone_already_are_fine() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"), template("b", "a"))
        await world.run("J")
        item = await world.item("b")
        await world.cluster.patch(
            DEPLOY_ITEMS, key_of(item).name, {"metadata": {"finalizers": []}}, namespace=NAMESPACE
        )
        await world.delete_item("b")
        assert await world.delete("D") is None

    in_a_world(scenario)


def test_deletion_does_not_look_at_the_specification() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"), template("b", "a"))
        await world.run("J")
        world.tiny.log.clear()
        await world.apply(context="no-such-context")  # and no items
        assert await world.delete("D") is None
        assert world.tiny.log == ["+b!", "-b!", "+a!", "-a!"]

    in_a_world(scenario)


def test_orphans_are_deleted_too() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("old"), template("kept"))
        await world.run("J")
        world.tiny.fails.add("old!")
        await world.apply(template("kept"))
        assert (await world.run("K")).status.phase == "Failed"
        world.tiny.fails.clear()
        assert await world.delete("D") is None
        assert await world.items() == {}

    in_a_world(scenario)


def test_without_uninstall_deployers_are_not_asked() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"), template("b", "a"))
        await world.run("J")
        world.tiny.log.clear()
        await world.annotate(Annotation.DELETE_WITHOUT_UNINSTALL, "true")
        assert await world.delete("D", within=10) is None
        assert world.tiny.log == []
        assert await world.items() == {}

    in_a_world(scenario)


def test_an_item_that_cannot_be_uninstalled_stops_the_deletion_until_the_next_job() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"), template("b", "a"))
        await world.run("J")
        world.tiny.fails.add("b!")
        left = await world.delete("D")
        assert left is not None
        assert left.status.phase == "DeleteFailed"
        assert left.status.last_error is not None
        lines = left.status.last_error.message.splitlines()
        assert lines[0] == "deploy items could not be deleted: b"
        assert lines[1].endswith("Broken: b! does not work")
        assert lines[2] == "not started: a"
        world.tiny.fails.clear()
        assert await world.delete("E") is None

    in_a_world(scenario)


def test_a_missing_deployer_ends_in_delete_failed_naming_type_and_item() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await world.run("J")
        world.tiny.ignores.add("a")
        started = asyncio.get_running_loop().time()
        left = await world.delete("D")
        assert asyncio.get_running_loop().time() - started <= 302
        assert left is not None
        assert left.status.phase == "DeleteFailed"
        assert left.status.last_error is not None
        assert "a (shop-a-" in left.status.last_error.message
        assert "PickupTimeout" in left.status.last_error.message
        assert "example.com/tiny" in left.status.last_error.message
        # The way out: say that nothing is to be uninstalled, and try again.
        await world.annotate(Annotation.DELETE_WITHOUT_UNINSTALL, "true")
        assert await world.delete("E") is None

    in_a_world(scenario)


def test_a_foreign_finalizer_is_named() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await world.run("J")
        name = key_of(await world.item("a")).name
        finalizers = {"metadata": {"finalizers": [Finalizer.LANDSCAPER, "example.com/backup"]}}
        await world.cluster.patch(DEPLOY_ITEMS, name, finalizers, namespace=NAMESPACE)
        await world.cluster.delete(EXECUTIONS, "shop", namespace=NAMESPACE)
        await world.trigger("D")
        await asyncio.sleep(10)
        waiting = conditions.find((await world.execution()).status.conditions, "Waiting")
        assert waiting is not None
        assert waiting.reason == "Finalizer"
        assert "is held by the finalizer example.com/backup" in waiting.message
        await world.cluster.patch(DEPLOY_ITEMS, name, {"metadata": {"finalizers": []}}, namespace=NAMESPACE)
        await asyncio.sleep(1)
        assert not (await world.cluster.list(EXECUTIONS, namespace=NAMESPACE)).items

    in_a_world(scenario)


def test_a_job_that_runs_when_deletion_is_asked_for_is_finished_first() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await world.trigger("J")
        await asyncio.sleep(1)
        await world.cluster.delete(EXECUTIONS, "shop", namespace=NAMESPACE)
        assert (await world.ended()).status.phase == "Succeeded"
        await asyncio.sleep(60)
        assert [*await world.items()] == ["a"]
        assert await world.delete("D") is None

    in_a_world(scenario, seconds=5.0)
