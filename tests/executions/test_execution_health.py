"""The condition Healthy: whether everything below is now as the last job left it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tests.executions.worlds import World, in_a_world, now, template

from landform.api import conditions

if TYPE_CHECKING:
    from landform.api.conditions import Condition

ERROR = {"operation": "Deploy", "reason": "Drift", "message": "the chart is gone"}


async def health(world: World) -> Condition:
    found = conditions.find((await world.execution()).status.conditions, "Healthy")
    assert found is not None
    return found


async def a_pass(world: World, job: str, *, fails: bool) -> None:
    """A scheduled pass of item a."""
    await world.say("a", {"jobID": job, "phase": "Progressing"})
    await asyncio.sleep(3)
    error = {**ERROR, "lastTransitionTime": now(), "lastUpdateTime": now()} if fails else None
    await world.say("a", {"jobIDFinished": job, "phase": "Failed" if fails else "Succeeded", "lastError": error})
    await asyncio.sleep(1)


def test_it_moves_when_a_scheduled_pass_fails_and_when_one_recovers() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"), template("b"))
        await world.run("J")
        assert (await health(world)).status == "True"
        await a_pass(world, "J.1", fails=False)
        assert (await health(world)).status == "True"
        await a_pass(world, "J.2", fails=True)
        unwell = await health(world)
        assert unwell.status == "False"
        assert "(a) is in phase Failed: the chart is gone" in unwell.message
        assert (await world.execution()).status.phase == "Succeeded"  # how the last job ended
        await world.say("a", {"jobID": "J.3", "phase": "Progressing"})
        await asyncio.sleep(1)
        assert (await health(world)).status == "False"  # until the pass has ended well
        await world.say("a", {"jobIDFinished": "J.3", "phase": "Succeeded", "lastError": None})
        await asyncio.sleep(1)
        assert (await health(world)).status == "True"

    in_a_world(scenario)


def test_a_pass_that_ends_well_costs_the_execution_no_write() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await world.run("J")
        world.recording.writes.clear()
        await a_pass(world, "J.1", fails=False)
        assert world.recording.writes == []

    in_a_world(scenario)


def test_after_a_failed_job_it_says_why_and_after_the_next_it_is_well() -> None:
    async def scenario(world: World) -> None:
        world.tiny.fails.add("a")
        await world.apply(template("a"))
        await world.run("J")
        unwell = await health(world)
        assert (unwell.status, unwell.message) == ("False", "1 of 1 deploy items failed: a")
        world.tiny.fails.clear()
        await world.run("K")
        assert (await health(world)).status == "True"

    in_a_world(scenario)


def test_a_pass_during_the_job_is_neither_a_foreign_job_nor_a_reason_to_start_again() -> None:
    async def scenario(world: World) -> None:
        world.tiny.ignores.add("b")
        await world.apply(template("a"), template("b"))
        await world.trigger("J")
        await asyncio.sleep(1)
        await world.say("a", {"jobID": "J.1", "phase": "Progressing"})
        await asyncio.sleep(1)
        await world.say("b", {"jobIDFinished": "J", "phase": "Succeeded"})
        await asyncio.sleep(1)
        assert (await world.item("a")).status.job_id == "J.1"
        await world.say("a", {"jobIDFinished": "J.1", "phase": "Succeeded"})
        assert (await world.ended(within=1)).status.phase == "Succeeded"
        assert (await world.item("a")).status.job_id == "J.1"

    in_a_world(scenario)
