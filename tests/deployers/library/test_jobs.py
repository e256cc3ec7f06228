"""One job of one item: what is written when, and how often."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from tests.deployers.library.worlds import TYPE, World, in_a_world

from landform.api.names import Annotation
from landform.api.phases import Phase
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.testing import time

if TYPE_CHECKING:
    from landform.deployers.library import Item


def test_a_quick_item_costs_one_write() -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job()
        status = item.status
        assert (status.phase, status.job_id_finished, status.observed_generation) == (Phase.SUCCEEDED, "job-1", 1)
        assert status.deployer is not None
        assert (status.deployer.identity, status.deployer.name, status.deployer.version) == (
            "me",
            "sample.deployer.example.org",
            "1.2.3",
        )
        assert status.last_reconcile_time == time.START
        assert status.transition_times is not None
        assert status.transition_times.init_time == status.transition_times.finished_time == time.START
        assert status.transition_times.trigger_time == time.START
        assert world.writes == ["patch deployitems status"]

    in_a_world(scenario)


def test_a_quick_item_with_an_export_costs_two() -> None:
    async def export(item: Item) -> None:
        await item.export({"url": "http://x"})

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = export
        item = await world.run_job()
        assert item.status.export_ref is not None
        assert (item.status.export_ref.name, item.status.export_ref.namespace) == ("one-export", "default")
        assert await world.exported() == {"url": "http://x"}
        assert world.writes == ["create secrets", "patch deployitems status"]

    in_a_world(scenario)


def test_a_slow_item_says_that_it_was_begun() -> None:
    async def slow(item: Item) -> None:
        await asyncio.sleep(5)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = slow
        item = await world.run_job(seconds=0.3)
        assert (item.status.phase, item.status.job_id_finished) == (Phase.PROGRESSING, None)
        assert item.status.last_reconcile_time == time.START
        assert item.status.transition_times is not None
        assert item.status.transition_times.init_time == time.START
        await asyncio.sleep(5)
        item = await world.item()
        assert (item.status.phase, item.status.job_id_finished) == (Phase.SUCCEEDED, "job-1")
        assert item.status.transition_times is not None
        assert item.status.transition_times.finished_time == time.START + timedelta(seconds=5)
        assert world.writes == ["patch deployitems status"] * 2

    in_a_world(scenario)


def test_without_a_job_nothing_is_done() -> None:
    async def scenario(world: World) -> None:
        await world.create()
        await asyncio.sleep(600)
        assert (world.sample.calls, world.writes) == ([], [])

    in_a_world(scenario)


def test_a_finished_job_is_not_done_again() -> None:
    async def scenario(world: World) -> None:
        await world.run_job()
        await world.patch("one", {"metadata": {"annotations": {"touched": "yes"}}, "spec": {"timeout": "1m"}})
        await asyncio.sleep(600)
        assert world.sample.times() == [0.0]
        assert len(world.writes) == 1

    in_a_world(scenario)


def test_a_new_job_is_a_new_call() -> None:
    async def scenario(world: World) -> None:
        await world.run_job()
        await world.trigger()
        await asyncio.sleep(0.05)
        assert (await world.item()).status.job_id_finished == "job-2"
        assert len(world.sample.times()) == 2

    in_a_world(scenario)


def test_a_missing_finalizer_is_put_on_before_the_work() -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job(metadata={"finalizers": ["someone.else/x"]})
        assert item.metadata.finalizers == ("someone.else/x", "finalizer.landscaper.gardener.cloud")
        assert world.writes == ["patch deployitems", "patch deployitems status"]

    in_a_world(scenario)


def test_an_item_of_another_type_is_never_touched() -> None:
    async def scenario(world: World) -> None:
        other = "example.org/other"
        for name, type_, hint in (("a", other, None), ("b", TYPE, other), ("c", other, TYPE)):
            annotations = {} if hint is None else {Annotation.DEPLOYER_TYPE: hint}
            spec = {"type": type_, "config": {"apiVersion": "x/v1", "kind": "X"}}
            body = {"metadata": {"name": name, "annotations": annotations}, "spec": spec}
            await world.cluster.create(DEPLOY_ITEMS, body, namespace="default")
            await world.trigger(name)
        await asyncio.sleep(900)
        assert (world.sample.calls, world.writes) == ([], [])

    in_a_world(scenario)


def test_update_on_change_only_finishes_an_unchanged_item_without_the_deployer() -> None:
    async def export(item: Item) -> None:
        await item.export({"a": 1})

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = export
        await world.run_job(updateOnChangeOnly=True)
        await asyncio.sleep(100)
        await world.trigger()
        await asyncio.sleep(0.05)
        status = (await world.item()).status
        assert len(world.sample.times()) == 1
        assert (status.phase, status.job_id_finished) == (Phase.SUCCEEDED, "job-2")
        assert status.last_reconcile_time == time.START + timedelta(seconds=100)
        assert status.export_ref is not None
        await world.patch("one", {"spec": {"config": {"b": "2"}}})
        await world.trigger()
        await asyncio.sleep(0.05)
        assert len(world.sample.times()) == 2

    in_a_world(scenario)


def test_update_on_change_only_deploys_a_failed_item_again() -> None:
    async def scenario(world: World) -> None:
        await world.create(updateOnChangeOnly=True)
        await world.write_status("one", {"phase": "Failed", "observedGeneration": 1})
        await world.trigger()
        await asyncio.sleep(0.05)
        assert len(world.sample.times()) == 1

    in_a_world(scenario)


def test_a_test_may_start_a_job_by_an_annotation() -> None:
    async def scenario(world: World) -> None:
        await world.run_job(updateOnChangeOnly=True)
        await world.patch("one", {"metadata": {"annotations": {Annotation.OPERATION: "test-reconcile"}}})
        await asyncio.sleep(0.05)
        item = await world.item()
        assert len(world.sample.times()) == 2
        assert item.status.job_id == item.status.job_id_finished != "job-1"
        assert not item.metadata.annotations
        await asyncio.sleep(900)
        assert len(world.sample.times()) == 2

    in_a_world(scenario)


def test_an_item_without_configuration_fails_at_once() -> None:
    async def scenario(world: World) -> None:
        body = {"metadata": {"name": "one"}, "spec": {"type": TYPE}}
        await world.cluster.create(DEPLOY_ITEMS, body, namespace="default")
        await world.trigger()
        await asyncio.sleep(0.05)
        status = (await world.item()).status
        assert status.phase == Phase.FAILED
        assert status.last_error is not None
        assert status.last_error.reason == "ProviderConfigurationMissing"
        assert status.last_error.codes == ("ERR_CONFIGURATION_PROBLEM",)

    in_a_world(scenario)


def test_hundreds_of_items_wait_at_once() -> None:
    async def slow(item: Item) -> None:
        await asyncio.sleep(3600)

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = slow
        for number in range(400):
            await world.create(f"i{number}", timeout="none")
            await world.trigger(f"i{number}")
        await asyncio.sleep(1)
        assert len(world.sample.running) == 400

    in_a_world(scenario)


class Full:
    """A queue that is behind."""

    depth = 99
    running = ()


def test_while_the_process_is_behind_with_its_work_less_is_told() -> None:
    async def slow(item: Item) -> None:
        await asyncio.sleep(3 if item.name == "one" else 8)

    async def scenario(world: World) -> None:
        world.hands.pressure.follow(Full())  # type: ignore[arg-type]
        world.sample.on_reconcile = slow
        await world.run_job(seconds=4)
        assert world.writes == ["patch deployitems status"]
        item = await world.run_job("two", seconds=6)
        assert item.status.phase == Phase.PROGRESSING

    in_a_world(scenario)
