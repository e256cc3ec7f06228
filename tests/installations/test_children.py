"""Sub-installations and Executions: created, changed, removed, and found again after a crash."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.installations.objects import (
    blueprint,
    consuming,
    data_export,
    data_import,
    filesystem,
    installation,
    item,
    producing,
    template,
)
from tests.installations.worlds import NAMESPACE, World, condition, in_a_world

from landform.api import executions
from landform.api.names import Annotation, Finalizer, Label, Operation
from landform.cluster.kinds import DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS, TARGETS


async def use(world: World, name: str, made: dict[str, Any]) -> None:
    """Give an Installation another blueprint."""
    await world.change(name, blueprint={"inline": {"filesystem": filesystem(made)}})


async def names(world: World) -> set[str]:
    """The sub-installations that exist, by their names in the blueprint."""
    found = (await world.cluster.list(INSTALLATIONS, namespace=NAMESPACE)).items
    said = [(each.metadata.annotations or {}).get(Annotation.SUBINSTALLATION_NAME) for each in found]
    return {name for name in said if name}


def test_a_sub_installation_carries_what_it_must() -> None:
    async def scenario(world: World) -> None:
        sub = template("db", producing(1), gives={"out": "url"})
        await world.apply(installation("shop", blueprint(subinstallations=[sub])))
        done = await world.finished("shop")
        db = await world.child("db")
        assert (db.metadata.name or "").startswith("db-")
        assert len(db.metadata.name or "") == 8
        assert db.metadata.labels == {Label.ENCOMPASSED_BY: "shop"}
        assert db.metadata.finalizers == (Finalizer.LANDSCAPER,)
        [owner] = db.metadata.owner_references or ()
        assert (owner.name, owner.controller) == ("shop", True)
        assert db.status.job_id_finished == done.status.job_id
        assert db.spec.context == "default"
        assert done.status.sub_inst_cache is not None
        [active] = done.status.sub_inst_cache.active_subs or ()
        assert (active.spec_name, active.object_name) == ("db", db.metadata.name)

    in_a_world(scenario)


def test_a_child_of_an_installation_without_component_has_no_component_at_all() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(subinstallations=[template("db")])))
        assert (await world.finished("shop")).status.phase == "Succeeded"
        name = (await world.child("db")).metadata.name or ""
        plain = await world.cluster.get(INSTALLATIONS.untyped(), name, namespace=NAMESPACE)
        assert "componentDescriptor" not in plain["spec"]

    in_a_world(scenario)


def test_data_flows_through_three_levels_and_back() -> None:
    def level(inner: dict[str, Any]) -> dict[str, Any]:
        return blueprint(
            imports=[data_import("in")],
            exports=[data_export("out")],
            subinstallations=[template("inner", inner, data={"in": "in"}, gives={"out": "got"})],
            exported="exports: {out: {{ .dataobjects.got | toJson }}}",
        )

    async def scenario(world: World) -> None:
        await world.data("x", {"deep": [1, 2]})
        await world.apply(installation("top", level(level(level(consuming()))), data={"in": "x"}, gives={"out": "y"}))
        done = await world.finished("top")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await world.value("y") == {"deep": [1, 2]}
        await world.delete("top")
        await world.gone("top")
        assert await world.left() == ["DataObject x"]

    in_a_world(scenario)


def test_a_template_that_is_gone_takes_its_sub_installation_with_it_before_others_start() -> None:
    old = template("old", producing(1, delay="1s"), gives={"out": "x"})
    user = template("user", consuming(), data={"in": "x"})
    new = template("user", blueprint(items=[item()]))

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(subinstallations=[old, user])))
        await world.finished("shop")
        await use(world, "shop", blueprint(subinstallations=[new]))
        done = await world.reconcile("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await names(world) == {"user"}
        assert world.phases["shop"][-4:] == ["Init", "CleanupOrphaned", "Progressing", "Succeeded"]
        assert done.status.sub_inst_cache is not None
        assert done.status.sub_inst_cache.orphaned_subs is None

    in_a_world(scenario)


def test_e14_without_deploy_items_the_old_execution_goes_before_the_job_is_over() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item()])))
        await world.finished("shop")
        await use(world, "shop", blueprint(items=[]))
        done = await world.reconcile("shop")
        assert (done.status.phase, done.status.execution_ref) == ("Succeeded", None)
        assert (await world.cluster.list(EXECUTIONS, namespace=NAMESPACE)).items == []
        assert (await world.cluster.list(DEPLOY_ITEMS, namespace=NAMESPACE)).items == []
        await use(world, "shop", blueprint(items=[item()]))
        assert (await world.reconcile("shop")).status.phase == "Succeeded"
        assert len((await world.cluster.list(DEPLOY_ITEMS, namespace=NAMESPACE)).items) == 1

    in_a_world(scenario)


def test_e26_a_sub_installation_that_is_wanted_again_while_it_goes_is_made_anew() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(subinstallations=[template("db", producing(1))])))
        await world.finished("shop")
        old = await world.child("db")
        await world.delete(old.metadata.name or "")
        await asyncio.sleep(10)
        hanging = await world.get(old.metadata.name or "")
        assert "installation shop deletes it in its next job" in condition(hanging, "Waiting").message
        done = await world.reconcile("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        new = await world.child("db")
        assert new.metadata.uid != old.metadata.uid
        assert new.metadata.name == old.metadata.name
        assert new.status.phase == "Succeeded"

    in_a_world(scenario)


def test_an_execution_that_was_deleted_by_hand_is_made_anew_by_the_next_job() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item()])))
        await world.finished("shop")
        old = await world.cluster.get(EXECUTIONS, "shop", namespace=NAMESPACE)
        await world.cluster.delete(EXECUTIONS, "shop", namespace=NAMESPACE)
        await asyncio.sleep(5)
        done = await world.reconcile("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        new = await world.cluster.get(EXECUTIONS, "shop", namespace=NAMESPACE)
        assert new.metadata.uid != old.metadata.uid

    in_a_world(scenario)


def test_an_execution_of_somebody_else_is_named_and_left_alone() -> None:
    async def scenario(world: World) -> None:
        foreign = {"metadata": {"name": "shop"}, "spec": {"deployItems": []}}
        await world.cluster.create(EXECUTIONS, foreign, namespace=NAMESPACE)
        await world.apply(installation("shop", blueprint(items=[item()])))
        done = await world.finished("shop")
        assert done.status.last_error is not None
        assert "Execution shop that does not belong to this Installation" in done.status.last_error.message
        await world.delete("shop")
        await world.gone("shop")
        assert await world.left() == ["Execution shop"]

    in_a_world(scenario)


def test_e27_the_execution_holds_its_items_compressed() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item("one"), item("two", depends_on=["one"])])))
        await world.finished("shop")
        execution = await world.cluster.get(EXECUTIONS, "shop", namespace=NAMESPACE)
        assert execution.spec.deploy_items is None
        assert [each.name for each in executions.items(execution.spec)] == ["one", "two"]
        [owner] = execution.metadata.owner_references or ()
        assert (owner.kind, owner.name, owner.controller) == ("Installation", "shop", True)

    in_a_world(scenario)


def test_helm_charts_may_be_cached_where_the_root_says_so() -> None:
    async def scenario(world: World) -> None:
        annotations = {str(Annotation.CACHE_HELM_CHARTS): "true"}
        made = blueprint(items=[item()], subinstallations=[template("db", blueprint(items=[item()]))])
        await world.apply(installation("shop", made, annotations=annotations))
        await world.finished("shop")
        child = await world.child("db")
        assert (child.metadata.annotations or {}).get(Annotation.CACHE_HELM_CHARTS) == "true"
        for each in (await world.cluster.list(EXECUTIONS, namespace=NAMESPACE)).items:
            assert (each.metadata.annotations or {}).get(Annotation.CACHE_HELM_CHARTS) == "true"
        await world.annotate("shop", cache_helm_charts=None, operation=Operation.RECONCILE)
        await asyncio.sleep(1)
        await world.finished("shop")
        child = await world.child("db")
        assert Annotation.CACHE_HELM_CHARTS not in (child.metadata.annotations or {})

    in_a_world(scenario)


def test_what_people_put_on_a_sub_installation_stays_there() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(subinstallations=[template("db")])))
        await world.finished("shop")
        name = (await world.child("db")).metadata.name or ""
        change = {"metadata": {"labels": {"team": "blue"}, "annotations": {"note": "mine"}}}
        await world.cluster.patch(INSTALLATIONS, name, change, namespace=NAMESPACE)
        await world.reconcile("shop")
        child = await world.get(name)
        assert (child.metadata.labels or {})["team"] == "blue"
        assert (child.metadata.annotations or {})["note"] == "mine"

    in_a_world(scenario)


def test_a_specification_of_a_sub_installation_that_people_changed_is_put_right() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(subinstallations=[template("db")])))
        await world.finished("shop")
        before = await world.child("db")
        await world.change(before.metadata.name or "", importDataMappings={"x": 1})
        await world.reconcile("shop")
        assert (await world.child("db")).spec == before.spec

    in_a_world(scenario)


def test_templates_that_depend_on_each_other_in_a_circle_fail_with_its_names() -> None:
    made = blueprint(
        subinstallations=[
            template("one", consuming(), data={"in": "b"}, gives={"out": "a"}),
            template("two", consuming(), data={"in": "a"}, gives={"out": "b"}),
        ]
    )

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", made))
        done = await world.finished("shop")
        error = done.status.last_error
        assert error is not None
        assert (error.operation, error.reason) == ("handlePhaseInit", "CreateImportsAndSubobjects")
        assert " -{depends_on}-> " in error.message
        assert condition(done, "EnsureSubInstallations").status == "False"
        assert await names(world) == set()

    in_a_world(scenario)


def test_an_orphan_that_cannot_be_deleted_fails_the_job_and_is_named() -> None:
    stubborn = blueprint(items=[item(target={"name": "away"})])

    async def scenario(world: World) -> None:
        await world.target("away")
        await world.apply(installation("shop", blueprint(subinstallations=[template("db", stubborn)])))
        assert (await world.finished("shop")).status.phase == "Succeeded"
        await world.cluster.delete(TARGETS, "away", namespace=NAMESPACE)
        await use(world, "shop", blueprint())
        done = await world.reconcile("shop")
        error = done.status.last_error
        assert error is not None
        assert (done.status.phase, error.reason) == ("Failed", "AllOrphanedSubinstallationsFailed")
        assert "(db)" in error.message
        await world.target("away")
        done = await world.reconcile("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await names(world) == set()

    in_a_world(scenario)
