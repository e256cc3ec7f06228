"""Errors that pass, errors that do not, and time that runs out."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.deployers.library.worlds import World, in_a_world

from landform.api.conditions import ConditionType, find
from landform.api.phases import Phase
from landform.cluster import errors
from landform.deployers.library import ErrorCode, OperationFailed, Retry, Terminal, WaitReason, failures
from landform.testing import time

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem
    from landform.deployers.library import Item


def waiting(item: DeployItem) -> tuple[str, str] | None:
    """Reason and message of what the item waits for."""
    found = find(item.status.conditions, ConditionType.WAITING)
    return (found.reason, found.message) if found is not None else None


class FailsTimes:
    """Fails so many times."""

    def __init__(self, count: int, error: Exception) -> None:
        self.count = count
        self.error = error

    async def __call__(self, item: Item) -> None:
        if self.count > 0:
            self.count -= 1
            raise self.error


def test_an_error_that_passes_is_tried_again_and_its_history_is_kept() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = FailsTimes(3, errors.Unreachable("no answer"))
        item = await world.run_job(seconds=0.1)
        assert item.status.phase == Phase.PROGRESSING
        assert item.status.last_error is not None
        assert (item.status.last_error.reason, item.status.last_error.message) == ("Unreachable", "no answer")
        said = waiting(item)
        assert said is not None
        assert said[0] == WaitReason.RETRY
        assert said[1].startswith("retry at 2030-01-01 00:00:0")
        assert said[1].endswith(": no answer")
        await asyncio.sleep(60)
        item = await world.item()
        assert (item.status.phase, item.status.last_error) == (Phase.SUCCEEDED, None)
        assert item.status.first_error is not None
        assert len(item.status.last_errors or ()) == 3
        assert waiting(item) is None
        tries = world.sample.times()
        assert len(tries) == 4
        assert tries[3] - tries[2] > tries[1] - tries[0]
        assert ("Warning", "Unreachable", "no answer") in await world.events()

    in_a_world(scenario)


def test_only_the_last_five_errors_are_kept() -> None:
    async def scenario(world: World) -> None:
        async def fail(item: Item) -> None:
            raise Retry(f"try {len(world.sample.calls)}")

        world.sample.on_reconcile = fail
        item = await world.run_job(seconds=120)
        assert item.status.first_error is not None
        assert item.status.first_error.message == "try 1"
        kept = [error.message for error in item.status.last_errors or ()]
        assert kept == [f"try {number}" for number in range(len(world.sample.calls) - 4, len(world.sample.calls) + 1)]

    in_a_world(scenario)


def test_the_errors_of_one_job_are_gone_with_the_next() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = FailsTimes(1, Terminal("Broken", "it cannot work"))
        item = await world.run_job()
        assert item.status.phase == Phase.FAILED
        await world.trigger()
        await asyncio.sleep(0.05)
        status = (await world.item()).status
        assert (status.phase, status.last_error, status.first_error, status.last_errors) == (
            Phase.SUCCEEDED,
            None,
            None,
            None,
        )

    in_a_world(scenario)


@pytest.mark.parametrize(
    ("error", "reason", "codes"),
    [
        (Terminal("Broken", "it cannot work"), "Broken", None),
        (OperationFailed("a", "b", "c", codes=(ErrorCode.CONFIGURATION_PROBLEM,)), "b", ("ERR_CONFIGURATION_PROBLEM",)),
        (errors.Unauthorized("who are you"), "Unauthorized", ("ERR_UNAUTHORIZED",)),
        (errors.ConfigurationError("no server"), "ConfigurationError", ("ERR_CONFIGURATION_PROBLEM",)),
        (KeyError("x"), "InternalError", ("ERR_INTERNAL_PROBLEM",)),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_a_final_error_fails_the_item_at_once(error: Exception, reason: str, codes: tuple[str, ...] | None) -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = FailsTimes(9, error)
        item = await world.run_job()
        assert (item.status.phase, item.status.job_id_finished) == (Phase.FAILED, "job-1")
        assert item.status.last_error is not None
        assert (item.status.last_error.reason, item.status.last_error.codes) == (reason, codes)
        assert len(world.sample.calls) == 1
        assert world.writes == ["patch deployitems status"]
        assert [(kind, said) for kind, said, _ in await world.events()] == [("Warning", reason)]

    in_a_world(scenario)


def test_the_cluster_is_heard_when_it_asks_to_wait() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = FailsTimes(1, errors.TooManyRequests("slowly", retry_after=40.0))
        await world.run_job(seconds=60)
        assert world.sample.times() == pytest.approx([0.0, 40.0])

    in_a_world(scenario)


def test_when_time_is_over_the_deployers_own_error_is_told() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = FailsTimes(10**6, errors.Forbidden("you may not create Pods"))
        item = await world.run_job(seconds=599)
        assert item.status.phase == Phase.PROGRESSING
        await asyncio.sleep(2)
        item = await world.item()
        assert (item.status.phase, item.status.job_id_finished) == (Phase.FAILED, "job-1")
        assert item.status.last_error is not None
        assert item.status.last_error.reason == "ProgressingTimeout"
        assert item.status.last_error.message == "you may not create Pods (given up after 10m0s)"
        assert item.status.last_error.codes == ("ERR_TIMEOUT",)
        assert item.status.first_error is not None
        assert item.status.first_error.reason == "Forbidden"

    in_a_world(scenario)


def test_when_time_is_over_what_was_waited_for_is_told() -> None:
    async def wait(item: Item) -> None:
        item.waiting(WaitReason.READINESS, "Deployment shop/web has 0 of 1 replicas")
        await asyncio.sleep(10**6)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = wait
        item = await world.run_job(seconds=31, timeout="30s")
        assert item.status.phase == Phase.FAILED
        assert item.status.last_error is not None
        assert item.status.last_error.message == "given up after 30s: Deployment shop/web has 0 of 1 replicas"
        assert item.status.transition_times is not None
        assert item.status.transition_times.wait_time == time.START
        assert waiting(item) is None

    in_a_world(scenario)


def test_timeout_none_means_no_deadline() -> None:
    async def slow(item: Item) -> None:
        assert item.deadline is None
        await asyncio.sleep(10 * 24 * 3600)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = slow
        item = await world.run_job(seconds=9 * 24 * 3600, timeout="none")
        assert item.status.phase == Phase.PROGRESSING
        await asyncio.sleep(2 * 24 * 3600)
        assert (await world.item()).status.phase == Phase.SUCCEEDED

    in_a_world(scenario)


def test_the_clock_of_an_item_starts_when_the_deployer_does() -> None:
    async def slow(item: Item) -> None:
        await asyncio.sleep(50)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = slow
        await world.stop()
        await world.run_job(seconds=200, timeout="1m")
        await world.start()
        await asyncio.sleep(51)
        assert (await world.item()).status.phase == Phase.SUCCEEDED

    in_a_world(scenario)


def test_after_a_restart_the_deadline_goes_on_from_where_it_was() -> None:
    async def slow(item: Item) -> None:
        assert item.deadline == time.START + timedelta(minutes=1)
        await asyncio.sleep(10**6)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = slow
        await world.run_job(seconds=20, timeout="1m")
        await world.stop()  # takes the ten seconds that work is given to finish
        await asyncio.sleep(10)
        await world.start()
        await asyncio.sleep(19)
        assert (await world.item()).status.phase == Phase.PROGRESSING
        await asyncio.sleep(2)
        status = (await world.item()).status
        assert (status.phase, status.last_reconcile_time) == (Phase.FAILED, time.START)
        assert len(world.sample.times()) == 2

    in_a_world(scenario)


def test_the_errors_of_a_job_survive_a_restart() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = FailsTimes(10**6, Retry("first"))
        await world.run_job(seconds=0.2)
        await world.stop()
        world.sample.on_reconcile = FailsTimes(0, Retry(""))
        await world.start()
        await asyncio.sleep(1)
        status = (await world.item()).status
        assert status.phase == Phase.SUCCEEDED
        assert status.first_error is not None
        assert status.first_error.message == "first"

    in_a_world(scenario)


def test_what_is_waited_for_is_said_after_a_second_and_taken_back_with_the_end() -> None:
    async def wait(item: Item) -> None:
        item.waiting(WaitReason.READINESS, "Deployment shop/web has 0 of 1 replicas")
        await asyncio.sleep(1.5)
        item.waiting(WaitReason.READINESS, "Deployment shop/web has 1 of 2 replicas")
        await asyncio.sleep(1.5)
        item.working()
        await asyncio.sleep(2)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = wait
        item = await world.run_job(seconds=0.9)
        assert waiting(item) is None
        await asyncio.sleep(0.3)
        assert waiting(await world.item()) == ("Readiness", "Deployment shop/web has 0 of 1 replicas")
        await asyncio.sleep(1)
        assert waiting(await world.item()) == ("Readiness", "Deployment shop/web has 1 of 2 replicas")
        await asyncio.sleep(2)
        assert waiting(await world.item()) is None
        await asyncio.sleep(2)
        assert (await world.item()).status.phase == Phase.SUCCEEDED
        assert len(world.writes) == 5

    in_a_world(scenario)


def test_a_short_wait_costs_no_write() -> None:
    async def wait(item: Item) -> None:
        item.waiting(WaitReason.READINESS, "something")
        await asyncio.sleep(0.05)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = wait
        item = await world.run_job(seconds=1)
        assert (item.status.phase, waiting(item)) == (Phase.SUCCEEDED, None)
        assert len(world.writes) == 1

    in_a_world(scenario)


def test_progress_is_written_before_the_work_goes_on() -> None:
    async def scenario(world: World) -> None:
        async def work(item: Item) -> None:
            item.provider_status = {"apiVersion": "x/v1", "kind": "S", "step": 1}
            item.condition("Sampled", "True", "Well", "all is well")
            await item.progress()
            stored = await world.item()
            assert stored.status.provider_status
            assert item.provider_status["step"] == 1
            found = find(stored.status.conditions, "Sampled")
            assert found is not None
            assert (found.status, found.reason) == ("True", "Well")
            item.provider_status = {"apiVersion": "x/v1", "kind": "S", "step": 2}
            await item.progress(phase="Completing")
            assert (await world.item()).status.phase == Phase.COMPLETING

        world.sample.on_reconcile = work
        item = await world.run_job()
        assert item.status.phase == Phase.SUCCEEDED
        assert b'"step":2' in bytes(item.status.provider_status)
        assert len(world.writes) == 3

    in_a_world(scenario)


def test_progress_waits_for_its_own_words_while_earlier_ones_are_being_written() -> None:
    async def scenario(world: World) -> None:
        async def work(item: Item) -> None:
            await asyncio.sleep(0.3)  # by now it is being written that the work was begun
            item.provider_status = {"apiVersion": "x/v1", "kind": "S"}
            await item.progress()
            assert (await world.item()).status.provider_status

        world.sample.on_reconcile = work
        world.counting.seconds = 0.1
        item = await world.run_job(seconds=2)
        assert item.status.phase == Phase.SUCCEEDED
        assert len(world.writes) == 3

    in_a_world(scenario)


def test_what_is_said_while_earlier_words_are_being_written_is_written_too() -> None:
    async def scenario(world: World) -> None:
        async def work(item: Item) -> None:
            await asyncio.sleep(0.3)
            item.condition("Sampled", "True", "Well", "all is well")
            await asyncio.sleep(10)

        world.sample.on_reconcile = work
        world.counting.seconds = 0.1
        item = await world.run_job(seconds=3)
        assert find(item.status.conditions, "Sampled")
        assert len(world.writes) == 2

    in_a_world(scenario)


def test_a_final_phase_is_no_progress() -> None:
    async def work(item: Item) -> None:
        await item.progress(phase="Succeeded")

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = work
        item = await world.run_job(seconds=0.05)
        assert item.status.last_error is not None
        assert "is final" in item.status.last_error.message

    in_a_world(scenario)


def test_what_the_cluster_does_not_take_of_a_status_fails_the_item() -> None:
    async def work(item: Item) -> None:
        item.provider_status = {"no": "apiVersion"}

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = work
        item = await world.run_job(seconds=5)
        assert (item.status.phase, item.status.job_id_finished) == (Phase.FAILED, "job-1")
        assert item.status.last_error is not None
        assert "refused" in item.status.last_error.message

    in_a_world(scenario)


def test_an_error_that_a_deployer_makes_of_its_cancellation_does_not_go_on_for_ever() -> None:
    async def stubborn(item: Item) -> None:
        try:
            await asyncio.sleep(10**6)
        except asyncio.CancelledError as cancelled:
            raise ValueError("I was disturbed") from cancelled

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = stubborn
        item = await world.run_job(seconds=40, timeout="30s")
        assert item.status.phase == Phase.FAILED
        assert item.status.last_error is not None
        assert item.status.last_error.reason == "ProgressingTimeout"
        assert "I was disturbed" in item.status.last_error.message

    in_a_world(scenario)


def test_codes_are_found_along_the_chain_of_causes() -> None:
    inner = OperationFailed("inner", "r", codes=(ErrorCode.CONFIGURATION_PROBLEM,))
    verdict = failures.judge(OperationFailed("outer", "r", "m", cause=inner), "Reconcile")
    assert verdict.is_final
    assert not failures.judge(OperationFailed("outer", "r", codes=(ErrorCode.WEBHOOK,)), "Reconcile").is_final
