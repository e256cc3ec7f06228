"""Interrupting an Execution: everything unfinished fails at once, and the next run works."""

from __future__ import annotations

import asyncio

from tests.executions.worlds import NAMESPACE, World, in_a_world, template

from landform.api.names import Annotation, Operation
from landform.cluster.kinds import EXECUTIONS


def test_an_interrupt_fails_what_runs_and_what_has_not_started() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("done"), template("running", "done"), template("waiting", "running"))
        await world.trigger("J")
        await asyncio.sleep(15)
        await world.annotate(Annotation.OPERATION, Operation.INTERRUPT)
        ended = await world.ended(within=1)
        assert ended.status.phase == "Failed"
        await asyncio.sleep(1)
        assert Annotation.OPERATION not in ((await world.execution()).metadata.annotations or {})
        items = await world.items()
        assert {name: item.status.phase for name, item in items.items()} == {
            "done": "Succeeded",
            "running": "Failed",
            "waiting": "Failed",
        }
        for name in ("running", "waiting"):
            assert items[name].status.job_id_finished == "J"
            error = items[name].status.last_error
            assert error is not None
            assert (error.operation, error.reason) == ("InterruptOperation", "InterruptOperation")
        assert (await world.run("K")).status.phase == "Succeeded"

    in_a_world(scenario, seconds=10.0)


def test_an_interrupt_that_comes_with_the_job_ends_it_before_it_begins() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await world.annotate(Annotation.OPERATION, Operation.INTERRUPT)
        await world.trigger("J")
        await asyncio.sleep(1)
        ended = await world.execution()
        assert ended.status.phase == "Failed"
        assert ended.status.last_error is not None
        assert ended.status.last_error.reason == "InterruptOperation"
        assert Annotation.OPERATION not in (ended.metadata.annotations or {})
        assert await world.items() == {}
        assert (await world.run("K")).status.phase == "Succeeded"

    in_a_world(scenario)


def test_an_interrupt_without_a_job_is_taken_off_and_changes_nothing() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await world.run("J")
        world.recording.writes.clear()
        await world.annotate(Annotation.OPERATION, Operation.INTERRUPT)
        await asyncio.sleep(1)
        assert world.recording.writes == ["patch Execution"]
        assert (await world.item("a")).status.phase == "Succeeded"

    in_a_world(scenario)


def test_an_interrupt_during_deletion_ends_in_delete_failed() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await world.run("J")
        await world.cluster.delete(EXECUTIONS, "shop", namespace=NAMESPACE)
        await world.trigger("D")
        await asyncio.sleep(5)
        await world.annotate(Annotation.OPERATION, Operation.INTERRUPT)
        ended = await world.ended(within=1)
        assert ended.status.phase == "DeleteFailed"
        assert (await world.item("a")).status.phase == "DeleteFailed"
        assert await world.delete("E") is None

    in_a_world(scenario, seconds=10.0)


def test_an_interrupt_between_jobs_ends_a_scheduled_pass_and_nothing_else() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"), template("b"))
        await world.run("J")
        await world.say("a", {"jobID": "J.pass1", "phase": "Progressing"})
        await asyncio.sleep(1)
        await world.annotate(Annotation.OPERATION, Operation.INTERRUPT)
        await asyncio.sleep(1)
        items = await world.items()
        assert (items["a"].status.phase, items["a"].status.job_id_finished) == ("Failed", "J.pass1")
        assert items["b"].status.phase == "Succeeded"
        assert (await world.execution()).status.phase == "Succeeded"

    in_a_world(scenario)
