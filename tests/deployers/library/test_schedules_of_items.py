"""Continuous reconcile: finished items are deployed again at set times."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.deployers.library.worlds import World, in_a_world

from landform.api import jobs
from landform.api.names import Annotation
from landform.api.phases import Phase
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.deployers.library import HookResult, OperationFailed, Terminal, continuous
from landform.kit import clocks, cron, durations
from landform.testing import time

if TYPE_CHECKING:
    from landform.deployers.library import Item

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def every(text: str) -> dict[str, Any]:
    return {"continuousReconcile": {"every": text}}


def test_an_item_is_deployed_again_at_each_interval_under_a_job_of_its_own() -> None:
    async def scenario(world: World) -> None:
        await world.run_job(config=every("1m"))
        await asyncio.sleep(200)
        assert world.sample.times() == pytest.approx([0.0, 60.0, 120.0, 180.0], abs=0.1)
        status = (await world.item()).status
        assert jobs.is_pass(status.job_id)
        assert (jobs.base(status.job_id), status.job_id_finished) == ("job-1", status.job_id)
        assert (status.phase, status.last_reconcile_time) == (Phase.SUCCEEDED, time.START + timedelta(seconds=180))

    in_a_world(scenario)


def test_a_pass_is_claimed_before_it_is_worked_on_and_costs_two_writes() -> None:
    async def scenario(world: World) -> None:
        seen: list[tuple[str | None, bool]] = []

        async def work(item: Item) -> None:
            status = (await world.item()).status
            seen.append((status.phase, jobs.is_pass(status.job_id)))

        world.sample.on_reconcile = work
        await world.run_job(config=every("1m"))
        world.writes.clear()
        await asyncio.sleep(61)
        assert seen[1] == (Phase.INIT, True)
        assert world.writes == ["patch deployitems status"] * 2

    in_a_world(scenario)


def test_a_job_puts_the_interval_off() -> None:
    async def scenario(world: World) -> None:
        await world.run_job(config=every("1m"))
        await asyncio.sleep(50)
        await world.trigger()
        await asyncio.sleep(100)
        assert world.sample.times() == pytest.approx([0.0, 50.05, 110.0], abs=0.1)

    in_a_world(scenario)


def test_an_interval_counts_by_the_clock_of_the_deployer() -> None:
    async def scenario(world: World) -> None:
        await world.create(config=every("1m"))
        ahead = clocks.rfc3339(world.now() + timedelta(hours=1))
        await world.write_status("one", {"jobID": "job-1", "jobIDGenerationTime": ahead})
        await asyncio.sleep(130)
        assert world.sample.times() == pytest.approx([0.0, 60.0, 120.0], abs=0.1)

    in_a_world(scenario)


def test_a_job_does_not_put_a_cron_schedule_off() -> None:
    async def scenario(world: World) -> None:
        await world.run_job(config={"continuousReconcile": {"cron": "*/5 * * * *"}})
        await asyncio.sleep(290)
        await world.trigger()
        await asyncio.sleep(100)
        assert world.sample.times() == pytest.approx([0.0, 290.05, 300.0], abs=0.1)

    in_a_world(scenario)


def test_a_schedule_survives_a_restart_and_missed_times_are_made_up_once() -> None:
    async def scenario(world: World) -> None:
        await world.run_job(config=every("1m"))
        await world.stop()
        await asyncio.sleep(600)
        await world.start()
        await asyncio.sleep(70)
        assert world.sample.times() == pytest.approx([0.0, 600.05, 660.05], abs=0.2)

    in_a_world(scenario)


def test_a_pass_that_a_restart_cut_off_is_finished_under_its_job() -> None:
    async def slow(item: Item) -> None:
        await asyncio.sleep(30)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = slow
        await world.run_job(config=every("10m"), timeout="1h")
        await asyncio.sleep(610)
        job = (await world.item()).status.job_id
        assert jobs.is_pass(job)
        await world.stop()
        await world.start()
        await asyncio.sleep(31)
        status = (await world.item()).status
        assert (status.phase, status.job_id, status.job_id_finished) == (Phase.SUCCEEDED, job, job)

    in_a_world(scenario)


def test_a_pass_that_is_not_finished_when_the_next_is_due_is_not_started_again() -> None:
    async def slow(item: Item) -> None:
        await asyncio.sleep(150)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = slow
        await world.run_job(config=every("1m"))
        await asyncio.sleep(500)
        assert world.sample.times() == pytest.approx([0.0, 150.0, 300.0, 450.0], abs=0.5)
        assert world.sample.overlaps == 0

    in_a_world(scenario)


def test_a_job_that_arrives_during_a_pass_is_neither_lost_nor_done_twice() -> None:
    async def slow(item: Item) -> None:
        await asyncio.sleep(20)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = slow
        await world.run_job(config=every("1m"))
        await asyncio.sleep(65)
        assert jobs.is_pass((await world.item()).status.job_id)
        await world.trigger(job="real")
        await asyncio.sleep(30)
        status = (await world.item()).status
        assert (status.phase, status.job_id, status.job_id_finished) == (Phase.SUCCEEDED, "real", "real")
        assert len(world.sample.times()) == 3
        assert world.sample.overlaps == 0

    in_a_world(scenario)


def test_a_failed_item_is_deployed_again_and_recovers() -> None:
    async def scenario(world: World) -> None:
        async def work(item: Item) -> None:
            if len(world.sample.calls) == 1:
                raise Terminal("Broken", "not yet")

        world.sample.on_reconcile = work
        item = await world.run_job(config=every("1m"))
        assert item.status.phase == Phase.FAILED
        await asyncio.sleep(61)
        assert (await world.item()).status.phase == Phase.SUCCEEDED

    in_a_world(scenario)


def test_update_on_change_only_does_not_hold_up_a_schedule() -> None:
    async def scenario(world: World) -> None:
        await world.run_job(config=every("1m"), updateOnChangeOnly=True)
        await asyncio.sleep(61)
        assert len(world.sample.times()) == 2

    in_a_world(scenario)


def test_the_annotation_switches_a_schedule_off_and_on() -> None:
    async def scenario(world: World) -> None:
        await world.run_job(config=every("1m"))
        await world.patch("one", {"metadata": {"annotations": {Annotation.CONTINUOUS_RECONCILE: "false"}}})
        await asyncio.sleep(300)
        assert len(world.sample.times()) == 1
        await world.patch("one", {"metadata": {"annotations": {Annotation.CONTINUOUS_RECONCILE: "no"}}})
        await asyncio.sleep(1)
        assert len(world.sample.times()) == 2

    in_a_world(scenario)


def test_a_deleted_item_has_no_schedule() -> None:
    async def scenario(world: World) -> None:
        await world.run_job(config=every("1m"))
        await world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")
        await asyncio.sleep(300)
        assert len(world.sample.calls) == 1

    in_a_world(scenario)


def test_an_item_that_never_ran_has_no_schedule() -> None:
    async def scenario(world: World) -> None:
        await world.create(config=every("1m"))
        await asyncio.sleep(300)
        assert world.sample.calls == []

    in_a_world(scenario)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({"every": "1h", "cron": "@daily"}, "exactly one of cron, every"),
        ({"every": "none", "cron": "@daily"}, "exactly one of cron, every"),
        ({"every": "-1h"}, "must be greater than zero"),
        ({"every": "soon"}, "is not a duration"),
        ({"every": 5}, "must be a text"),
        ({"cron": "* * *"}, "is not a schedule"),
        ({"cron": "0 0 30 2 *"}, "never comes"),
        ({"evry": "1h"}, "there is no field evry; give every or cron"),
        ("1h", "must be an object"),
    ],
)
def test_a_schedule_that_makes_no_sense_fails_the_item(node: Any, message: str) -> None:
    with pytest.raises(OperationFailed, match=message):
        continuous.parse(node)

    async def scenario(world: World) -> None:
        item = await world.run_job(config={"continuousReconcile": node})
        assert item.status.phase == Phase.FAILED
        assert item.status.last_error is not None
        assert message in item.status.last_error.message
        assert item.status.last_error.codes == ("ERR_CONFIGURATION_PROBLEM",)
        assert world.sample.calls == []

    in_a_world(scenario)


@pytest.mark.parametrize("node", [None, {}, {"every": "none"}, {"every": "0s"}, {"cron": ""}])
def test_an_empty_schedule_is_none(node: Any) -> None:
    assert continuous.parse(node) is None


@pytest.mark.parametrize(
    ("interval", "last", "now", "answer"),
    [
        ("1h", NOON, NOON, HookResult(abort=True, requeue_after=3600.0)),
        ("1h", NOON, NOON + timedelta(minutes=59, seconds=59.9), HookResult(abort=True, requeue_after=1.0)),
        ("1h", NOON, NOON + timedelta(hours=1), HookResult(requeue_after=3600.0)),
        ("1h", NOON, NOON + timedelta(hours=7), HookResult(requeue_after=3600.0)),
        ("10ms", NOON, NOON, HookResult(abort=True, requeue_after=1.0)),
    ],
)
def test_when_a_pass_is_due(interval: str, last: datetime, now: datetime, answer: HookResult) -> None:
    schedule = cron.ConstantDelaySchedule.every(durations.parse(interval))
    assert continuous.due(schedule.next, last, now) == answer


def test_a_schedule_that_ends_says_nothing_more() -> None:
    assert continuous.due(lambda moment: None, NOON, NOON) is None
    once = NOON + timedelta(hours=1)
    assert continuous.due(lambda moment: once if moment < once else None, NOON, once) == HookResult()


@given(st.integers(1, 10**6), st.integers(0, 10**7))
def test_a_pass_is_due_exactly_when_its_time_is_there(seconds: int, passed: int) -> None:
    schedule = cron.ConstantDelaySchedule(timedelta(seconds=seconds))
    answer = continuous.due(schedule.next, NOON, NOON + timedelta(seconds=passed))
    assert answer is not None
    assert answer.abort == (passed < seconds)
    assert answer.requeue_after == (seconds - passed if passed < seconds else seconds)
