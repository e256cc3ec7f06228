"""Items that go: uninstalled first, unless nobody wants that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.deployers.library.worlds import World, in_a_world

from landform.api.names import Annotation
from landform.api.phases import Phase
from landform.cluster.errors import Unreachable
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.deployers.library import Terminal

if TYPE_CHECKING:
    from landform.deployers.library import Item


def test_a_deleted_item_goes_when_it_is_uninstalled() -> None:
    async def scenario(world: World) -> None:
        await world.run_job()
        await world.delete()
        await asyncio.sleep(0.05)
        assert await world.is_gone()
        assert [call for call, _, _ in world.sample.calls] == ["reconcile", "delete"]
        assert world.writes == ["patch deployitems status", "patch deployitems"]

    in_a_world(scenario)


def test_a_deleted_item_without_a_job_waits_for_its_turn() -> None:
    async def scenario(world: World) -> None:
        await world.run_job()
        await world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")
        await asyncio.sleep(60)
        assert world.sample.times("delete") == []

    in_a_world(scenario)


def test_an_uninstallation_that_fails_is_told_and_can_be_tried_again() -> None:
    async def fail(item: Item) -> None:
        raise Terminal("Stuck", "it does not go")

    async def scenario(world: World) -> None:
        world.sample.on_delete = fail
        await world.run_job()
        await world.delete()
        await asyncio.sleep(0.05)
        status = (await world.item()).status
        assert (status.phase, status.job_id_finished) == (Phase.DELETE_FAILED, "job-2")
        assert status.last_error is not None
        assert (status.last_error.operation, status.last_error.reason) == ("Delete", "Stuck")
        world.sample.on_delete = lambda item: asyncio.sleep(0)
        await world.trigger()
        await asyncio.sleep(0.05)
        assert await world.is_gone()

    in_a_world(scenario)


def test_a_slow_uninstallation_has_one_deadline_and_its_own_last_error() -> None:
    async def fail(item: Item) -> None:
        raise Unreachable("the cluster does not answer")

    async def scenario(world: World) -> None:
        world.sample.on_delete = fail
        await world.run_job(timeout="1m")
        await world.delete()
        await asyncio.sleep(1)
        assert (await world.item()).status.phase == Phase.DELETING
        await asyncio.sleep(60)
        status = (await world.item()).status
        assert status.phase == Phase.DELETE_FAILED
        assert status.last_error is not None
        assert status.last_error.message == "the cluster does not answer (given up after 1m0s)"

    in_a_world(scenario)


def test_delete_without_uninstall_lets_the_item_go_and_leaves_the_rest() -> None:
    async def scenario(world: World) -> None:
        await world.run_job(target={"name": "nowhere", "namespace": "default"})
        await world.patch("one", {"metadata": {"annotations": {Annotation.DELETE_WITHOUT_UNINSTALL: "true"}}})
        await world.delete()
        await asyncio.sleep(0.05)
        assert await world.is_gone()
        assert world.sample.times("delete") == []

    in_a_world(scenario)


def test_only_the_word_true_leaves_things_installed() -> None:
    async def scenario(world: World) -> None:
        await world.run_job()
        await world.patch("one", {"metadata": {"annotations": {Annotation.DELETE_WITHOUT_UNINSTALL: "yes"}}})
        await world.delete()
        await asyncio.sleep(0.05)
        assert len(world.sample.times("delete")) == 1

    in_a_world(scenario)


def test_what_is_uninstalled_is_not_uninstalled_again_while_others_hold_the_item() -> None:
    async def scenario(world: World) -> None:
        await world.run_job()
        await world.patch(
            "one", {"metadata": {"finalizers": ["finalizer.landscaper.gardener.cloud", "someone.else/holds"]}}
        )
        await world.delete()
        await asyncio.sleep(60)
        await world.patch("one", {"metadata": {"annotations": {"touched": "yes"}}})
        await asyncio.sleep(60)
        assert (await world.item()).metadata.finalizers == ("someone.else/holds",)
        assert len(world.sample.times("delete")) == 1

    in_a_world(scenario)


def test_deleting_needs_neither_configuration_nor_context() -> None:
    async def scenario(world: World) -> None:
        await world.create(context="gone")
        await world.patch("one", {"spec": {"config": None}})
        await world.delete()
        await asyncio.sleep(0.05)
        assert await world.is_gone()

    in_a_world(scenario)


def test_a_missing_target_fails_a_deletion_at_once() -> None:
    async def scenario(world: World) -> None:
        await world.create(target={"name": "nowhere", "namespace": "default"})
        await world.delete()
        await asyncio.sleep(0.05)
        status = (await world.item()).status
        assert (status.phase, status.job_id_finished) == (Phase.DELETE_FAILED, "job-1")
        assert status.last_error is not None
        assert (status.last_error.operation, status.last_error.reason) == ("reconcilePrivate", "NoTargetFound")

    in_a_world(scenario)


ALONE: dict[str, Any] = {"metadata": {"ownerReferences": None}}


def test_an_item_that_belongs_to_nobody_is_uninstalled_when_it_is_deleted() -> None:
    async def scenario(world: World) -> None:
        await world.run_job(**ALONE)
        await world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")
        await asyncio.sleep(0.05)
        assert await world.is_gone()
        assert [call for call, _, _ in world.sample.calls] == ["reconcile", "delete"]

    in_a_world(scenario)


def test_an_item_that_belongs_to_nobody_and_is_deleted_while_it_is_deployed_is_uninstalled_too() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = lambda item: asyncio.sleep(3600)
        await world.run_job(seconds=5, **ALONE)
        await world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")
        await asyncio.sleep(5)
        assert await world.is_gone()
        assert world.sample.overlaps == 0

    in_a_world(scenario)


def test_a_failed_deletion_of_an_item_that_belongs_to_nobody_is_tried_again_on_demand() -> None:
    async def fail(item: Item) -> None:
        raise Terminal("Stuck", "it does not go")

    async def scenario(world: World) -> None:
        world.sample.on_delete = fail
        await world.run_job(**ALONE)
        await world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")
        await asyncio.sleep(3600)
        assert (await world.item()).status.phase == Phase.DELETE_FAILED
        assert len(world.sample.times("delete")) == 1
        again = {"metadata": {"annotations": {Annotation.OPERATION: "test-reconcile"}}}
        await world.patch("one", again)
        await asyncio.sleep(3600)
        assert len(world.sample.times("delete")) == 2, "asked for once, tried once"
        world.sample.on_delete = lambda item: asyncio.sleep(0)
        await world.patch("one", again)
        await asyncio.sleep(0.05)
        assert await world.is_gone()

    in_a_world(scenario)
