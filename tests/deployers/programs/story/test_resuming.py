"""A deployer that is killed at any point goes on where it was, and runs no program twice for one job."""

from __future__ import annotations

import asyncio

import pytest
from tests.deployers.programs.story.fakes import Act, Machine, Stage, on_stage

from landform.api.phases import Phase
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.outcomes import End, Outcome


def points(act: Act, *, deleting: bool = False) -> list[str]:
    """The points that a whole job comes by."""
    machine = Machine(act=lambda run: act)

    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        if deleting:
            stage.machine.passed.clear()
            await stage.world.delete()
            await asyncio.sleep(60)

    on_stage(scenario, machine)
    return machine.passed


RECONCILING = points(Act())
FAILING = points(Act(outcome=Outcome(End.EXITED, 3)))
DELETING = points(Act(), deleting=True)


def test_the_points_are_those_between_all_steps() -> None:
    assert [point for point in RECONCILING if "deployitems" not in point] == [
        "before begin",
        "after begin",
        "running",
        "collecting",
        "before create secrets",
        "after create secrets",
        "before remove",
        "after remove",
    ]


@pytest.mark.parametrize("number", range(len(RECONCILING)), ids=lambda number: f"{number} {RECONCILING[number]}")
def test_a_job_succeeds_with_one_run_wherever_its_deployer_is_killed(number: int) -> None:
    async def scenario(stage: Stage) -> None:
        stage.machine.kill_at = number
        await stage.run_job()
        await stage.machine.killed.wait()
        await stage.killed()
        await asyncio.sleep(60)
        item = await stage.world.item()
        assert (item.status.phase, item.status.job_id_finished) == (Phase.SUCCEEDED, "job-1")
        assert await stage.world.exported() == {"url": "here"}
        assert len(stage.machine.started) == 1
        assert stage.machine.running == {}

    on_stage(scenario)


@pytest.mark.parametrize("number", range(len(FAILING)), ids=lambda number: f"{number} {FAILING[number]}")
def test_a_job_fails_with_one_run_wherever_its_deployer_is_killed(number: int) -> None:
    async def scenario(stage: Stage) -> None:
        stage.machine.kill_at = number
        await stage.run_job()
        await stage.machine.killed.wait()
        await stage.killed()
        await asyncio.sleep(60)
        item = await stage.world.item()
        assert item.status.phase == Phase.FAILED
        assert item.status.last_error is not None
        assert item.status.last_error.message == "the program ended with exit code 3; it printed last:\nhello"
        assert len(stage.machine.started) == 1
        assert stage.machine.running == {}

    on_stage(scenario, Machine(act=lambda run: Act(outcome=Outcome(End.EXITED, 3))))


@pytest.mark.parametrize("number", range(len(DELETING)), ids=lambda number: f"{number} {DELETING[number]}")
def test_a_deletion_ends_with_one_run_wherever_its_deployer_is_killed(number: int) -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        stage.machine.passed.clear()
        stage.machine.kill_at = number
        await stage.world.delete()
        await stage.machine.killed.wait()
        await stage.killed()
        await asyncio.sleep(60)
        assert await stage.world.is_gone()
        assert [run.operation for run in stage.machine.started] == [Operation.RECONCILE, Operation.DELETE]
        assert (stage.machine.running, stage.machine.kept) == ({}, set())

    on_stage(scenario)


def test_a_later_job_runs_the_program_again() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        await stage.world.trigger()
        await asyncio.sleep(60)
        assert [run.job for run in stage.machine.started] == ["job-1", "job-2"]
        assert (await stage.world.item()).status.phase == Phase.SUCCEEDED

    on_stage(scenario)


def test_exports_of_an_earlier_job_do_not_come_back_after_a_kill() -> None:
    machine = Machine(act=lambda run: Act() if run.job == "job-1" else Act(exports=None))

    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        stage.machine.kill_in = "before remove"
        await stage.world.trigger()
        await stage.machine.killed.wait()
        await stage.killed()
        await asyncio.sleep(60)
        assert (await stage.world.item()).status.export_ref is None

    on_stage(scenario, machine)
