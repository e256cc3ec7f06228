"""What starts a job, and what does not. E01 and so on are the numbers of the original's edge cases."""

from __future__ import annotations

import asyncio

from tests.installations.objects import blueprint, installation, item, template
from tests.installations.worlds import World, in_a_world

from landform.api.names import Annotation, Finalizer, Operation


def test_e01_a_new_installation_that_nobody_starts_gets_finalizer_and_context_and_no_phase() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item()])), start=False)
        await asyncio.sleep(60)
        shop = await world.get("shop")
        assert shop.metadata.finalizers == (Finalizer.LANDSCAPER,)
        assert shop.spec.context == "default"
        assert (shop.status.phase, shop.status.job_id) == (None, None)

    in_a_world(scenario)


def test_e02_a_sub_installation_is_not_started_by_its_annotation() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(subinstallations=[template("db")])))
        job = (await world.finished("shop")).status.job_id
        db = (await world.child("db")).metadata.name or ""
        await world.annotate(db, operation=Operation.RECONCILE)
        await asyncio.sleep(60)
        child = await world.get(db)
        assert Annotation.OPERATION not in (child.metadata.annotations or {})
        assert child.status.job_id == job

    in_a_world(scenario)


def test_e03_a_request_during_a_job_starts_another_one_after_it() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item(delay="10s")])))
        first = (await world.until("shop", "Progressing")).status.job_id
        await world.annotate("shop", operation=Operation.RECONCILE)
        await asyncio.sleep(5)
        shop = await world.get("shop")
        assert (shop.status.job_id, Annotation.OPERATION in (shop.metadata.annotations or {})) == (first, True)
        done = await world.finished("shop")
        assert done.status.job_id != first
        assert done.status.phase == "Succeeded"
        assert world.phases["shop"] == ["Init", "Progressing", "Succeeded", "Init", "Progressing", "Succeeded"]

    in_a_world(scenario)


def test_a_changed_specification_starts_a_job_only_if_that_is_wanted() -> None:
    async def scenario(world: World) -> None:
        annotations = {str(Annotation.RECONCILE_IF_CHANGED): "true"}
        await world.apply(installation("eager", annotations=annotations), start=False)
        first = await world.finished("eager")
        assert first.status.phase == "Succeeded"
        await world.change("eager", importDataMappings={"unused": 1})
        await asyncio.sleep(60)
        second = await world.get("eager")
        assert second.status.job_id != first.status.job_id
        assert second.status.phase == "Succeeded"
        assert (second.metadata.annotations or {}).get(Annotation.RECONCILE_IF_CHANGED) == "true"
        await world.apply(installation("calm"))
        before = await world.finished("calm")
        await world.change("calm", importDataMappings={"unused": 1})
        await asyncio.sleep(60)
        assert (await world.get("calm")).status.job_id == before.status.job_id

    in_a_world(scenario)


def test_times_of_a_job_are_told() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item(delay="10s")])))
        times = (await world.finished("shop")).status.transition_times
        assert times is not None
        assert times.trigger_time == times.init_time == times.wait_time
        assert times.finished_time is not None
        assert times.init_time is not None
        assert 9 <= (times.finished_time - times.init_time).total_seconds() <= 11

    in_a_world(scenario)


def test_a_resync_of_a_finished_installation_writes_nothing() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item()], subinstallations=[template("db")])))
        await world.finished("shop")
        await asyncio.sleep(60)
        world.writes.clear()
        world.controller.resync()
        await asyncio.sleep(60)
        assert world.writes == []

    in_a_world(scenario)
