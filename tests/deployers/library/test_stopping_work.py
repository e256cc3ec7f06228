"""Work that is of no use any more ends at once, and nobody works twice on one item."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.deployers.library.worlds import Work, World, in_a_world

from landform.api.phases import Phase
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.deployers.library import Terminal
from landform.deployers.library.endings import Ending
from landform.runtime.errors import LeaseLost

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from landform.cluster.resources import ObjectKey
    from landform.deployers.library import Item


async def for_ever(item: Item) -> None:
    await asyncio.sleep(10**6)


def test_an_interrupt_reaches_a_waiting_deployer_at_once() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = for_ever
        await world.run_job(seconds=30)
        await world.write_status("one", {"phase": "Failed", "jobIDFinished": "job-1"})
        await asyncio.sleep(0.001)
        assert world.sample.running == []
        await asyncio.sleep(900)
        assert (await world.item()).status.phase == Phase.FAILED
        assert len(world.sample.calls) == 1

    in_a_world(scenario)


def test_the_next_job_after_an_interrupt_works() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = for_ever
        await world.run_job(seconds=30)
        await world.write_status("one", {"phase": "Failed", "jobIDFinished": "job-1"})
        world.sample.on_reconcile = lambda item: asyncio.sleep(0)
        await world.trigger()
        await asyncio.sleep(0.1)
        status = (await world.item()).status
        assert (status.phase, status.job_id_finished) == (Phase.SUCCEEDED, "job-2")

    in_a_world(scenario)


def test_a_new_job_replaces_the_one_that_runs() -> None:
    async def scenario(world: World) -> None:
        async def work(item: Item) -> None:
            await (for_ever(item) if item.job_id == "job-1" else asyncio.sleep(1))

        world.sample.on_reconcile = work
        await world.run_job(seconds=30)
        await world.trigger()
        await asyncio.sleep(2)
        status = (await world.item()).status
        assert (status.phase, status.job_id, status.job_id_finished) == (Phase.SUCCEEDED, "job-2", "job-2")
        assert len(world.sample.calls) == 2
        assert world.sample.overlaps == 0

    in_a_world(scenario)


def test_a_new_job_waits_until_the_old_work_has_tidied_up() -> None:
    async def tidy(item: Item) -> None:
        try:
            await asyncio.sleep(10**6)
        except asyncio.CancelledError:
            await asyncio.sleep(7)
            raise

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = tidy
        await world.run_job(seconds=30)
        await world.trigger()
        await asyncio.sleep(6)
        assert len(world.sample.calls) == 1
        await asyncio.sleep(2)
        assert len(world.sample.calls) == 2
        assert world.sample.overlaps == 0

    in_a_world(scenario)


def test_a_deletion_stops_the_deployment_and_begins_with_its_own_time() -> None:
    async def scenario(world: World) -> None:
        async def uninstall(item: Item) -> None:
            await asyncio.sleep(50)

        world.sample.on_reconcile = for_ever
        world.sample.on_delete = uninstall
        await world.run_job(seconds=40, timeout="1m")
        await world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")
        await asyncio.sleep(1)
        assert (await world.item()).status.phase == Phase.DELETING
        await asyncio.sleep(50)
        assert await world.is_gone()
        assert [call for call, _, _ in world.sample.calls] == ["reconcile", "delete"]

    in_a_world(scenario)


def test_an_item_that_vanishes_takes_its_work_along() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = for_ever
        world.sample.on_delete = for_ever
        await world.run_job(seconds=30)
        await world.patch("one", {"metadata": {"finalizers": None}})
        await world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")
        await asyncio.sleep(0.001)
        assert world.sample.running == []
        await asyncio.sleep(60)

    in_a_world(scenario)


def test_an_item_of_the_same_name_is_another_item() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = for_ever
        await world.run_job(seconds=30)
        await world.patch("one", {"metadata": {"finalizers": None}})
        await world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")
        world.sample.on_reconcile = lambda item: asyncio.sleep(0)
        await world.create()
        await world.trigger(job="job-1")
        await asyncio.sleep(1)
        assert (await world.item()).status.phase == Phase.SUCCEEDED
        assert world.sample.overlaps == 0

    in_a_world(scenario)


def test_a_process_that_ends_lets_work_finish_for_a_while() -> None:
    async def short(item: Item) -> None:
        await asyncio.sleep(5)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = short
        await world.run_job(seconds=1)
        await world.stop()
        assert (await world.item()).status.phase == Phase.SUCCEEDED
        assert world.sample.times() == [0.0]

    in_a_world(scenario)


def test_a_process_that_ends_begins_nothing_more() -> None:
    async def short(item: Item) -> None:
        await asyncio.sleep(5)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = short
        await world.run_job(seconds=1)
        stopping = asyncio.ensure_future(world.stop())
        await asyncio.sleep(1)
        await world.run_job("two", seconds=1)
        await stopping
        assert [name for _, name, _ in world.sample.calls] == ["one"]
        await world.start()
        await asyncio.sleep(6)
        assert (await world.item("two")).status.phase == Phase.SUCCEEDED

    in_a_world(scenario)


def test_work_that_was_cut_off_by_a_restart_is_done_again() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = for_ever
        await world.run_job(seconds=1)
        await world.stop()
        world.sample.on_reconcile = lambda item: asyncio.sleep(0)
        await world.start()
        await asyncio.sleep(1)
        assert (await world.item()).status.phase == Phase.SUCCEEDED

    in_a_world(scenario)


class Gate:
    """A fence that a test opens and closes."""

    def __init__(self) -> None:
        self.is_open = True

    def owns(self, root: ObjectKey) -> bool:
        return self.is_open

    def remaining(self, root: ObjectKey) -> float:
        if not self.is_open:
            raise LeaseLost("closed")
        return 4.0


def test_a_replica_that_loses_an_item_stops_before_another_begins() -> None:
    gate = Gate()

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = for_ever
        await world.run_job(seconds=30)
        assert len(world.controller.running_roots()) == 1
        gate.is_open = False
        await asyncio.sleep(0.3)
        assert (world.sample.running, world.controller.running_roots()) == ([], [])
        writes = len(world.writes)
        await asyncio.sleep(60)
        assert len(world.writes) == writes
        gate.is_open = True
        world.controller.resync()
        await asyncio.sleep(0.1)
        assert len(world.sample.running) == 1

    in_a_world(scenario, fence=gate)


def test_a_lease_that_is_lost_while_exporting_ends_the_work_in_silence() -> None:
    gate = Gate()

    async def export(item: Item) -> None:
        gate.is_open = False
        await item.export({"a": 1})

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = export
        item = await world.run_job(seconds=60)
        assert item.status.phase is None
        assert world.writes == []

    in_a_world(scenario, fence=gate)


def noting_the_end(endings: list[Ending | None], *, tidy: float = 0.0) -> Work:
    """Work without an end that notes why it was cut off, and takes its time to tidy up."""

    async def work(item: Item) -> None:
        assert item.ending is None
        try:
            await for_ever(item)
        finally:
            endings.append(item.ending)
            await asyncio.sleep(tidy)

    return work


async def run_out_of_time(world: World) -> None:
    await asyncio.sleep(60)


async def interrupt(world: World) -> None:
    await world.write_status("one", {"phase": "Failed", "jobIDFinished": "job-1"})


async def supersede(world: World) -> None:
    world.sample.on_reconcile = lambda item: asyncio.sleep(0)
    await world.trigger()


async def delete(world: World) -> None:
    await world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")


async def vanish(world: World) -> None:
    await world.patch("one", {"metadata": {"finalizers": None}})
    world.sample.on_delete = lambda item: asyncio.sleep(0)
    await world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")


async def end_the_process(world: World) -> None:
    await world.stop()


@pytest.mark.parametrize(
    ("happens", "ending"),
    [
        (run_out_of_time, Ending.OUT_OF_TIME),
        (interrupt, Ending.INTERRUPTED),
        (supersede, Ending.SUPERSEDED),
        (delete, Ending.DELETED),
        (vanish, Ending.GONE),
        (end_the_process, Ending.LET_GO),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_work_that_is_cut_off_knows_why(happens: Callable[[World], Awaitable[None]], ending: Ending) -> None:
    endings: list[Ending | None] = []

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = noting_the_end(endings)
        await world.run_job(seconds=30, timeout="1m")
        assert endings == []
        await happens(world)
        await asyncio.sleep(1)
        assert endings == [ending]
        assert ending.is_over == (happens is not end_the_process)

    in_a_world(scenario)


def test_work_on_an_item_that_another_replica_takes_is_only_let_go() -> None:
    gate = Gate()
    endings: list[Ending | None] = []

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = noting_the_end(endings)
        await world.run_job(seconds=30)
        gate.is_open = False
        await asyncio.sleep(0.3)
        assert endings == [Ending.LET_GO]

    in_a_world(scenario, fence=gate)


def test_a_deployer_that_is_out_of_time_may_tidy_up_and_say_how_it_ended() -> None:
    async def work(item: Item) -> None:
        try:
            await for_ever(item)
        except asyncio.CancelledError:
            assert item.ending is Ending.OUT_OF_TIME
            await asyncio.sleep(20)
            raise Terminal("Stopped", "the program was stopped") from None

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = work
        item = await world.run_job(seconds=81, timeout="1m")
        assert item.status.phase == Phase.FAILED
        assert item.status.last_error is not None
        assert item.status.last_error.message == "the program was stopped"

    in_a_world(scenario)
