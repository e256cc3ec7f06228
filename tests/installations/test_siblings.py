"""Installations that import what others export: order, starting, and what goes wrong between them."""

from __future__ import annotations

import asyncio

import pytest
from tests.installations.objects import (
    CLUSTER,
    blueprint,
    consumer,
    consuming,
    data_import,
    installation,
    item,
    producer,
    producing,
    template,
)
from tests.installations.worlds import World, condition, in_a_world

from landform.api.names import Annotation, Operation


def test_e04_a_root_waits_for_its_predecessor_and_runs_once_after_it() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("a", "x", 1, delay="20s"))
        await world.apply(consumer("b", "x", "y"))
        waiting = await world.until("b", "Init")
        await asyncio.sleep(10)
        waiting = await world.get("b")
        assert waiting.status.phase == "Init"
        assert condition(waiting, "Waiting").message == "installation a is in phase Progressing"
        await world.finished("a")
        done = await world.finished("b")
        assert (done.status.phase, await world.value("y")) == ("Succeeded", 1)
        await asyncio.sleep(60)
        assert (await world.get("b")).status.job_id == waiting.status.job_id
        assert world.phases["b"] == ["Init", "Progressing", "Succeeded"]

    in_a_world(scenario)


def test_e04_a_root_that_finished_starts_those_that_import_from_it() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("a", "x", 1))
        await world.finished("a")
        await world.apply(consumer("b", "x", "y"))
        first = await world.finished("b")
        await world.change("a", blueprint=producer("a", "x", 2)["spec"]["blueprint"])
        await world.reconcile("a")
        await asyncio.sleep(10)
        second = await world.finished("b")
        assert second.status.job_id != first.status.job_id
        assert await world.value("y") == 2

    in_a_world(scenario)


def test_e04_a_root_that_failed_starts_them_too_and_they_name_it() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("a", "x", 1, phase="Failed"))
        await world.apply(consumer("b", "x"))
        await asyncio.sleep(60)
        done = await world.finished("b")
        assert done.status.phase == "Failed"
        assert done.status.last_error is not None
        assert done.status.last_error.reason == "AllPredecessorsSucceeded"
        assert "installation a is in phase Failed" in done.status.last_error.message

    in_a_world(scenario)


def test_e05_a_predecessor_that_never_ran_fails_the_importer() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("a", "x", 1), start=False)
        await world.apply(consumer("b", "x"))
        done = await world.finished("b")
        error = done.status.last_error
        assert error is not None
        assert (done.status.phase, error.operation, error.reason) == ("Failed", "init", "AllPredecessorsSucceeded")
        assert "installation a never ran" in error.message
        assert error.codes == ("ERR_FOR_INFO_ONLY",)

    in_a_world(scenario)


@pytest.mark.parametrize("imported", ["t", ["t"], {"targetMap": {"eu": "t"}}], ids=["target", "targets", "targetMap"])
def test_e06_every_way_to_import_a_target_orders_triggers_and_protects(imported: object) -> None:
    kinds = {"str": "target", "list": "targetList", "dict": "targetMap"}
    giving = blueprint(
        exports=[{"name": "out", "type": "target", "targetType": CLUSTER}],
        items=[item(delay="5s")],
        exported={"out": {"type": CLUSTER, "config": {"server": "here"}}},
    )
    taking = blueprint(
        imports=[{"name": "in", "type": kinds[type(imported).__name__], "targetType": CLUSTER}], items=[item()]
    )

    async def scenario(world: World) -> None:
        await world.apply(installation("a", giving, gives_targets={"out": "t"}))
        await world.apply(installation("b", taking, targets={"in": imported}))
        first = await world.finished("b")
        assert first.status.phase == "Succeeded", first.status.last_error
        await world.reconcile("a")
        await asyncio.sleep(5)
        assert (await world.finished("b")).status.job_id != first.status.job_id
        await world.delete("a")
        await asyncio.sleep(60)
        held = await world.get("a")
        assert held.status.phase == "InitDelete"
        assert "installation b (in phase Succeeded) still imports target 't'" in condition(held, "Waiting").message
        await world.delete("b")
        await world.gone("a", seconds=5)

    in_a_world(scenario)


def test_two_exporters_of_an_imported_name_are_named() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("a1", "x", 1))
        await world.apply(producer("a2", "x", 2), start=False)
        await world.finished("a1")
        await world.apply(consumer("b", "x"))
        done = await world.finished("b")
        assert done.status.phase == "Failed"
        assert done.status.last_error is not None
        assert "data 'x' is exported more than once, by a1 and a2" in done.status.last_error.message

    in_a_world(scenario)


def test_strangers_that_export_one_name_twice_do_not_matter() -> None:
    async def scenario(world: World) -> None:
        for name in ("s1", "s2"):
            await world.apply(producer(name, "same", 1), start=False)
        await world.apply(producer("a", "x", 7, delay="5s"))
        await world.apply(consumer("b", "x", "y"))
        assert (await world.finished("b")).status.phase == "Succeeded"
        assert await world.value("y") == 7

    in_a_world(scenario)


def test_roots_that_import_from_each_other_fail_once_and_name_the_circle() -> None:
    async def scenario(world: World) -> None:
        await world.apply(consumer("a", "x", "y"), start=False)
        await world.apply(consumer("b", "y", "x"), start=False)
        done = await world.reconcile("a")
        assert done.status.phase == "Failed"
        assert done.status.last_error is not None
        assert "a -{depends_on}-> b -{depends_on}-> a" in done.status.last_error.message
        world.writes.clear()
        await asyncio.sleep(600)
        assert world.writes == []

    in_a_world(scenario)


def test_a_promise_of_no_sibling_imports_saves_the_wait() -> None:
    async def scenario(world: World) -> None:
        await world.data("x", 5)
        await world.apply(producer("a", "x", 1, delay="100s"))
        await world.until("a", "Progressing")
        promising = consumer("b", "x", "y")
        promising["spec"]["optimization"] = {"hasNoSiblingImports": True}
        await world.apply(promising)
        assert (await world.finished("b", seconds=10)).status.phase == "Succeeded"
        assert await world.value("y") == 5

    in_a_world(scenario)


def test_sub_installations_run_in_the_order_of_their_data() -> None:
    made = blueprint(
        imports=[data_import("start")],
        exports=[{"name": "end", "type": "data", "schema": {}}],
        subinstallations=[
            template("third", consuming(), data={"in": "second-out"}, gives={"out": "third-out"}),
            template("second", consuming(delay="3s"), data={"in": "first-out"}, gives={"out": "second-out"}),
            template("first", consuming(delay="3s"), data={"in": "start"}, gives={"out": "first-out"}),
        ],
        exported='exports: {end: {{ index .dataobjects "third-out" | toJson }}}',
    )

    async def scenario(world: World) -> None:
        await world.data("begin", {"n": 1, "nothing": None})
        await world.apply(installation("shop", made, data={"start": "begin"}, gives={"end": "result"}))
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await world.value("result") == {"n": 1, "nothing": None}
        third = (await world.child("third")).metadata.name or ""
        assert world.phases[third] == ["Init", "Progressing", "Succeeded"]

    in_a_world(scenario)


def test_a_successor_starts_right_after_its_predecessor_and_not_by_polling() -> None:
    made = blueprint(
        subinstallations=[
            template("one", producing(1), gives={"out": "a"}),
            template("two", consuming(), data={"in": "a"}, gives={"out": "b"}),
            template("three", consuming(), data={"in": "b"}, gives={"out": "c"}),
        ]
    )

    async def scenario(world: World) -> None:
        began = asyncio.get_running_loop().time()
        await world.apply(installation("shop", made))
        await world.finished("shop")
        assert asyncio.get_running_loop().time() - began < 0.2

    in_a_world(scenario)


def test_a_failed_sub_installation_fails_its_successors_and_its_parent_names_the_cause() -> None:
    made = blueprint(
        subinstallations=[
            template("one", producing(1, phase="Failed"), gives={"out": "a"}),
            template("two", consuming(), data={"in": "a"}),
        ]
    )

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", made))
        done = await world.finished("shop")
        error = done.status.last_error
        assert error is not None
        assert (done.status.phase, error.reason) == ("Failed", "children failed")
        assert "MockFailed" in error.message or "the configuration wants the phase Failed" in error.message
        two = await world.child("two")
        assert two.status.last_error is not None
        assert two.status.last_error.reason == "AllPredecessorsSucceeded"
        assert "(one)" in two.status.last_error.message

    in_a_world(scenario)


def test_a_dependent_that_is_asked_to_interrupt_meanwhile_is_started_all_the_same() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("a", "x", 1))
        await world.finished("a")
        await world.apply(consumer("b", "x"))
        first = await world.finished("b")
        await world.annotate("a", operation=Operation.RECONCILE)
        await world.annotate("b", operation=Operation.INTERRUPT)
        await asyncio.sleep(60)
        second = await world.get("b")
        assert second.status.job_id != first.status.job_id
        assert Annotation.OPERATION not in (second.metadata.annotations or {})

    in_a_world(scenario)
