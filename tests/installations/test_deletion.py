"""Deletion: in reverse order, needing nothing but the objects themselves, and telling what holds it up."""

from __future__ import annotations

import asyncio

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
from tests.installations.worlds import NAMESPACE, World, condition, in_a_world

from landform.api.names import Operation
from landform.cluster.errors import NotFound
from landform.cluster.kinds import CONTEXTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS, TARGETS

CHAIN = blueprint(
    subinstallations=[
        template("one", producing(1), gives={"out": "a"}),
        template("two", consuming(), data={"in": "a"}, gives={"out": "b"}),
        template("three", consuming(), data={"in": "b"}),
    ]
)


def test_a_tree_is_deleted_in_the_reverse_order_of_its_data() -> None:
    gone: list[str] = []

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", CHAIN))
        await world.finished("shop")
        names = {(await world.child(name)).metadata.name: name for name in ("one", "two", "three")}
        world.caches.informer(INSTALLATIONS).subscribe(
            lambda old, new: gone.append(names.get(old.metadata.name, "shop")) if new is None and old else None
        )
        await world.delete("shop")
        await world.gone("shop")
        assert await world.left() == []

    in_a_world(scenario)
    assert gone == ["three", "two", "one", "shop"]


def test_deletion_needs_neither_context_nor_blueprint_nor_imports() -> None:
    async def scenario(world: World) -> None:
        await world.data("x", 1)
        made = blueprint(imports=[data_import("in")], items=[item()], subinstallations=[template("db", producing(1))])
        await world.apply(installation("shop", made, data={"in": "x"}))
        await world.finished("shop")
        await world.change("shop", blueprint={"inline": {"filesystem": "not even a folder"}})
        await world.cluster.delete(CONTEXTS, "default", namespace=NAMESPACE)
        await world.delete("shop")
        await world.gone("shop")
        assert await world.left() == ["DataObject x"]

    in_a_world(scenario)


def test_a_failed_tree_is_deleted_like_any_other() -> None:
    made = blueprint(
        items=[item(phase="Failed")],
        subinstallations=[
            template("ok", producing(1), gives={"out": "a"}),
            template("bad", blueprint(items=[item(phase="Failed")])),
            template("never", consuming(), data={"in": "a"}),
        ],
    )

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", made))
        assert (await world.finished("shop")).status.phase == "Failed"
        await world.delete("shop")
        await world.gone("shop")
        assert await world.left() == []

    in_a_world(scenario)


def test_an_installation_that_never_ran_is_deleted_at_once() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop"), start=False)
        await asyncio.sleep(1)
        await world.delete("shop")
        await world.gone("shop", seconds=1)

    in_a_world(scenario)


def test_a_job_that_runs_is_finished_before_the_deletion_begins() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item(delay="20s")])))
        await world.until("shop", "Progressing")
        await world.delete("shop")
        await asyncio.sleep(10)
        assert (await world.get("shop")).status.phase == "Progressing"
        await world.gone("shop")
        assert world.phases["shop"] == ["Init", "Progressing", "Succeeded", "InitDelete", "Deleting"]

    in_a_world(scenario)


def test_an_installation_that_still_waits_to_begin_is_deleted_without_waiting_longer() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("a", "x", 1, delay="1h"))
        await world.until("a", "Progressing")
        await world.apply(consumer("b", "x"))
        await world.until("b", "Init")
        await world.delete("b")
        await world.gone("b", seconds=5)

    in_a_world(scenario)


def test_e17_without_uninstall_no_deployer_is_called_and_everything_goes() -> None:
    async def scenario(world: World) -> None:
        await world.target("here")
        made = blueprint(items=[item(target={"name": "here"})])
        await world.apply(installation("shop", blueprint(subinstallations=[template("db", made)])))
        await world.finished("shop")
        await world.cluster.delete(TARGETS, "here", namespace=NAMESPACE)  # no deployer could uninstall now
        await world.annotate("shop", delete_without_uninstall="true")
        await world.delete("shop")
        await world.gone("shop")
        assert await world.left() == []

    in_a_world(scenario)


def test_e18_an_import_holds_up_the_deletion_until_the_importer_is_gone() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("a", "x", 1))
        await world.finished("a")
        await world.apply(consumer("b", "x"))
        await world.finished("b")
        await world.delete("a")
        await asyncio.sleep(3600)
        held = await world.get("a")
        assert held.status.phase == "InitDelete"
        waiting = condition(held, "Waiting")
        assert waiting.reason == "Importer"
        assert waiting.message.startswith("installation b (in phase Succeeded) still imports data 'x'; delete it first")
        assert await world.value("x") == 1
        await world.delete("b")
        await world.gone("a", seconds=5)

    in_a_world(scenario)


def test_e18_successors_are_ignored_if_that_is_wanted() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("a", "x", 1))
        await world.finished("a")
        await world.apply(consumer("b", "x"))
        await world.finished("b")
        await world.delete("a")
        await asyncio.sleep(60)
        await world.annotate("a", delete_ignore_successors="true")
        await world.gone("a", seconds=5)

    in_a_world(scenario)


def test_e19_a_deletion_that_failed_begins_anew_only_when_it_is_asked_for() -> None:
    async def scenario(world: World) -> None:
        await world.target("here")
        made = blueprint(items=[item(target={"name": "here"})])
        await world.apply(installation("shop", blueprint(subinstallations=[template("db", made)])))
        await world.finished("shop")
        await world.cluster.delete(TARGETS, "here", namespace=NAMESPACE)
        await world.delete("shop")
        failed = await world.until("shop", "DeleteFailed")
        error = failed.status.last_error
        assert error is not None
        assert (error.operation, error.reason) == ("handleReconcilePhase", "UndeletedSubobjects")
        assert "(db)" in error.message
        assert "here" in error.message
        await world.annotate("shop", touch="true")
        await asyncio.sleep(60)
        assert (await world.get("shop")).status.phase == "DeleteFailed"
        await world.target("here")
        await world.annotate("shop", operation=Operation.RECONCILE)
        await world.gone("shop")
        assert await world.left() == ["Target here"]

    in_a_world(scenario)


def test_a_deletion_that_failed_succeeds_without_uninstall() -> None:
    """The documented way out: what is lost then is named in the error before."""

    async def scenario(world: World) -> None:
        await world.target("here")
        await world.apply(installation("shop", blueprint(items=[item(target={"name": "here"})])))
        await world.finished("shop")
        await world.cluster.delete(TARGETS, "here", namespace=NAMESPACE)
        await world.delete("shop")
        await world.until("shop", "DeleteFailed")
        await world.annotate("shop", delete_without_uninstall="true", operation=Operation.RECONCILE)
        await world.gone("shop")
        assert await world.left() == []

    in_a_world(scenario)


def test_what_imports_from_a_sibling_whose_deletion_failed_keeps_it() -> None:
    stuck = blueprint(imports=[data_import("in")], items=[item(target={"name": "here"})])
    made = blueprint(
        subinstallations=[
            template("one", producing(1), gives={"out": "a"}),
            template("two", stuck, data={"in": "a"}),
        ]
    )

    async def scenario(world: World) -> None:
        await world.target("here")
        await world.apply(installation("shop", made))
        assert (await world.finished("shop")).status.phase == "Succeeded"
        await world.cluster.delete(TARGETS, "here", namespace=NAMESPACE)
        await world.delete("shop")
        await world.until("shop", "DeleteFailed")
        one = await world.child("one")
        assert one.status.last_error is not None
        assert one.status.last_error.reason == "SiblingDeleteError"
        assert len((await world.cluster.list(DEPLOY_ITEMS, namespace=NAMESPACE)).items) == 2

    in_a_world(scenario)


def test_a_child_whose_parent_vanished_deletes_itself() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(subinstallations=[template("db", blueprint(items=[item()]))])))
        await world.finished("shop")
        await world.cluster.patch(INSTALLATIONS, "shop", {"metadata": {"finalizers": None}}, namespace=NAMESPACE)
        await world.delete("shop")  # nobody of ours holds it: the garbage collector deletes what it owned
        assert await world.left() == []

    in_a_world(scenario)


def test_what_is_waited_for_during_a_deletion_is_told() -> None:
    async def scenario(world: World) -> None:
        held = {"metadata": {"finalizers": ["example.com/mine"]}}
        await world.apply(installation("shop", blueprint(items=[item()])))
        await world.finished("shop")
        [found] = (await world.cluster.list(DEPLOY_ITEMS, namespace=NAMESPACE)).items
        finalizers = [*(found.metadata.finalizers or ()), *held["metadata"]["finalizers"]]
        change = {"metadata": {"finalizers": finalizers}}
        await world.cluster.patch(DEPLOY_ITEMS, found.metadata.name or "", change, namespace=NAMESPACE)
        await world.delete("shop")
        await asyncio.sleep(30)
        shop = await world.get("shop")
        assert condition(shop, "Waiting").message == "execution shop is in phase Deleting"
        freed = {"metadata": {"finalizers": None}}
        await world.cluster.patch(DEPLOY_ITEMS, found.metadata.name or "", freed, namespace=NAMESPACE)
        await world.gone("shop", seconds=10)

    in_a_world(scenario)


def test_exports_of_targets_protect_through_lists_too() -> None:
    giving = blueprint(
        exports=[{"name": "out", "type": "target", "targetType": CLUSTER}],
        exported={"out": {"type": CLUSTER, "config": {}}},
    )
    taking = blueprint(imports=[{"name": "in", "type": "targetList", "targetType": CLUSTER}])

    async def scenario(world: World) -> None:
        await world.apply(installation("a", giving, gives_targets={"out": "t"}))
        await world.finished("a")
        await world.apply(installation("b", taking, targets={"in": ["t"]}))
        await world.finished("b")
        await world.delete("a")
        await asyncio.sleep(60)
        assert (await world.get("a")).status.phase == "InitDelete"
        await world.delete("b")
        await world.gone("a", seconds=5)
        try:
            await world.cluster.get(EXECUTIONS, "a", namespace=NAMESPACE)
        except NotFound:
            return
        raise AssertionError("the execution is still there")

    in_a_world(scenario)
