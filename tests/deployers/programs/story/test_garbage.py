"""What dead items left is removed; nothing of a living item is."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.deployers.programs.story.fakes import Act, Machine, Running, Stage, on_stage

from landform.cluster.errors import Unreachable
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.identities import ItemId, RunId
from landform.deployers.programs.contract.sandboxes import Inputs, Order, Program

DEAD = ItemId("default", "dead", "0")


def left_running(machine: Machine, item: ItemId, job: str = "job-0") -> RunId:
    """A run that some deployer left."""
    run = RunId(item, job, Operation.RECONCILE)
    machine.running[run] = Running(Order(run, Program(), Inputs()), Act(seconds=10**6), 0.0)
    machine.kept.add(item)
    return run


def test_what_a_dead_item_left_goes_at_the_start() -> None:
    machine = Machine()
    left_running(machine, DEAD)
    machine.kept.add(ItemId("nowhere", "older", "1"))

    async def scenario(stage: Stage) -> None:
        await asyncio.sleep(60)
        assert (machine.running, machine.kept) == ({}, set())

    on_stage(scenario, machine)


def test_what_a_dead_item_left_later_goes_within_the_hour() -> None:
    async def scenario(stage: Stage) -> None:
        await asyncio.sleep(60)
        left_running(stage.machine, DEAD)
        await asyncio.sleep(1800)
        assert len(stage.machine.running) == 1
        await asyncio.sleep(1800)
        assert (stage.machine.running, stage.machine.kept) == ({}, set())

    on_stage(scenario)


def test_a_living_item_keeps_its_state_and_its_run() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        await stage.run_job("two", seconds=60, timeout="none", config={"script": "x"})
        for _ in range(3):
            await asyncio.sleep(3600)
        assert {item.name for item in stage.machine.kept} == {"one", "two"}
        assert stage.machine.stopped == []

    on_stage(scenario, Machine(act=lambda run: Act(seconds=5 if run.item.name == "one" else 10**6)))


def test_an_item_of_the_same_name_does_not_protect_what_an_older_one_left() -> None:
    machine = Machine()
    older = ItemId("default", "one", "another uid")
    left_running(machine, older)

    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        await asyncio.sleep(3600)
        assert machine.forgotten == [older]
        assert [item.name for item in machine.kept] == ["one"]

    on_stage(scenario, machine)


def test_a_home_that_does_not_answer_protects_everything() -> None:
    machine = Machine()

    async def scenario(stage: Stage) -> None:
        left_running(machine, DEAD)
        ask = stage.world.cluster.get

        async def refuse(resource: Any, *args: Any, **kwargs: Any) -> Any:
            if resource == DEPLOY_ITEMS:
                raise Unreachable("the home is away")
            return await ask(resource, *args, **kwargs)

        stage.world.cluster.get = refuse  # type: ignore[method-assign]
        await asyncio.sleep(7200)
        assert len(machine.running) == 1
        assert machine.kept == {DEAD}
        stage.world.cluster.get = ask  # type: ignore[method-assign]
        await asyncio.sleep(3600)
        assert (machine.running, machine.kept) == ({}, set())

    on_stage(scenario, machine)


def test_the_state_of_a_living_item_is_kept_when_a_run_is_ended_whose_job_is_over() -> None:
    machine = Machine(act=lambda run: Act(seconds=10**6))

    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60, timeout="2m")
        await stage.end()
        await asyncio.sleep(120)
        await stage.begin()
        await asyncio.sleep(60)
        assert (machine.running, [run.job for run in machine.salvaged]) == ({}, ["job-1"])

    on_stage(scenario, machine)


def test_without_collection_nothing_is_looked_for() -> None:
    machine = Machine()
    left_running(machine, DEAD)

    async def scenario(stage: Stage) -> None:
        await asyncio.sleep(7200)
        assert len(machine.running) == 1

    on_stage(scenario, machine, collect_seconds=None)
