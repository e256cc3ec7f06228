"""Items that no deployer begins: they say so, and fail in the end."""

from __future__ import annotations

import asyncio

from tests.executions.worlds import World, in_a_world, now, template

from landform.api import conditions
from landform.api.phases import Phase


def test_after_a_moment_an_item_says_that_no_deployer_has_begun() -> None:
    async def scenario(world: World) -> None:
        world.tiny.ignores.add("a")
        await world.apply(template("a"))
        await world.trigger("J")
        await asyncio.sleep(0.9)
        assert (await world.item("a")).status.conditions is None
        await asyncio.sleep(2)
        said = conditions.find((await world.item("a")).status.conditions, "Waiting")
        assert said is not None
        assert (said.reason, said.message) == ("NoDeployer", "no deployer for type example.com/tiny has begun")
        above = conditions.find((await world.execution()).status.conditions, "Waiting")
        assert above is not None
        assert above.reason == "Children"
        assert above.message.endswith("(a) has not been begun: no deployer for type example.com/tiny has begun")

    in_a_world(scenario)


def test_after_five_minutes_it_fails() -> None:
    async def scenario(world: World) -> None:
        world.tiny.ignores.add("a")
        await world.apply(template("a"))
        ended = await world.run("J")
        assert 299 <= asyncio.get_running_loop().time() <= 302
        assert ended.status.phase == "Failed"
        item = await world.item("a")
        assert (item.status.phase, item.status.job_id_finished) == (Phase.FAILED, "J")
        assert item.status.observed_generation == 1
        error = item.status.last_error
        assert error is not None
        assert (error.operation, error.reason, error.codes) == ("WaitingForPickup", "PickupTimeout", ("ERR_TIMEOUT",))
        assert "within 300 seconds" in error.message
        assert "type example.com/tiny" in error.message
        assert not item.status.conditions

    in_a_world(scenario)


def test_a_missing_target_is_hinted_at() -> None:
    async def scenario(world: World) -> None:
        world.tiny.ignores.add("a")
        await world.apply(template("a", target={"name": "nowhere", "namespace": "default"}))
        await world.run("J")
        error = (await world.item("a")).status.last_error
        assert error is not None
        assert error.message.endswith("its Target nowhere does not exist")

    in_a_world(scenario)


def test_an_item_without_a_deadline_may_take_as_long_as_it_takes_once_it_is_begun() -> None:
    async def scenario(world: World) -> None:
        world.tiny.ignores.add("a")
        await world.apply(template("a", timeout="none"))
        await world.trigger("J")
        await asyncio.sleep(10)
        await world.say("a", {"phase": "Progressing", "conditions": [], "transitionTimes": {"initTime": now()}})
        await asyncio.sleep(3600)
        assert (await world.item("a")).status.phase == "Progressing"

    in_a_world(scenario)


def test_the_second_job_within_one_second_has_a_pickup_timeout_of_its_own() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await world.run("J")
        world.tiny.ignores.add("a")
        ended = await world.run("K")  # the last job's lastReconcileTime is not before this job's beginning
        assert ended.status.phase == "Failed"

    in_a_world(scenario)


def test_without_a_timeout_an_item_waits_for_ever_and_says_so() -> None:
    async def scenario(world: World) -> None:
        world.tiny.ignores.add("a")
        await world.apply(template("a"))
        await world.trigger("J")
        await asyncio.sleep(86_400)
        item = await world.item("a")
        assert item.status.job_id_finished is None
        assert conditions.find(item.status.conditions, "Waiting") is not None
        world.tiny.ignores.clear()

    in_a_world(scenario, pickup=None)


def test_an_item_whose_deployer_dies_fails_five_minutes_after_its_deadline() -> None:
    async def scenario(world: World) -> None:
        world.tiny.seconds = 10**9
        await world.apply(template("a", timeout="20m"))
        ended = await world.run("J")
        assert 25 * 60 - 2 <= asyncio.get_running_loop().time() <= 25 * 60 + 3
        assert ended.status.phase == "Failed"
        error = (await world.item("a")).status.last_error
        assert error is not None
        assert (error.operation, error.reason, error.codes) == ("WaitingForDeployer", "DeployerGone", ("ERR_TIMEOUT",))
        assert "is it still running?" in error.message

    in_a_world(scenario)


def test_a_deployer_whose_clock_is_behind_has_the_same_time() -> None:
    async def scenario(world: World) -> None:
        world.tiny.ignores.add("a")
        await world.apply(template("a", timeout="20m"))
        await world.trigger("J")
        await asyncio.sleep(1)
        await world.say("a", {"phase": "Progressing", "transitionTimes": {"initTime": "2029-12-31T00:00:00Z"}})
        await asyncio.sleep(24 * 60)
        assert (await world.item("a")).status.phase == "Progressing"
        await asyncio.sleep(2 * 60)
        assert (await world.item("a")).status.phase == "Failed"

    in_a_world(scenario)
