"""Exports: what is written where, when it is replaced, and who may write it."""

from __future__ import annotations

from typing import Any

from tests.installations.objects import CLUSTER, blueprint, data_export, installation, item, producer, template
from tests.installations.worlds import NAMESPACE, World, condition, in_a_world

from landform.api.names import Annotation, Label
from landform.cluster.kinds import DATA_OBJECTS, TARGETS


def giving(name: str, **exports: Any) -> dict[str, Any]:
    """An Installation that exports constants under the same names."""
    made = blueprint(exports=[data_export(key) for key in exports], exported=exports)
    return installation(name, made, gives={key: key for key in exports})


def test_an_export_has_its_labels_its_hash_and_its_owner() -> None:
    async def scenario(world: World) -> None:
        await world.apply(giving("shop", url="x"))
        done = await world.finished("shop")
        found = await world.cluster.get(DATA_OBJECTS, "url", namespace=NAMESPACE)
        assert found.metadata.labels == {
            Label.DATA_SOURCE: "Inst.shop",
            Label.DATA_SOURCE_TYPE: "export",
            Label.DATA_KEY: "url",
            Label.DATA_JOB_ID: done.status.job_id,
        }
        assert (found.metadata.annotations or {})[Annotation.HASH] == "a81fa20d625fc8e5a04721cdf61f056fc2e22496"
        [owner] = found.metadata.owner_references or ()
        assert (owner.name, owner.controller) == ("shop", None)

    in_a_world(scenario)


def test_a_target_is_exported_with_labels_and_annotations() -> None:
    target = {"type": CLUSTER, "config": {"a": None, "b": [1]}, "labels": {"l": "1"}, "annotations": {"a": "2"}}
    made = blueprint(exports=[{"name": "out", "type": "target", "targetType": CLUSTER}], exported={"out": target})

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", made, gives_targets={"out": "t"}))
        assert (await world.finished("shop")).status.phase == "Succeeded"
        found = await world.cluster.get(TARGETS, "t", namespace=NAMESPACE)
        assert (found.metadata.labels or {})["l"] == "1"
        assert (found.metadata.labels or {})[Label.DATA_KEY] == "t"
        assert (found.metadata.annotations or {})["a"] == "2"
        assert bytes(found.spec.config) == b'{"a":null,"b":[1]}'

    in_a_world(scenario)


def test_a_failed_job_leaves_the_exports_of_the_one_before() -> None:
    async def scenario(world: World) -> None:
        await world.apply(giving("shop", url="old"))
        await world.finished("shop")
        broken = blueprint(exports=[data_export("url")], exported="exports: {url: {{ fail `no` }}}")
        await world.change("shop", blueprint=installation("shop", broken)["spec"]["blueprint"])
        done = await world.reconcile("shop")
        assert done.status.phase == "Failed"
        assert done.status.last_error is not None
        assert done.status.last_error.reason == "ConstructExports"
        assert condition(done, "CreateExports").status == "False"
        assert await world.value("url") == "old"
        await world.change("shop", blueprint=giving("shop", url="new")["spec"]["blueprint"])
        done = await world.reconcile("shop")
        assert condition(done, "CreateExports").status == "True"
        assert await world.value("url") == "new"

    in_a_world(scenario)


def test_an_export_that_is_no_longer_made_is_removed_when_the_others_are_written() -> None:
    async def scenario(world: World) -> None:
        await world.apply(giving("shop", one=1, two=2))
        await world.finished("shop")
        await world.change("shop", exports={"data": [{"name": "one", "dataRef": "one"}]})
        assert (await world.reconcile("shop")).status.phase == "Succeeded"
        assert await world.left() == ["DataObject one", "Installation shop"]

    in_a_world(scenario)


def test_e24_a_name_that_another_installation_exports_fails_the_job_and_names_it() -> None:
    async def scenario(world: World) -> None:
        await world.apply(giving("first", url=1))
        await world.finished("first")
        await world.apply(giving("second", url=2))
        done = await world.finished("second")
        error = done.status.last_error
        assert error is not None
        assert (error.operation, error.reason) == ("handlePhaseCompleting", "CreateOrUpdateExports")
        assert "DataObject url is exported by installation first already" in error.message
        assert await world.value("url") == 1

    in_a_world(scenario)


def test_e25_an_object_without_owner_is_adopted_and_goes_with_its_new_one() -> None:
    async def scenario(world: World) -> None:
        await world.data("url", "by hand")
        await world.apply(giving("shop", url="made"))
        await world.finished("shop")
        assert await world.value("url") == "made"
        await world.delete("shop")
        await world.gone("shop")
        assert await world.left() == []

    in_a_world(scenario)


def test_nulls_inside_of_exports_stay_when_a_value_is_replaced() -> None:
    async def scenario(world: World) -> None:
        await world.apply(giving("shop", out={"a": 1, "b": {"c": 1}}))
        await world.finished("shop")
        await world.change("shop", blueprint=giving("shop", out={"a": None, "b": {"d": None}})["spec"]["blueprint"])
        await world.reconcile("shop")
        assert await world.value("out") == {"a": None, "b": {"d": None}}

    in_a_world(scenario)


def test_a_declared_export_that_nobody_makes_is_an_error_only_if_it_is_wanted() -> None:
    made = blueprint(exports=[data_export("a"), data_export("b")], exported={"a": 1})

    async def scenario(world: World) -> None:
        await world.apply(installation("calm", made, gives={"a": "x"}))
        assert (await world.finished("calm")).status.phase == "Succeeded"
        await world.apply(installation("strict", made, gives={"b": "y"}))
        done = await world.finished("strict")
        assert done.status.last_error is not None
        assert 'export "b"' in done.status.last_error.message

    in_a_world(scenario)


def test_mappings_make_exports_of_exports() -> None:
    async def scenario(world: World) -> None:
        made = giving("shop", host="h", port=80)
        made["spec"]["exportDataMappings"] = {"url": '(( "http://" host ))', "all": "(( exports.port ))"}
        made["spec"]["exports"] = {"data": [{"name": "url", "dataRef": "u"}, {"name": "all", "dataRef": "p"}]}
        await world.apply(made)
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert (await world.value("u"), await world.value("p")) == ("http://h", 80)

    in_a_world(scenario)


def test_what_earlier_jobs_left_in_the_inner_scope_is_removed() -> None:
    sub = template("db", blueprint(exports=[data_export("out")], exported={"out": 1}), gives={"out": "old-name"})
    new = template("db", blueprint(exports=[data_export("out")], exported={"out": 1}), gives={"out": "new-name"})

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(subinstallations=[sub])))
        await world.finished("shop")
        made = installation("shop", blueprint(subinstallations=[new]))
        await world.change("shop", blueprint=made["spec"]["blueprint"])
        await world.reconcile("shop")
        found = (await world.cluster.list(DATA_OBJECTS, namespace=NAMESPACE)).items
        assert [(each.metadata.labels or {}).get(Label.DATA_KEY) for each in found] == ["new-name"]

    in_a_world(scenario)


def test_deploy_items_without_exports_are_seen_as_nothing() -> None:
    made = blueprint(
        exports=[data_export("out")],
        items=[item("one"), item("two", export={"v": 1})],
        exported="exports: {out: {{ .deployitems | toJson }}}",
    )

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", made, gives={"out": "y"}))
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await world.value("y") == {"one": None, "two": {"v": 1}}

    in_a_world(scenario)


def test_a_value_changes_with_the_next_job() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("shop", "url", 1))
        await world.finished("shop")
        await world.change("shop", blueprint=producer("shop", "url", 2)["spec"]["blueprint"])
        await world.reconcile("shop")
        assert await world.value("url") == 2

    in_a_world(scenario)
