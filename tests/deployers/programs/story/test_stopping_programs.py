"""A program that nobody wants any more is stopped, and one that only changes hands is not."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.deployers.programs.story.fakes import Act, FakeSandbox, Machine, Stage, on_stage

from landform.api.names import Annotation
from landform.api.phases import Phase
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.deployers.programs.contract.contract import Operation

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from landform.deployers.programs.contract.identities import RunId

HOURS = Act(seconds=3 * 3600.0)
LINKING = Act(seconds=3 * 3600.0, fault="the state cannot be kept: a is a symbolic link")
STUBBORN = Act(seconds=3 * 3600.0, heeds_term=False)


def test_a_program_that_runs_for_hours_works() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(timeout="none", seconds=4 * 3600)
        assert (await stage.world.item()).status.phase == Phase.SUCCEEDED
        assert stage.machine.stopped == []

    on_stage(scenario, Machine(act=lambda run: HOURS))


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (HOURS, "it ended on TERM"),
        (STUBBORN, "it was killed, because it had not ended 30 s after TERM"),
        (LINKING, "it ended on TERM; the state cannot be kept: a is a symbolic link"),
    ],
    ids=["heeds TERM", "does not", "leaves what cannot be kept"],
)
def test_when_the_time_is_over_the_program_is_stopped_and_the_error_says_so(act: Act, words: str) -> None:
    async def scenario(stage: Stage) -> None:
        item = await stage.run_job(timeout="10m", seconds=650)
        assert item.status.phase == Phase.FAILED
        error = item.status.last_error
        assert error is not None
        assert (error.operation, error.reason, error.codes) == (
            "RunMainContainer",
            "ProgressingTimeout",
            ("ERR_TIMEOUT",),
        )
        assert error.message == f"the program did not end within 10m0s and was stopped: {words}"
        assert [run.job for run in stage.machine.stopped] == ["job-1"]
        assert stage.machine.salvaged == stage.machine.stopped
        assert stage.machine.running == {}

    on_stage(scenario, Machine(act=lambda run: act))


def test_a_program_that_ended_in_time_has_succeeded_though_it_is_tidied_up_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    remove = FakeSandbox.remove

    async def slowly(self: FakeSandbox, run: RunId) -> None:
        await asyncio.sleep(30)
        await remove(self, run)

    monkeypatch.setattr(FakeSandbox, "remove", slowly)

    async def scenario(stage: Stage) -> None:
        item = await stage.run_job(timeout="10m", seconds=700)
        assert (item.status.phase, item.status.last_error) == (Phase.SUCCEEDED, None)
        assert await stage.world.exported() == {"url": "here"}
        assert (stage.machine.running, stage.machine.stopped) == ({}, [])

    on_stage(scenario, Machine(act=lambda run: Act(seconds=590.0)))


async def interrupt(stage: Stage) -> None:
    await stage.world.write_status("one", {"phase": "Failed", "jobIDFinished": "job-1"})


async def supersede(stage: Stage) -> None:
    stage.machine.act = lambda run: Act()
    await stage.world.trigger()


async def delete(stage: Stage) -> None:
    stage.machine.act = lambda run: Act()
    await stage.world.delete()


@pytest.mark.parametrize("happens", [interrupt, supersede, delete], ids=lambda each: each.__name__)
def test_a_program_that_nobody_wants_any_more_is_stopped(happens: Callable[[Stage], Awaitable[None]]) -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        await happens(stage)
        await asyncio.sleep(60)
        assert [(run.job, run.operation) for run in stage.machine.stopped] == [("job-1", Operation.RECONCILE)]
        assert stage.machine.salvaged == stage.machine.stopped
        assert stage.machine.running == {}
        told = [message for _, reason, message in await stage.world.events() if reason == "ProgramStopped"]
        assert len(told) == 1
        assert told[0].startswith("the program was stopped, because ")
        assert told[0].endswith(": it was killed, because it had not ended 30 s after TERM")

    on_stage(scenario, Machine(act=lambda run: STUBBORN))


def test_a_new_job_waits_until_the_old_program_has_ended() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        stage.machine.act = lambda run: Act()
        await stage.world.trigger()
        await asyncio.sleep(29)
        assert [run.job for run in stage.machine.started] == ["job-1"]
        await asyncio.sleep(20)
        assert [run.job for run in stage.machine.started] == ["job-1", "job-2"]
        assert (await stage.world.item()).status.phase == Phase.SUCCEEDED

    on_stage(scenario, Machine(act=lambda run: STUBBORN))


def test_a_deployer_that_ends_leaves_the_program_to_the_next() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60, timeout="none")
        await stage.world.stop()
        assert (stage.machine.stopped, len(stage.machine.running)) == ([], 1)
        await stage.world.start()
        await asyncio.sleep(3 * 3600)
        assert (await stage.world.item()).status.phase == Phase.SUCCEEDED
        assert len(stage.machine.started) == 1

    on_stage(scenario, Machine(act=lambda run: HOURS))


def test_a_job_that_ended_while_no_deployer_was_there_has_its_program_stopped_by_the_next() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        await stage.world.stop()
        await interrupt(stage)
        await stage.world.start()
        await asyncio.sleep(40)
        assert stage.machine.running == {}
        assert [run.job for run in stage.machine.stopped] == ["job-1"]

    on_stage(scenario, Machine(act=lambda run: STUBBORN))


def test_a_program_whose_time_was_over_while_no_deployer_was_there_is_stopped_by_the_next() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60, timeout="10m")
        await stage.world.stop()
        await asyncio.sleep(900)
        await stage.world.start()
        await asyncio.sleep(40)
        assert (await stage.world.item()).status.phase == Phase.FAILED
        assert stage.machine.running == {}

    on_stage(scenario, Machine(act=lambda run: HOURS))


def test_the_run_of_a_job_that_a_killed_deployer_left_is_ended_before_the_next_job_begins() -> None:
    async def scenario(stage: Stage) -> None:
        stage.machine.kill_in = "running"
        await stage.run_job()
        await stage.machine.killed.wait()
        await stage.end()
        stage.machine.act = lambda run: Act()
        await stage.world.trigger()
        await stage.begin()
        await asyncio.sleep(60)
        assert {run.job for run in stage.machine.stopped} == {"job-1"}
        assert [run.job for run in stage.machine.started] == ["job-1", "job-2"]
        assert stage.machine.running == {}

    on_stage(scenario, Machine(act=lambda run: HOURS))


def test_force_cleanup_ends_a_deletion_that_hangs() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        stage.machine.act = lambda run: HOURS
        await stage.world.delete()
        await asyncio.sleep(60)
        assert [run.operation for run in stage.machine.running] == [Operation.DELETE]
        await stage.world.patch("one", {"metadata": {"annotations": {Annotation.FORCE_CLEANUP: "true"}}})
        await asyncio.sleep(5)
        assert await stage.world.is_gone()
        assert (stage.machine.running, stage.machine.kept) == ({}, set())

    on_stage(scenario)


def test_force_cleanup_asks_no_program() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60, metadata={"annotations": {str(Annotation.FORCE_CLEANUP): ""}})
        await stage.world.delete()
        await asyncio.sleep(5)
        assert await stage.world.is_gone()
        assert [run.operation for run in stage.machine.started] == [Operation.RECONCILE]
        assert stage.machine.kept == set()

    on_stage(scenario)


def test_an_item_that_never_ran_goes_without_a_program() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.world.create(config={"script": "true"})
        await stage.world.delete()
        await asyncio.sleep(5)
        assert await stage.world.is_gone()
        assert stage.machine.started == []

    on_stage(scenario)


def test_a_deletion_that_times_out_says_so_and_keeps_the_item() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60, timeout="10m")
        stage.machine.act = lambda run: HOURS
        await stage.world.delete()
        await asyncio.sleep(650)
        item = await stage.world.item()
        assert item.status.phase == Phase.DELETE_FAILED
        assert item.status.last_error is not None
        assert "did not end within 10m0s and was stopped" in item.status.last_error.message
        stage.machine.act = lambda run: Act()
        await stage.world.trigger()
        await asyncio.sleep(60)
        assert await stage.world.is_gone()

    on_stage(scenario)


def test_an_item_that_vanishes_takes_its_program_along() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        await stage.world.patch("one", {"metadata": {"finalizers": None}})
        await stage.world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")
        await asyncio.sleep(60)
        assert stage.machine.running == {}

    on_stage(scenario, Machine(act=lambda run: HOURS))
