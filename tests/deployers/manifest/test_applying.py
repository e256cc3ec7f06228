"""Objects are created and updated as manifests, policies and strategies say."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.deployers.manifest.places import (
    CONFIG_MAPS,
    LABEL,
    NAMESPACE,
    WIDGETS,
    Place,
    config_map,
    definition,
    error,
    in_place,
    managed,
    widget,
)

from landform.api import anyjson
from landform.api.phases import Phase
from landform.cluster.resources import CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, untyped
from landform.deployers.manifest import objects
from landform.deployers.manifest.configuration import Manifest

CLUSTER_ROLES = untyped("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", namespaced=False)
SERVICES = untyped("v1", "Service", "services")


def test_an_object_is_created_with_the_items_label_and_remembered_with_its_uid() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run(config_map(data={"a": "1"}))
        assert (item.status.phase, error(item)) == (Phase.SUCCEEDED, "")
        live = await place.get(CONFIG_MAPS, "one")
        assert live["data"] == {"a": "1"}
        assert live["metadata"]["labels"] == {LABEL: "one"}
        assert anyjson.value(item.status.provider_status) == {
            "apiVersion": "manifest.deployer.landscaper.gardener.cloud/v1alpha2",
            "kind": "ProviderStatus",
            "managedResources": [
                {
                    "policy": "manage",
                    "resource": {
                        "apiVersion": "v1",
                        "kind": "ConfigMap",
                        "name": "one",
                        "namespace": NAMESPACE,
                        "uid": live["metadata"]["uid"],
                    },
                }
            ],
        }

    in_place(scenario)


def test_an_item_is_two_writes_at_home_and_one_at_the_target() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map())
        assert place.world.writes == ["patch deployitems status", "patch deployitems status"]

    in_place(scenario)


def test_a_list_is_all_its_items_and_definitions_come_first() -> None:
    async def scenario(place: Place) -> None:
        role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}}
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "extra"}}
        inside = config_map("inside", namespace="extra")
        everything = [inside, widget(), role, space, definition()]
        item = await place.run({"apiVersion": "v1", "kind": "List", "items": everything}, seconds=5)
        assert (item.status.phase, error(item)) == (Phase.SUCCEEDED, "")
        assert managed(item) == [
            "ClusterRole r",
            "ConfigMap inside",
            "CustomResourceDefinition widgets.example.org",
            "Namespace extra",
            "Widget w",
        ]
        assert await place.exists(WIDGETS, "w")
        assert await place.exists(NAMESPACES, "extra")
        assert await place.exists(CLUSTER_ROLES, "r")
        assert item.status.first_error is None

    in_place(scenario)


@pytest.mark.parametrize("items", [[], None], ids=["empty", "null"])
def test_an_empty_list_is_nothing(items: Any) -> None:
    settings = Manifest(manifest={"apiVersion": "v1", "kind": "List", "items": items})
    assert list(objects.expanded([settings])) == []


def test_lists_in_lists_are_their_items_but_an_object_with_items_is_an_object() -> None:
    menu = {"apiVersion": "example.org/v1", "kind": "Menu", "metadata": {"name": "m"}, "items": ["soup"]}
    inner = {"apiVersion": "v1", "kind": "ConfigMapList", "items": [config_map("a"), config_map("b")]}
    settings = Manifest(manifest={"apiVersion": "v1", "kind": "List", "items": [inner, menu]}, policy="keep")
    found = list(objects.expanded([settings]))
    assert [each.manifest for each in found] == [config_map("a"), config_map("b"), menu]
    assert {each.policy for each in found} == {"keep"}


def test_of_several_manifests_for_an_object_the_last_one_counts() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run(config_map(data={"a": "1"}), config_map("two"), config_map(data={"a": "2"}))
        assert (item.status.phase, managed(item)) == (Phase.SUCCEEDED, ["ConfigMap one", "ConfigMap two"])
        assert await place.data() == {"a": "2"}
        message = f"in several manifests, of which the last one counts: ConfigMap {NAMESPACE}/one"
        assert ("Warning", "RepeatedManifest", message) in await place.world.events()

    in_place(scenario)


@pytest.mark.parametrize(
    "spec",
    ["text", {"versions": [None, "v1"], "names": []}, {"versions": 5}, None],
)
def test_a_definition_that_makes_no_sense_defines_nothing(spec: Any) -> None:
    assert list(objects.defined([Manifest(manifest={**definition(), "spec": spec})])) == []


def test_a_definition_brings_the_versions_that_it_serves() -> None:
    crd = definition()
    crd["spec"]["versions"] = [{"name": "v1", "served": False}, {"name": "v2", "served": True}]
    assert [each.version for each in objects.defined([Manifest(manifest=crd)])] == ["v2"]


def test_a_secret_whose_data_make_no_sense_is_left_for_the_cluster_to_refuse() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": "x", "stringData": {"a": "b"}}
    obj = objects.labelled(Manifest(manifest=secret), "one")
    assert (obj["data"], obj["stringData"]) == ("x", {"a": "b"})


def test_an_unknown_kind_lets_nothing_of_the_item_be_applied_until_it_is_known() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run(config_map(), widget())
        assert f"Widget {NAMESPACE}/w: the cluster serves no kind Widget of example.org/v1" in error(item)
        assert not await place.exists(CONFIG_MAPS, "one")
        await place.put(
            definition(),
            untyped(
                "apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", namespaced=False
            ),
        )
        item = await place.later(seconds=30)
        assert item.status.phase == Phase.SUCCEEDED
        assert await place.exists(WIDGETS, "w")

    in_place(scenario)


def test_an_object_without_a_namespace_is_refused_for_good() -> None:
    async def scenario(place: Place) -> None:
        homeless = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}
        item = await place.run(homeless)
        assert item.status.phase == Phase.FAILED
        assert "has no namespace" in error(item)

    in_place(scenario)


@pytest.mark.parametrize(
    ("strategy", "data", "labels"),
    [
        ("update", {"a": "new", "e": ""}, {LABEL: "one"}),
        ("patch", {"a": "new", "e": ""}, {LABEL: "one"}),
        ("merge", {"a": "old", "b": "old", "e": "filled"}, {"own": "x", LABEL: "one"}),
        ("mergeOverwrite", {"a": "new", "b": "old", "e": ""}, {"own": "x", LABEL: "one"}),
        ("apply", {"a": "new", "b": "old", "e": ""}, {"own": "x", LABEL: "one"}),
    ],
)
def test_each_strategy_changes_what_exists_in_its_way(strategy: str, data: Any, labels: Any) -> None:
    async def scenario(place: Place) -> None:
        await place.put(config_map(data={"a": "old", "b": "old", "e": ""}, labels={"own": "x"}))
        wanted = {"a": "new", "e": "filled" if strategy == "merge" else ""}
        item = await place.run(config_map(data=wanted), updateStrategy=strategy)
        assert (item.status.phase, error(item)) == (Phase.SUCCEEDED, "")
        live = await place.get(CONFIG_MAPS, "one")
        assert live["data"] == data
        assert live["metadata"]["labels"] == labels
        status = anyjson.value(item.status.provider_status)
        assert status["managedResources"][0]["adopted"] is True

    in_place(scenario)


def test_server_side_apply_removes_what_the_manifest_said_before_and_leaves_what_others_say() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"a": "1", "b": "1"}), updateStrategy="apply")
        await place.target.patch(CONFIG_MAPS, "one", {"data": {"c": "theirs"}}, namespace=NAMESPACE)
        await place.change(config_map(data={"a": "2"}))
        await place.world.patch("one", {"spec": {"config": {"manifests": [{"manifest": config_map(data={"a": "2"})}]}}})
        item = await place.again()
        assert (item.status.phase, error(item)) == (Phase.SUCCEEDED, "")
        assert await place.data() == {"a": "2", "c": "theirs"}

    in_place(scenario)


@pytest.mark.parametrize(
    ("policy", "data", "remembered"),
    [
        ("manage", {"a": "new"}, ["ConfigMap one"]),
        ("keep", {"a": "new"}, ["ConfigMap one"]),
        ("immutable", {"a": "old"}, ["ConfigMap one"]),
        ("fallback", {"a": "old"}, []),
        ("ignore", {"a": "old"}, []),
    ],
)
def test_what_somebody_else_made_is_treated_as_the_policy_says(policy: str, data: Any, remembered: list[str]) -> None:
    async def scenario(place: Place) -> None:
        await place.put(config_map(data={"a": "old"}))
        item = await place.run(config_map(data={"a": "new"}), settings={"policy": policy})
        assert item.status.phase == Phase.SUCCEEDED
        assert (await place.data(), managed(item)) == (data, remembered)
        if policy in ("immutable", "fallback", "ignore"):
            assert "labels" not in (await place.get(CONFIG_MAPS, "one"))["metadata"]

    in_place(scenario)


@pytest.mark.parametrize(
    ("policy", "data"),
    [("manage", "new"), ("keep", "new"), ("fallback", "new"), ("immutable", "old")],
)
def test_what_the_item_made_is_updated_as_the_policy_says(policy: str, data: str) -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"a": "old"}), settings={"policy": policy})
        await place.change(config_map(data={"a": "new"}), settings={"policy": policy})
        item = await place.again()
        assert item.status.phase == Phase.SUCCEEDED
        assert await place.data() == {"a": data}

    in_place(scenario)


def test_annotations_for_creation_are_set_once_and_override() -> None:
    async def scenario(place: Place) -> None:
        obj = config_map(annotations={"x": "manifest", "y": "manifest"})
        await place.run(obj, settings={"annotateBeforeCreate": {"x": "create"}})
        assert (await place.get(CONFIG_MAPS, "one"))["metadata"]["annotations"] == {"x": "create", "y": "manifest"}
        await place.again()
        assert (await place.get(CONFIG_MAPS, "one"))["metadata"]["annotations"] == {"x": "manifest", "y": "manifest"}

    in_place(scenario)


def test_the_patch_after_deployment_is_made_in_each_job() -> None:
    async def scenario(place: Place) -> None:
        settings = {"patchAfterDeployment": {"data": {"suspend": "true"}}}
        await place.run(config_map(data={"suspend": "false"}), settings=settings)
        assert await place.data() == {"suspend": "true"}
        await place.again()
        assert await place.data() == {"suspend": "true"}

    in_place(scenario)


def test_what_is_immutable_is_not_patched_after_deployment() -> None:
    async def scenario(place: Place) -> None:
        settings = {"patchAfterDeployment": {"data": {"a": "2"}}, "policy": "immutable"}
        assert (await place.run(config_map(data={"a": "1"}), settings=settings)).status.phase == Phase.SUCCEEDED
        assert await place.data() == {"a": "1"}

    in_place(scenario)


def test_what_the_cluster_gave_to_a_service_survives_an_update() -> None:
    async def scenario(place: Place) -> None:
        metadata = {"name": "s", "namespace": NAMESPACE}
        spec: dict[str, Any] = {"ports": [{"port": 80}]}
        service = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
        await place.put({**service, "spec": {**spec, "clusterIP": "10.0.0.7", "clusterIPs": ["10.0.0.7"]}}, SERVICES)
        item = await place.run(service)
        assert (item.status.phase, error(item)) == (Phase.SUCCEEDED, "")
        assert (await place.get(SERVICES, "s"))["spec"]["clusterIP"] == "10.0.0.7"

    in_place(scenario)


def test_what_clusters_say_of_an_object_is_left_out_of_its_manifest() -> None:
    async def scenario(place: Place) -> None:
        copied = config_map(resourceVersion="17", uid="u", creationTimestamp="2020-01-01T00:00:00Z", generation=3)
        assert (await place.run(copied)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_an_object_that_is_being_deleted_is_created_again_when_it_is_gone() -> None:
    async def scenario(place: Place) -> None:
        await place.put(config_map(data={"a": "old"}, finalizers=["example.org/hold"]))
        await place.target.delete(CONFIG_MAPS, "one", namespace=NAMESPACE)
        item = await place.run(config_map(data={"a": "new"}), seconds=3)
        assert "is being deleted, held by example.org/hold" in error(item)
        await place.target.patch(CONFIG_MAPS, "one", {"metadata": {"finalizers": None}}, namespace=NAMESPACE)
        item = await place.later(seconds=30)
        assert item.status.phase == Phase.SUCCEEDED
        assert await place.data() == {"a": "new"}

    in_place(scenario)


def test_an_immutable_object_that_is_being_deleted_is_created_again_too() -> None:
    async def scenario(place: Place) -> None:
        await place.put(config_map(finalizers=["example.org/hold"]))
        await place.target.delete(CONFIG_MAPS, "one", namespace=NAMESPACE)
        await place.run(config_map(data={"a": "new"}), settings={"policy": "immutable"})
        await place.target.patch(CONFIG_MAPS, "one", {"metadata": {"finalizers": None}}, namespace=NAMESPACE)
        assert (await place.later(seconds=30)).status.phase == Phase.SUCCEEDED
        assert await place.data() == {"a": "new"}

    in_place(scenario)


def test_many_objects_of_an_unknown_kind_are_one_question_and_one_sentence() -> None:
    async def scenario(place: Place) -> None:
        questions, discover = [], place.target.discover

        async def counted() -> Any:
            questions.append(1)
            return await discover()

        place.target.discover = counted  # type: ignore[method-assign]
        item = await place.run(*(widget(f"w{number}") for number in range(9)), seconds=0.3)
        assert f"Widget {NAMESPACE}/w0 and 8 more: the cluster serves no kind Widget" in error(item)
        assert len(questions) <= 2  # one of each try

    in_place(scenario)


def test_a_kind_that_came_back_under_another_name_is_found() -> None:
    async def scenario(place: Place) -> None:
        await place.put(definition(), CUSTOM_RESOURCE_DEFINITIONS)
        await place.run(widget(), seconds=3)
        await place.target.delete(CUSTOM_RESOURCE_DEFINITIONS, "widgets.example.org")
        await asyncio.sleep(3)
        renamed = definition()
        renamed["metadata"]["name"], renamed["spec"]["names"]["plural"] = "widgetz.example.org", "widgetz"
        await place.put(renamed, CUSTOM_RESOURCE_DEFINITIONS)
        item = await place.again(seconds=10)
        assert (item.status.phase, error(item)) == (Phase.SUCCEEDED, "")

    in_place(scenario)


def test_a_plural_name_is_no_kind() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run({**config_map(), "kind": "configmaps"})
        assert item.status.phase == Phase.FAILED
        assert error(item) == f"configmaps {NAMESPACE}/one: configmaps is the name of a resource; its kind is ConfigMap"

    in_place(scenario)


def test_who_may_not_be_changed_is_told_with_what_to_do() -> None:
    async def scenario(place: Place) -> None:
        await place.run({**config_map(data={"a": "1"}), "immutable": True})
        await place.change({**config_map(data={"a": "2"}), "immutable": True})
        told = error(await place.again(seconds=3))
        assert "field is immutable when" in told
        assert told.endswith("what exists cannot be changed so: delete it, then it is created anew")
        await place.target.delete(CONFIG_MAPS, "one", namespace=NAMESPACE)
        assert (await place.later(seconds=30)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_one_refused_object_does_not_keep_the_others_away() -> None:
    async def scenario(place: Place) -> None:
        lost = config_map("lost", namespace="nowhere")
        item = await place.run(lost, config_map())
        assert 'ConfigMap nowhere/lost: namespaces "nowhere" not found' in error(item)
        assert await place.exists(CONFIG_MAPS, "one")
        await place.target.create(NAMESPACES, {"metadata": {"name": "nowhere"}})
        assert (await place.later(seconds=30)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_five_hundred_objects_are_one_item() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run(*(config_map(f"m{number}") for number in range(500)), seconds=30)
        assert item.status.phase == Phase.SUCCEEDED
        found = (await place.target.list(CONFIG_MAPS, namespace=NAMESPACE)).items
        names = {obj["metadata"]["name"] for obj in found} - {"kube-root-ca.crt"}
        assert names == {f"m{number}" for number in range(500)}

    in_place(scenario)


def test_a_long_name_of_an_item_becomes_a_label_that_clusters_take() -> None:
    async def scenario(place: Place) -> None:
        name = "-".join(["a-very-long-name"] * 6)
        item = await place.run(config_map(), name=name, settings={"policy": "fallback"})
        assert (item.status.phase, error(item)) == (Phase.SUCCEEDED, "")
        await place.change(config_map(data={"a": "new"}), name=name, settings={"policy": "fallback"})
        await place.again(name)
        assert await place.data() == {"a": "new"}

    in_place(scenario)
