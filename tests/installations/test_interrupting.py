"""`operation: interrupt`: what works below fails at once, and so does what only waits."""

from __future__ import annotations

import asyncio

from tests.installations.objects import blueprint, consumer, installation, item, producer, template
from tests.installations.worlds import World, in_a_world

from landform.api.names import Annotation, Operation


def test_e20_everything_unfinished_fails_at_once_and_the_next_job_works() -> None:
    slow = blueprint(items=[item(delay="1h"), item("after", depends_on=["base"])])
    made = blueprint(items=[item(delay="1h")], subinstallations=[template("db", slow), template("quick")])

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", made))
        await world.until("shop", "Progressing")
        await asyncio.sleep(30)
        await world.annotate("shop", operation=Operation.INTERRUPT)
        done = await world.finished("shop", seconds=5)
        assert done.status.phase == "Failed"
        assert Annotation.OPERATION not in (done.metadata.annotations or {})
        assert (await world.child("db")).status.phase == "Failed"
        assert (await world.child("quick")).status.phase == "Succeeded"
        await asyncio.sleep(60)
        assert (await world.get("shop")).status.job_id == done.status.job_id
        await world.change("shop", blueprint=installation("shop", blueprint(items=[item()]))["spec"]["blueprint"])
        assert (await world.reconcile("shop")).status.phase == "Succeeded"

    in_a_world(scenario)


def test_an_installation_that_waits_for_its_predecessor_fails_at_once() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("a", "x", 1, delay="1h"))
        await world.apply(consumer("b", "x"))
        await world.until("b", "Init")
        await world.annotate("b", operation=Operation.INTERRUPT)
        done = await world.finished("b", seconds=5)
        assert done.status.last_error is not None
        assert (done.status.phase, done.status.last_error.reason) == ("Failed", "InterruptOperation")
        assert Annotation.OPERATION not in ((await world.get("b")).metadata.annotations or {})
        assert (await world.get("a")).status.phase == "Progressing"

    in_a_world(scenario)


def test_a_finished_installation_only_loses_the_annotation() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item()])))
        before = await world.finished("shop")
        await world.annotate("shop", operation=Operation.INTERRUPT)
        await asyncio.sleep(5)
        after = await world.get("shop")
        assert after.status == before.status
        assert Annotation.OPERATION not in (after.metadata.annotations or {})

    in_a_world(scenario)


def test_a_deletion_that_is_held_up_can_be_given_up() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("a", "x", 1))
        await world.finished("a")
        await world.apply(consumer("b", "x"))
        await world.finished("b")
        await world.delete("a")
        await world.until("a", "InitDelete")
        await world.annotate("a", operation=Operation.INTERRUPT)
        done = await world.until("a", "DeleteFailed", seconds=5)
        assert done.status.last_error is not None
        assert done.status.last_error.reason == "InterruptOperation"

    in_a_world(scenario)
