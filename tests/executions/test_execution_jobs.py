"""Jobs of Executions on the embedded home: items are created, started in their order, and the job ends."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.executions.worlds import TYPE, World, in_a_world, template

from landform.api import conditions, executions
from landform.api.executions import ExecutionSpec
from landform.api.names import Annotation, Finalizer, Label
from landform.cluster.kinds import EXECUTIONS


def test_an_execution_runs_its_items_in_the_order_of_their_dependencies() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("c", "a", "b"), template("b", "a"), template("a"))
        ended = await world.run("J")
        assert ended.status.phase == "Succeeded"
        assert ended.status.job_id_finished == "J"
        assert world.tiny.log == ["+a", "-a", "+b", "-b", "+c", "-c"]

    in_a_world(scenario, seconds=3.0)


def test_one_item_costs_five_writes_and_nothing_is_written_afterwards() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await world.run("J")
        assert world.recording.writes == [
            "create DeployItem",
            "patch Execution/status",
            "patch DeployItem/status",
            "patch DeployItem/status",  # the deployer's
            "patch Execution/status",
        ]
        await asyncio.sleep(3600)
        assert len(world.recording.writes) == 5

    in_a_world(scenario)


def test_a_run_without_changes_costs_no_write_but_those_of_the_job() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a", config={"apiVersion": "v1", "kind": "C", "gone": None}))
        await world.run("J")
        world.recording.writes.clear()
        await world.run("K")
        assert world.recording.writes == [
            "patch Execution/status",
            "patch DeployItem/status",
            "patch DeployItem/status",
            "patch Execution/status",
        ]

    in_a_world(scenario)


def test_an_item_is_labelled_and_annotated_for_its_deployer() -> None:
    async def scenario(world: World) -> None:
        target = {"name": "cluster-eu", "namespace": "default"}
        more: dict[str, Any] = {
            "target": target,
            "labels": {"team": "blue"},
            "timeout": "7m",
            "updateOnChangeOnly": True,
        }
        await world.apply(template("base", **more), template("top", "base"))
        await world.annotate(Annotation.CACHE_HELM_CHARTS, "true")
        execution = await world.run("J")
        item = await world.item("base")
        said = item.metadata
        assert said.name is not None
        assert said.name.startswith("shop-base-")
        assert len(said.name) == len("shop-base-") + 5
        assert said.labels == {"team": "blue", Label.MANAGED_BY: "shop", Label.ITEM_NAME: "base"}
        assert said.annotations is not None
        assert said.annotations[Annotation.DEPLOYER_TYPE] == TYPE
        assert said.annotations[Annotation.DEPLOYER_TARGET_NAME] == "cluster-eu"
        assert said.annotations[Annotation.CACHE_HELM_CHARTS] == "true"
        assert said.annotations[Annotation.RECONCILE_TIME] == "2030-01-01T00:00:00Z"
        assert said.finalizers == (Finalizer.LANDSCAPER,)
        assert said.owner_references is not None
        assert said.owner_references[0].uid == execution.metadata.uid
        assert (item.spec.timeout, item.spec.update_on_change_only) == ("7m", True)
        assert item.spec.context == "default"
        top = (await world.item("top")).metadata.annotations
        assert top is not None
        assert top[Annotation.DEPENDS_ON] == "base"
        assert top[Annotation.DEPLOYER_TARGET_NAME] == ".noTargetName"

    in_a_world(scenario)


def test_compressed_items_count_and_win_over_plain_ones() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("plain"), deployItemsCompressed=executions.compress([template("compressed")]))
        assert (await world.run("J")).status.phase == "Succeeded"
        assert [*await world.items()] == ["compressed"]
        assert executions.items(ExecutionSpec(deploy_items=())) == ()

    in_a_world(scenario)


def test_a_changed_item_is_changed_and_loses_what_is_no_longer_said() -> None:
    async def scenario(world: World) -> None:
        config = {"apiVersion": "v1", "kind": "C", "old": {"deep": 1}, "kept": [1]}
        await world.apply(template("a", config=config, timeout="1m", labels={"x": "1"}))
        await world.run("J")
        first = await world.item("a")
        await world.apply(template("a", config={"apiVersion": "v1", "kind": "C", "kept": [2]}))
        await world.run("K")
        second = await world.item("a")
        assert second.metadata.uid == first.metadata.uid
        assert b"old" not in bytes(second.spec.config)
        assert b"[2]" in bytes(second.spec.config)
        assert second.spec.timeout is None
        assert (second.metadata.labels or {})["x"] == "1"  # labels stay

    in_a_world(scenario)


def test_without_items_the_job_succeeds_at_once() -> None:
    async def scenario(world: World) -> None:
        await world.apply()
        assert (await world.run("J")).status.phase == "Succeeded"
        assert world.recording.writes == ["patch Execution/status"]

    in_a_world(scenario)


def test_an_execution_without_a_job_does_nothing_but_hold_itself() -> None:
    async def scenario(world: World) -> None:
        body = {"metadata": {"name": "shop"}, "spec": {"deployItems": [template("a")]}}
        await world.cluster.create(EXECUTIONS, body, namespace="default")
        await asyncio.sleep(60)
        assert world.recording.writes == ["patch Execution"]
        assert (await world.execution()).metadata.finalizers == (Finalizer.LANDSCAPER,)
        assert await world.items() == {}

    in_a_world(scenario)


def test_a_failed_item_lets_running_ones_finish_and_nothing_new_begin() -> None:
    async def scenario(world: World) -> None:
        world.tiny.fails.add("bad")
        await world.apply(template("bad"), template("good"), template("after", "good"), template("last", "bad"))
        ended = await world.run("J")
        assert ended.status.phase == "Failed"
        assert "+after" not in world.tiny.log
        error = ended.status.last_error
        assert error is not None
        assert (error.operation, error.reason) == ("handlePhaseProgressing", "DeployItemsFailed")
        lines = error.message.splitlines()
        assert lines[0] == "1 of 4 deploy items failed: bad"
        assert lines[1].endswith("Broken: bad does not work")
        assert lines[2] == "not started: after, last"
        world.tiny.fails.clear()
        again = await world.run("K")
        assert again.status.phase == "Succeeded"
        assert again.status.last_error is None

    in_a_world(scenario, seconds=2.0)


def test_an_item_starts_as_soon_as_its_own_dependencies_have_succeeded() -> None:
    async def scenario(world: World) -> None:
        world.tiny.ignores.add("slow")
        await world.apply(template("slow"), template("fast"), template("next", "fast"))
        await world.trigger("J")
        await asyncio.sleep(1)
        assert world.tiny.log == ["+fast", "-fast", "+next", "-next"]

    in_a_world(scenario)


def test_an_item_deleted_by_hand_during_the_job_fails_it_and_the_next_run_creates_it_anew() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"), template("b", "a"))
        await world.trigger("J")
        await asyncio.sleep(1)
        first = await world.item("b")
        await world.delete_item("b")
        ended = await world.ended()
        assert ended.status.phase == "Failed"
        assert ended.status.last_error is not None
        assert "b (" in ended.status.last_error.message
        again = await world.run("K")
        assert again.status.phase == "Succeeded"
        assert (await world.item("b")).metadata.uid != first.metadata.uid

    in_a_world(scenario, seconds=5.0)


def test_an_item_deleted_by_hand_between_jobs_is_created_anew_by_the_next() -> None:
    async def scenario(world: World) -> None:
        await world.apply(template("a"))
        await world.run("J")
        await world.delete_item("a")
        await asyncio.sleep(5)
        unwell = conditions.find((await world.execution()).status.conditions, "Healthy")
        assert unwell is not None
        assert unwell.status == "False"
        assert "is being deleted" in unwell.message
        assert (await world.run("K")).status.phase == "Succeeded"
        assert world.tiny.log == ["+a", "-a", "+a!", "-a!", "+a", "-a"]

    in_a_world(scenario)


def test_an_item_of_another_type_is_removed_by_its_old_deployer_and_created_for_the_new_one() -> None:
    async def scenario(world: World) -> None:
        world.tiny.types = frozenset({TYPE, "example.com/other"})
        await world.apply(template("a"))
        await world.run("J")
        await world.apply(template("a", type="example.com/other"))
        assert (await world.run("K")).status.phase == "Succeeded"
        assert world.tiny.log == ["+a", "-a", "+a!", "-a!", "+a", "-a"]
        assert (await world.item("a")).spec.type == "example.com/other"

    in_a_world(scenario)
