"""What Installations import, from which objects, and what happens when something is missing or changes."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest
from tests.installations.objects import CLUSTER, blueprint, data_export, data_import, installation, item, template
from tests.installations.worlds import NAMESPACE, World, condition, in_a_world

from landform.api.names import Annotation, Label
from landform.cluster.kinds import CONTEXTS, DATA_OBJECTS, DEPLOY_ITEMS, TARGETS
from landform.cluster.resources import CONFIG_MAPS, SECRETS

ECHO = blueprint(imports=[data_import("in")], exports=[data_export("out")], exported={"out": "«.imports.in»"})


def echoing(name: str, imported: Any, **spec: Any) -> dict[str, Any]:
    """An Installation that exports what it imports, as ``<name>-out``."""
    return installation(name, ECHO, data={"in": imported}, gives={"out": f"{name}-out"}, **spec)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_a_missing_import_fails_the_job_and_is_named_with_its_object() -> None:
    async def scenario(world: World) -> None:
        await world.apply(echoing("shop", "nowhere"))
        done = await world.finished("shop")
        error = done.status.last_error
        assert error is not None
        assert (done.status.phase, error.operation, error.reason) == ("Failed", "init", "ImportsSatisfied")
        assert error.message == 'import "in": there is no DataObject nowhere'
        assert error.codes is None
        assert condition(done, "ValidateImports").status == "False"
        await world.data("nowhere", 1)
        done = await world.reconcile("shop")
        assert (done.status.phase, done.status.last_error) == ("Succeeded", None)
        assert condition(done, "ValidateImports").status == "True"

    in_a_world(scenario)


@pytest.mark.parametrize(
    ("imported", "message"),
    [
        ({"secretRef": {"name": "s"}}, "there is no Secret s"),
        ({"secretRef": {"name": "there", "key": "k"}}, "Secret there has no key 'k'"),
        ({"configMapRef": {"name": "c"}}, "there is no ConfigMap c"),
        ("Foo_Bar", "there is no DataObject Foo_Bar (object lmr5uzhobtiadmwzqk6umjeb7qfucvjr)"),
    ],
)
def test_whatever_is_missing_is_named(imported: Any, message: str) -> None:
    async def scenario(world: World) -> None:
        await world.cluster.create(SECRETS, {"metadata": {"name": "there"}}, namespace=NAMESPACE)
        await world.apply(echoing("shop", imported))
        done = await world.finished("shop")
        assert done.status.last_error is not None
        assert done.status.last_error.message == f'import "in": {message}'

    in_a_world(scenario)


def test_e07_an_import_that_changes_during_the_job_fails_it() -> None:
    async def scenario(world: World) -> None:
        await world.data("x", 1)
        made = {**ECHO, **blueprint(items=[item(delay="10s")])}
        await world.apply(installation("shop", made, data={"in": "x"}, gives={"out": "y"}))
        await world.until("shop", "Progressing")
        await world.data("x", 2)
        done = await world.finished("shop")
        assert done.status.last_error is not None
        assert done.status.last_error.reason == "CheckImportsHash"
        done = await world.reconcile("shop")
        assert (done.status.phase, await world.value("y")) == ("Succeeded", 2)

    in_a_world(scenario)


def test_e07_a_specification_that_changes_during_the_job_fails_it() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item(delay="10s")])))
        await world.until("shop", "Progressing")
        await world.change("shop", importDataMappings={"unused": 1})
        done = await world.finished("shop")
        assert done.status.last_error is not None
        assert done.status.last_error.reason == "CheckObservedGeneration"

    in_a_world(scenario)


def test_a_changed_secret_behind_a_target_is_a_changed_import() -> None:
    async def scenario(world: World) -> None:
        secret = {"metadata": {"name": "access"}, "data": {"kubeconfig": encoded("one")}}
        await world.cluster.create(SECRETS, secret, namespace=NAMESPACE)
        await world.target("here", secretRef={"name": "access", "key": "kubeconfig"})
        made = blueprint(imports=[{"name": "in", "type": "target", "targetType": CLUSTER}], items=[item(delay="10s")])
        await world.apply(installation("shop", made, targets={"in": "here"}))
        await world.until("shop", "Progressing")
        await world.cluster.patch(SECRETS, "access", {"data": {"kubeconfig": encoded("two")}}, namespace=NAMESPACE)
        done = await world.finished("shop")
        assert done.status.last_error is not None
        assert done.status.last_error.reason == "CheckImportsHash"

    in_a_world(scenario)


def test_e08_data_behind_an_outdated_hash_is_used_though_its_change_goes_unnoticed() -> None:
    async def scenario(world: World) -> None:
        obj = {"metadata": {"name": "x", "annotations": {str(Annotation.HASH): "fixed"}}, "data": 1}
        await world.cluster.create(DATA_OBJECTS, obj, namespace=NAMESPACE)
        made = {**ECHO, **blueprint(items=[item(delay="10s")])}
        await world.apply(installation("shop", made, data={"in": "x"}, gives={"out": "y"}))
        await world.until("shop", "Progressing")
        await world.cluster.patch(DATA_OBJECTS, "x", {"data": 2}, namespace=NAMESPACE)
        done = await world.finished("shop")
        assert (done.status.phase, await world.value("y")) == ("Succeeded", 2)

    in_a_world(scenario)


def test_e09_a_default_is_checked_stored_and_activates_conditional_imports() -> None:
    conditional = data_import("under")
    made = blueprint(
        imports=[data_import("in", "string", required=False, default={"value": "usual"}, imports=[conditional])],
        exports=[data_export("out")],
        exported={"out": "«.imports.in»"},
    )

    async def scenario(world: World) -> None:
        await world.apply(installation("root", made, gives={"out": "y"}))
        done = await world.finished("root")
        assert done.status.last_error is not None
        assert 'import "under"' in done.status.last_error.message
        await world.data("u", 1)
        await world.change("root", imports={"data": [{"name": "under", "dataRef": "u"}]})
        done = await world.reconcile("root")
        assert (done.status.phase, await world.value("y")) == ("Succeeded", "usual")
        scope = {
            (obj.metadata.labels or {}).get(Label.DATA_KEY)
            for obj in (await world.cluster.list(DATA_OBJECTS, namespace=NAMESPACE)).items
            if (obj.metadata.labels or {}).get(Label.DATA_CONTEXT) == "Inst.root"
        }
        assert scope == {"in", "under"}

    in_a_world(scenario)


def test_e10_a_short_type_of_a_target_map_fits() -> None:
    made = blueprint(imports=[{"name": "in", "type": "targetMap", "targetType": "kubernetes-cluster"}])

    async def scenario(world: World) -> None:
        await world.target("one")
        await world.apply(installation("shop", made, targets={"in": {"targetMap": {"eu": "one"}}}))
        assert (await world.finished("shop")).status.phase == "Succeeded"

    in_a_world(scenario)


def test_e11_what_an_import_execution_puts_in_place_of_an_import_is_what_children_get() -> None:
    made = blueprint(
        imports=[data_import("in")],
        importExecutions=[
            {"name": "more", "type": "GoTemplate", "template": "bindings: {in: other, only: {{ .imports.in }}}"}
        ],
        exports=[data_export("out")],
        subinstallations=[template("sub", ECHO, data={"in": "in"}, gives={"out": "from-sub"})],
        exported='exports: {out: [{{ index .dataobjects "from-sub" }}, {{ .imports.only }}]}',
    )

    async def scenario(world: World) -> None:
        await world.data("x", "given")
        await world.apply(installation("shop", made, data={"in": "x"}, gives={"out": "y"}))
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await world.value("y") == ["other", "given"]

    in_a_world(scenario)


def test_e28_secrets_and_config_maps_are_read_as_yaml() -> None:
    async def scenario(world: World) -> None:
        data = {"number": encoded("5"), "flag": encoded("yes"), "text": encoded("a: [b"), "word": encoded("plain")}
        await world.cluster.create(SECRETS, {"metadata": {"name": "s"}, "data": data}, namespace=NAMESPACE)
        entries = {"number": "6", "map": "{a: 1}"}
        await world.cluster.create(CONFIG_MAPS, {"metadata": {"name": "c"}, "data": entries}, namespace=NAMESPACE)
        binary = {"metadata": {"name": "b"}, "data": {"x": "no"}, "binaryData": {"y": encoded("7")}}
        await world.cluster.create(CONFIG_MAPS, binary, namespace=NAMESPACE)
        for name, imported in {
            "whole": {"secretRef": {"name": "s"}},
            "one": {"secretRef": {"name": "s", "key": "number"}},
            "maps": {"configMapRef": {"name": "c"}},
            "binary": {"configMapRef": {"name": "b"}},
        }.items():
            await world.apply(echoing(name, imported))
            assert (await world.finished(name)).status.phase == "Succeeded"
        assert await world.value("whole-out") == {"number": 5, "flag": True, "text": "a: [b", "word": "plain"}
        assert await world.value("one-out") == 5
        assert await world.value("maps-out") == {"number": 6, "map": {"a": 1}}
        assert await world.value("binary-out") == {"y": 7}

    in_a_world(scenario)


def test_e29_a_literal_name_is_found_in_any_scope() -> None:
    sub = template("sub", ECHO, data={"in": "in"}, gives={"out": "z"})

    async def scenario(world: World) -> None:
        await world.data("shared", 3)
        await world.apply(echoing("root", "#shared"))
        assert (await world.finished("root")).status.phase == "Succeeded"
        assert await world.value("root-out") == 3
        made = blueprint(imports=[data_import("in")], subinstallations=[sub])
        await world.apply(installation("tree", made, data={"in": "shared"}))
        await world.finished("tree")
        child = await world.child("sub")
        change = {"data": [{"name": "in", "dataRef": "#shared"}]}
        await world.change(child.metadata.name or "", imports=change)
        assert (await world.get(child.metadata.name or "")).spec.imports.data is not None

    in_a_world(scenario)


def test_e30_names_that_are_no_dns_names_are_hashed_in_the_root_scope() -> None:
    async def scenario(world: World) -> None:
        await world.data("lmr5uzhobtiadmwzqk6umjeb7qfucvjr", "hashed")
        await world.apply(echoing("shop", "Foo_Bar"))
        assert (await world.finished("shop")).status.phase == "Succeeded"
        assert await world.value("shop-out") == "hashed"

    in_a_world(scenario)


def test_e31_without_its_context_an_installation_fails_also_if_all_is_inline() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop"))
        done = await world.finished("shop")
        error = done.status.last_error
        assert error is not None
        assert (done.status.phase, error.operation, error.reason) == ("Failed", "InitPrerequisites", "CalculateContext")
        await world.cluster.create(CONTEXTS, {"metadata": {"name": "default"}}, namespace=NAMESPACE)
        assert (await world.reconcile("shop")).status.phase == "Succeeded"

    in_a_world(scenario, context=False)


def test_the_default_context_may_come_a_moment_after_the_installation() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop"))
        await asyncio.sleep(10)
        found = condition(await world.get("shop"), "Waiting")
        assert found.message == "namespace default has no Context default yet"
        await world.cluster.create(CONTEXTS, {"metadata": {"name": "default"}}, namespace=NAMESPACE)
        assert (await world.finished("shop", seconds=1)).status.phase == "Succeeded"

    in_a_world(scenario, context=False)


def test_e36_a_name_that_is_no_label_fails_the_job_and_says_why() -> None:
    long = "x" * 70

    async def scenario(world: World) -> None:
        await world.data("d", 1)
        await world.apply(installation("shop", blueprint(imports=[data_import(long)]), data={long: "d"}))
        done = await world.finished("shop")
        assert done.status.phase == "Failed"
        assert done.status.last_error is not None
        assert "63 characters" in done.status.last_error.message

    in_a_world(scenario)


def test_a_target_that_a_deploy_item_names_is_the_imported_one_and_not_its_copy() -> None:
    made = blueprint(
        imports=[{"name": "in", "type": "target", "targetType": CLUSTER}], items=[item(target={"import": "in"})]
    )

    async def scenario(world: World) -> None:
        await world.target("here")
        await world.apply(installation("shop", made, targets={"in": "here"}))
        assert (await world.finished("shop")).status.phase == "Succeeded"
        [found] = (await world.cluster.list(DEPLOY_ITEMS, namespace=NAMESPACE)).items
        assert found.spec.target is not None
        assert (found.spec.target.name, found.spec.target.namespace) == ("here", NAMESPACE)

    in_a_world(scenario)


def test_a_list_of_targets_keeps_its_order_on_the_way_down() -> None:
    names = [f"t{index}" for index in range(12)]
    listing = blueprint(
        imports=[{"name": "all", "type": "targetList", "targetType": CLUSTER}],
        exports=[data_export("out")],
        exported="exports: {out: [{{ range .imports.all }}{{ .spec.config.name }},{{ end }}]}",
    )
    one = blueprint(
        imports=[{"name": "one", "type": "target", "targetType": CLUSTER}],
        exports=[data_export("out")],
        exported="exports: {out: {{ .imports.one.spec.config.name }}}",
    )
    made = blueprint(
        imports=[{"name": "clusters", "type": "targetList", "targetType": CLUSTER}],
        exports=[data_export("list"), data_export("third")],
        subinstallations=[
            template("sub", listing, targets={"all": {"targetListRef": "clusters"}}, gives={"out": "names"}),
            template("pick", one, targets={"one": "clusters[3]"}, gives={"out": "picked"}),
        ],
        exported="exports: {list: {{ .dataobjects.names | toJson }}, third: {{ .dataobjects.picked }}}",
    )

    async def scenario(world: World) -> None:
        for name in names:
            await world.target(name)
        await world.apply(
            installation("shop", made, targets={"clusters": names}, gives={"list": "l", "third": "three"})
        )
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await world.value("l") == names
        assert await world.value("three") == "t3"

    in_a_world(scenario)


def test_a_map_of_targets_reaches_children_whole_and_by_key() -> None:
    inner = blueprint(
        imports=[{"name": "m", "type": "targetMap", "targetType": CLUSTER}],
        exports=[data_export("out")],
        exported="exports: {out: { {{ range $k, $t := .imports.m }}{{ $k }}: {{ $t.spec.config.name }},{{ end }} }}",
    )
    made = blueprint(
        imports=[{"name": "clusters", "type": "targetMap", "targetType": CLUSTER}],
        exports=[data_export("out")],
        subinstallations=[
            template("whole", inner, targets={"m": {"targetMapRef": "clusters"}}, gives={"out": "a"}),
            template("some", inner, targets={"m": {"targetMap": {"only": "clusters[eu]"}}}, gives={"out": "b"}),
        ],
        exported="exports: {out: [{{ .dataobjects.a | toJson }}, {{ .dataobjects.b | toJson }}]}",
    )

    async def scenario(world: World) -> None:
        for name in ("frankfurt", "ohio"):
            await world.target(name)
        imported = {"targetMap": {"eu": "frankfurt", "us": "ohio"}}
        await world.apply(installation("shop", made, targets={"clusters": imported}, gives={"out": "y"}))
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await world.value("y") == [{"eu": "frankfurt", "us": "ohio"}, {"only": "frankfurt"}]
        targets = (await world.cluster.list(TARGETS, namespace=NAMESPACE)).items
        labels = [target.metadata.labels or {} for target in targets]
        inner = [found for found in labels if found.get(Label.DATA_CONTEXT) == "Inst.shop"]
        assert {found.get(Label.DATA_TARGET_MAP_KEY) for found in inner} == {"eu", "us"}

    in_a_world(scenario)


def test_an_empty_list_of_targets_is_a_list() -> None:
    made = blueprint(imports=[{"name": "all", "type": "targetList", "targetType": CLUSTER}])

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", made, targets={"all": []}))
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error

    in_a_world(scenario)


def test_an_import_that_is_applied_right_after_its_installation_is_not_missed() -> None:
    """The watch of one kind may be behind that of another; what the cluster has counts."""

    async def scenario(world: World) -> None:
        informer = world.caches.informer(DATA_OBJECTS)
        observed, informer._handle = informer._handle, lambda event: None  # type: ignore[method-assign]
        await world.data("late", 1)
        await world.apply(echoing("shop", "late"))
        await asyncio.sleep(5)
        informer._handle = observed  # type: ignore[method-assign]
        assert (await world.finished("shop")).status.phase == "Succeeded"

    in_a_world(scenario)
