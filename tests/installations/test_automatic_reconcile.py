"""Installations that start again by themselves."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.installations.objects import blueprint, installation, item, template
from tests.installations.worlds import NAMESPACE, World, condition, in_a_world

from landform.api.installations import AutomaticReconcile, FailedReconcile, SucceededReconcile
from landform.cluster.kinds import TARGETS
from landform.installations import retries


def failing(**reconcile: Any) -> dict[str, Any]:
    made = blueprint(items=[item(phase="Failed")])
    return installation("shop", made, automaticReconcile={"failedReconcile": reconcile})


def succeeding(**reconcile: Any) -> dict[str, Any]:
    return installation("shop", automaticReconcile={"succeededReconcile": reconcile})


async def jobs_within(world: World, seconds: float) -> int:
    """How many jobs begin in that time."""
    seen = {(await world.get("shop")).status.job_id}
    count = 0
    for _ in range(int(seconds)):
        await asyncio.sleep(1)
        job = (await world.get("shop")).status.job_id
        if job not in seen:
            seen.add(job)
            count += 1
    return count


def test_e21_the_first_retry_comes_at_once_and_the_others_every_five_minutes() -> None:
    async def scenario(world: World) -> None:
        await world.apply(failing())
        await asyncio.sleep(10)
        shop = await world.get("shop")
        said = shop.status.automatic_reconcile_status
        assert said is not None
        assert (said.number_of_reconciles, said.on_failed, shop.status.phase) == (1, True, "Failed")
        assert await jobs_within(world, 280) == 0
        assert await jobs_within(world, 30) == 1
        assert await jobs_within(world, 310) == 1

    in_a_world(scenario)


def test_e21_the_number_of_retries_is_kept_until_somebody_starts_a_job() -> None:
    async def scenario(world: World) -> None:
        await world.apply(failing(numberOfReconciles=2, interval="10s"))
        await asyncio.sleep(1)
        assert await jobs_within(world, 120) == 1
        assert world.phases["shop"].count("Failed") == 3
        await world.reconcile("shop")
        assert await jobs_within(world, 120) >= 1
        assert world.phases["shop"].count("Failed") == 6

    in_a_world(scenario)


def test_a_change_of_the_specification_begins_the_count_anew() -> None:
    async def scenario(world: World) -> None:
        await world.apply(failing(numberOfReconciles=1, interval="10s"))
        await asyncio.sleep(60)
        assert world.phases["shop"].count("Failed") == 2
        await world.change("shop", importDataMappings={"x": 1})
        assert await jobs_within(world, 60) == 0  # nobody has asked for the new specification
        await world.reconcile("shop")
        await asyncio.sleep(60)
        assert world.phases["shop"].count("Failed") == 4

    in_a_world(scenario)


def test_no_retries_are_made_if_none_are_wanted() -> None:
    async def scenario(world: World) -> None:
        await world.apply(failing(numberOfReconciles=0))
        await world.finished("shop")
        assert await jobs_within(world, 600) == 0

    in_a_world(scenario)


def test_a_retry_that_succeeds_ends_them() -> None:
    async def scenario(world: World) -> None:
        await world.apply(failing(interval="1m"))
        await asyncio.sleep(5)
        await world.change("shop", blueprint=installation("x", blueprint(items=[item()]))["spec"]["blueprint"])
        done = await world.reconcile("shop")
        assert (done.status.phase, done.status.automatic_reconcile_status) == ("Succeeded", None)
        assert await jobs_within(world, 300) == 0

    in_a_world(scenario)


def test_what_waits_for_a_retry_says_when_it_comes() -> None:
    async def scenario(world: World) -> None:
        await world.apply(failing())
        await asyncio.sleep(60)
        waiting = condition(await world.get("shop"), "Waiting")
        assert waiting.reason == "Retry"
        assert waiting.message.startswith("retry at 2030-01-01 00:05:00 UTC: execution shop is in phase Failed")

    in_a_world(scenario)


def test_e22_runs_after_success_count_from_the_first_success() -> None:
    async def scenario(world: World) -> None:
        await world.apply(succeeding(interval="1m"))
        done = await world.finished("shop")
        said = done.status.automatic_reconcile_status
        assert said is not None
        assert (said.number_of_reconciles or 0, bool(said.on_failed)) == (0, False)
        assert await jobs_within(world, 55) == 0
        assert await jobs_within(world, 10) == 1
        assert await jobs_within(world, 180) == 3
        said = (await world.get("shop")).status.automatic_reconcile_status
        assert said is not None
        assert said.number_of_reconciles == 4

    in_a_world(scenario)


def test_a_schedule_counts_more_than_the_interval() -> None:
    async def scenario(world: World) -> None:
        await world.apply(succeeding(interval="1s", cronSpec="*/10 * * * *"))
        await world.finished("shop")
        await asyncio.sleep(5)
        assert await jobs_within(world, 590) == 0
        assert await jobs_within(world, 20) == 1

    in_a_world(scenario)


def test_a_schedule_whose_day_never_comes_is_told_until_it_is_mended() -> None:
    async def scenario(world: World) -> None:
        await world.apply(succeeding(cronSpec="0 0 30 2 *"))
        said = condition(await world.finished("shop"), "AutomaticReconcile")
        assert (said.status, said.reason) == ("False", "InvalidSchedule")
        assert said.message.startswith("spec.automaticReconcile.succeededReconcile.cronSpec: '0 0 30 2 *' never comes")
        await world.change("shop", automaticReconcile={"succeededReconcile": {"cronSpec": "0 0 28 2 *"}})
        mended = (await world.reconcile("shop")).status.conditions
        assert "AutomaticReconcile" not in {each.type for each in mended or ()}

    in_a_world(scenario)


@pytest.mark.parametrize(
    ("schedules", "message"),
    [
        (
            AutomaticReconcile(succeeded_reconcile=SucceededReconcile(cron_spec="61 * * * *")),
            "succeededReconcile.cronS",
        ),
        (AutomaticReconcile(failed_reconcile=FailedReconcile(interval="soon")), "failedReconcile.interval: "),
    ],
)
def test_a_schedule_that_no_rule_has_refused_is_told_with_its_field(
    schedules: AutomaticReconcile, message: str
) -> None:
    said = retries.fault(schedules, datetime(2030, 1, 1, tzinfo=UTC))
    assert (said or "").startswith(f"spec.automaticReconcile.{message}")


def test_a_failed_deletion_is_retried_too() -> None:
    made = blueprint(items=[item(target={"name": "here"})])

    async def scenario(world: World) -> None:
        await world.target("here")
        reconcile = {"failedReconcile": {"interval": "1m"}}
        await world.apply(installation("shop", made, automaticReconcile=reconcile))
        await world.finished("shop")
        await world.cluster.delete(TARGETS, "here", namespace=NAMESPACE)
        await world.delete("shop")
        await world.until("shop", "DeleteFailed")
        await asyncio.sleep(10)
        await world.target("here")
        await world.gone("shop", seconds=120)

    in_a_world(scenario)


def test_sub_installations_have_no_schedules_of_their_own() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(subinstallations=[template("db")])))
        await world.finished("shop")
        db = (await world.child("db")).metadata.name or ""
        await world.change(db, automaticReconcile={"succeededReconcile": {"interval": "1s"}})
        before = (await world.get(db)).status.job_id
        await asyncio.sleep(60)
        assert (await world.get(db)).status.job_id == before

    in_a_world(scenario)
