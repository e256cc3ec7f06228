"""Server-side apply: who owns which field, and what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.contract.objects import DEPLOYMENTS, config_map, exists, widget

from landform.cluster import errors
from landform.cluster.interface import PatchType, WriteOptions
from landform.cluster.resources import CONFIG_MAPS

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured


async def apply(
    cluster: Cluster,
    resource: Resource[Unstructured],
    obj: Unstructured,
    namespace: str,
    manager: str = "tester",
    **options: Any,
) -> Unstructured:
    """Apply the object as `manager`."""
    return await cluster.patch(
        resource,
        obj["metadata"]["name"],
        obj,
        namespace=namespace,
        type=PatchType.APPLY,
        options=WriteOptions(field_manager=manager, **options),
    )


def owners(obj: Unstructured) -> dict[tuple[str, str], Any]:
    """Fields by manager and operation."""
    return {(entry["manager"], entry["operation"]): entry["fieldsV1"] for entry in obj["metadata"]["managedFields"]}


async def test_apply_creates_what_is_not_there(cluster: Cluster, namespace: str) -> None:
    applied = await apply(cluster, CONFIG_MAPS, config_map("one"), namespace)
    assert applied["data"] == {"a": "1"}
    (entry,) = applied["metadata"]["managedFields"]
    assert entry.pop("time")
    assert entry == {
        "manager": "tester",
        "operation": "Apply",
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {"f:a": {}}},
    }


async def test_applying_the_same_again_changes_nothing(cluster: Cluster, namespace: str) -> None:
    first = await apply(cluster, CONFIG_MAPS, config_map("one"), namespace)
    assert await apply(cluster, CONFIG_MAPS, config_map("one"), namespace) == first


async def test_fields_no_longer_applied_are_removed(cluster: Cluster, namespace: str) -> None:
    await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "1", "b": "2"}, labels={"x": "y"}), namespace)
    applied = await apply(cluster, CONFIG_MAPS, config_map("one", {"b": "2"}), namespace)
    assert applied["data"] == {"b": "2"}
    assert "labels" not in applied["metadata"]


async def test_fields_of_others_stay(cluster: Cluster, namespace: str) -> None:
    await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "1"}), namespace, "first")
    await apply(cluster, CONFIG_MAPS, config_map("one", {"b": "2"}), namespace, "second")
    applied = await apply(cluster, CONFIG_MAPS, config_map("one", {"c": "3"}), namespace, "first")
    assert applied["data"] == {"b": "2", "c": "3"}
    assert owners(applied) == {
        ("first", "Apply"): {"f:data": {"f:c": {}}},
        ("second", "Apply"): {"f:data": {"f:b": {}}},
    }


async def test_a_field_of_another_manager_is_a_conflict(cluster: Cluster, namespace: str) -> None:
    await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "1"}), namespace, "first")
    with pytest.raises(errors.Conflict) as caught:
        await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "2"}), namespace, "second")
    assert caught.value.message == 'Apply failed with 1 conflict: conflict with "first": .data.a'
    assert (caught.value.code, caught.value.reason) == (409, "Conflict")
    assert caught.value.causes == (errors.Cause("FieldManagerConflict", 'conflict with "first"', ".data.a"),)
    assert caught.value.details == {}


async def test_all_conflicts_are_named(cluster: Cluster, namespace: str) -> None:
    await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "1", "b": "1"}), namespace, "first")
    await apply(cluster, CONFIG_MAPS, config_map("one", {"c": "1"}), namespace, "second")
    with pytest.raises(errors.Conflict) as caught:
        await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "2", "b": "2", "c": "2"}), namespace, "third")
    assert caught.value.message == (
        'Apply failed with 3 conflicts: conflicts with "first":\n- .data.a\n- .data.b\n'
        'conflicts with "second":\n- .data.c'
    )
    assert set(caught.value.causes) == {
        errors.Cause("FieldManagerConflict", 'conflict with "first"', ".data.a"),
        errors.Cause("FieldManagerConflict", 'conflict with "first"', ".data.b"),
        errors.Cause("FieldManagerConflict", 'conflict with "second"', ".data.c"),
    }


async def test_a_conflict_with_an_update_names_its_version(cluster: Cluster, namespace: str) -> None:
    await cluster.create(
        CONFIG_MAPS, config_map("one"), namespace=namespace, options=WriteOptions(field_manager="writer")
    )
    with pytest.raises(errors.Conflict) as caught:
        await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "2"}), namespace)
    assert caught.value.message == 'Apply failed with 1 conflict: conflict with "writer" using v1: .data.a'


async def test_force_takes_the_field_over(cluster: Cluster, namespace: str) -> None:
    await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "1"}), namespace, "first")
    applied = await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "2"}), namespace, "second", force=True)
    assert applied["data"] == {"a": "2"}
    assert owners(applied) == {("second", "Apply"): {"f:data": {"f:a": {}}}}


async def test_the_same_value_is_shared(cluster: Cluster, namespace: str) -> None:
    await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "1"}), namespace, "first")
    applied = await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "1"}), namespace, "second")
    assert owners(applied) == {
        ("first", "Apply"): {"f:data": {"f:a": {}}},
        ("second", "Apply"): {"f:data": {"f:a": {}}},
    }
    # One of two owners lets go: the value stays.
    applied = await apply(cluster, CONFIG_MAPS, config_map("one", {"b": "1"}), namespace, "first")
    assert applied["data"] == {"a": "1", "b": "1"}


async def test_an_update_takes_fields_from_an_applier(cluster: Cluster, namespace: str) -> None:
    await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "1", "b": "1"}), namespace)
    patched = await cluster.patch(
        CONFIG_MAPS, "one", {"data": {"a": "2"}}, namespace=namespace, options=WriteOptions(field_manager="writer")
    )
    assert owners(patched) == {
        ("tester", "Apply"): {"f:data": {"f:b": {}}},
        ("writer", "Update"): {"f:data": {"f:a": {}}},
    }


async def test_an_apply_needs_a_field_manager(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.ApiError) as caught:
        await apply(cluster, CONFIG_MAPS, config_map("one"), namespace, manager="")
    assert (caught.value.code, caught.value.message) == (
        422,
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    )


@pytest.mark.parametrize(
    ("missing", "message"),
    [("apiVersion", "invalid object type: /, Kind=ConfigMap"), ("kind", "invalid object type: /v1, Kind=")],
)
async def test_an_applied_object_says_its_kind(cluster: Cluster, namespace: str, missing: str, message: str) -> None:
    obj = config_map("one")
    del obj[missing]
    with pytest.raises(errors.BadRequest) as caught:
        await apply(cluster, CONFIG_MAPS, obj, namespace)
    assert caught.value.message == message


async def test_an_applied_object_has_no_managed_fields(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.ApiError) as caught:
        await apply(
            cluster, CONFIG_MAPS, config_map("one", managedFields=[{"manager": "x", "operation": "Apply"}]), namespace
        )
    assert (caught.value.code, caught.value.message) == (400, "metadata.managedFields must be nil")


async def test_an_apply_with_a_stale_version_is_a_conflict(cluster: Cluster, namespace: str) -> None:
    first = await apply(cluster, CONFIG_MAPS, config_map("one"), namespace)
    await apply(cluster, CONFIG_MAPS, config_map("one", {"a": "2"}), namespace)
    stale = config_map("one", {"a": "3"}, resourceVersion=first["metadata"]["resourceVersion"])
    with pytest.raises(errors.Conflict) as caught:
        await apply(cluster, CONFIG_MAPS, stale, namespace)
    assert caught.value.message == (
        'Operation cannot be fulfilled on configmaps "one": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )


async def test_a_version_is_not_heard_when_apply_creates(cluster: Cluster, namespace: str) -> None:
    applied = await apply(cluster, CONFIG_MAPS, config_map("one", resourceVersion="1"), namespace)
    assert applied["data"] == {"a": "1"}
    assert applied["metadata"]["resourceVersion"] != "1"


async def test_a_dry_apply_keeps_nothing(cluster: Cluster, namespace: str) -> None:
    answer = await apply(cluster, CONFIG_MAPS, config_map("one"), namespace, dry_run=True)
    assert answer["data"] == {"a": "1"}
    assert not await exists(cluster, CONFIG_MAPS, "one", namespace)


async def test_lists_with_keys_are_merged_item_by_item(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await apply(cluster, widgets, widget("one", {"ports": [{"name": "a", "port": 1}]}), namespace, "first")
    applied = await apply(cluster, widgets, widget("one", {"ports": [{"name": "b", "port": 2}]}), namespace, "second")
    assert applied["spec"]["ports"] == [
        {"name": "a", "port": 1, "protocol": "TCP"},
        {"name": "b", "port": 2, "protocol": "TCP"},
    ]
    assert owners(applied)["second", "Apply"] == {
        "f:spec": {"f:ports": {'k:{"name":"b"}': {".": {}, "f:name": {}, "f:port": {}}}}
    }
    applied = await apply(cluster, widgets, widget("one", {"ports": []}), namespace, "first")
    assert applied["spec"]["ports"] == [{"name": "b", "port": 2, "protocol": "TCP"}]


async def test_a_conflict_in_a_keyed_list_names_the_item(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await apply(cluster, widgets, widget("one", {"ports": [{"name": "a", "port": 1}]}), namespace, "first")
    with pytest.raises(errors.Conflict) as caught:
        await apply(cluster, widgets, widget("one", {"ports": [{"name": "a", "port": 2}]}), namespace, "second")
    assert caught.value.message == ('Apply failed with 1 conflict: conflict with "first": .spec.ports[name="a"].port')


async def test_sets_are_merged_value_by_value(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await apply(cluster, widgets, widget("one", {"tags": ["a", "b"]}), namespace, "first")
    applied = await apply(cluster, widgets, widget("one", {"tags": ["b", "c"]}), namespace, "second")
    assert applied["spec"]["tags"] == ["a", "b", "c"]
    assert owners(applied)["second", "Apply"] == {"f:spec": {"f:tags": {'v:"b"': {}, 'v:"c"': {}}}}
    applied = await apply(cluster, widgets, widget("one", {"tags": []}), namespace, "first")
    assert applied["spec"]["tags"] == ["b", "c"]


async def test_plain_lists_are_owned_as_a_whole(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    applied = await apply(cluster, widgets, widget("one", {"steps": ["a", "b"]}), namespace, "first")
    assert owners(applied)["first", "Apply"] == {"f:spec": {"f:steps": {}}}
    with pytest.raises(errors.Conflict) as caught:
        await apply(cluster, widgets, widget("one", {"steps": ["c"]}), namespace, "second")
    assert caught.value.message == 'Apply failed with 1 conflict: conflict with "first": .spec.steps'


async def test_container_ports_are_merged_by_port_and_protocol(cluster: Cluster, namespace: str) -> None:
    def deployment(*ports: int) -> Unstructured:
        container = {"name": "web", "image": "web:1", "ports": [{"containerPort": port} for port in ports]}
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web"},
            "spec": {
                "replicas": 0,
                "selector": {"matchLabels": {"app": "web"}},
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
            },
        }

    await apply(cluster, DEPLOYMENTS, deployment(80), namespace, "first")
    applied = await apply(cluster, DEPLOYMENTS, deployment(81), namespace, "second")
    (container,) = applied["spec"]["template"]["spec"]["containers"]
    assert [port["containerPort"] for port in container["ports"]] == [80, 81]


async def test_status_is_applied_through_its_subresource(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await apply(cluster, widgets, widget("one", {"size": 4}), namespace)
    status = {"apiVersion": "contract.landform.test/v1", "kind": "Widget", "metadata": {"name": "one"}}
    applied = await apply(
        cluster, widgets, status | {"status": {"phase": "Done"}}, namespace, "reporter", subresource="status"
    )
    assert applied["status"] == {"phase": "Done"}
    assert applied["spec"] == {"size": 4}
    (entry,) = [entry for entry in applied["metadata"]["managedFields"] if entry["manager"] == "reporter"]
    assert (entry["subresource"], entry["fieldsV1"]) == ("status", {"f:status": {"f:phase": {}}})


async def test_status_in_an_apply_of_the_object_is_not_kept(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    applied = await apply(cluster, widgets, widget("one", {"size": 4}) | {"status": {"phase": "Done"}}, namespace)
    assert "status" not in applied
    assert owners(applied) == {("tester", "Apply"): {"f:spec": {"f:size": {}}}}


async def test_defaults_belong_to_nobody(cluster: Cluster, namespace: str, widgets: Resource[Unstructured]) -> None:
    applied = await apply(cluster, widgets, widget("one", {"color": "red"}), namespace)
    assert applied["spec"] == {"color": "red", "size": 3}
    assert owners(applied) == {("tester", "Apply"): {"f:spec": {"f:color": {}}}}


async def test_a_field_that_the_schema_does_not_know_cannot_be_applied(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.ApiError) as caught:
        await apply(cluster, CONFIG_MAPS, config_map("one") | {"nonsense": True}, namespace)
    assert (caught.value.code, caught.value.message) == (
        500,
        "failed to create typed patch object (/one; /v1, Kind=ConfigMap): .nonsense: field not declared in schema",
    )


async def test_a_custom_field_that_the_schema_does_not_know_cannot_be_applied(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    with pytest.raises(errors.ApiError) as caught:
        await apply(cluster, widgets, widget("one", {"nonsense": True}), namespace)
    assert (caught.value.code, caught.value.message) == (
        500,
        "failed to create typed patch object (/one; contract.landform.test/v1, Kind=Widget): "
        ".spec.nonsense: field not declared in schema",
    )


async def test_a_value_of_the_wrong_type_cannot_be_applied(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    with pytest.raises(errors.ApiError) as caught:
        await apply(cluster, widgets, widget("one", {"ports": "none"}), namespace)
    assert (caught.value.code, caught.value.message) == (
        500,
        "failed to create typed patch object (/one; contract.landform.test/v1, Kind=Widget): "
        ".spec.ports: expected list, got &{none}",
    )


async def test_two_items_with_one_key_cannot_be_applied(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    twice = widget("one", {"ports": [{"name": "a", "port": 1}, {"name": "a", "port": 2}]})
    with pytest.raises(errors.ApiError) as caught:
        await apply(cluster, widgets, twice, namespace)
    assert (caught.value.code, caught.value.message) == (
        500,
        "failed to create typed patch object (/one; contract.landform.test/v1, Kind=Widget): "
        '.spec.ports: duplicate entries for key [name="a"]',
    )


async def test_managed_fields_can_be_cleared(cluster: Cluster, namespace: str) -> None:
    await apply(cluster, CONFIG_MAPS, config_map("one"), namespace)
    patched = await cluster.patch(CONFIG_MAPS, "one", {"metadata": {"managedFields": [{}]}}, namespace=namespace)
    assert "managedFields" not in patched["metadata"]


async def test_an_apply_over_cleared_fields_records_who_was_before(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    await cluster.patch(CONFIG_MAPS, "one", {"metadata": {"managedFields": [{}]}}, namespace=namespace)
    applied = await apply(cluster, CONFIG_MAPS, config_map("one", {"b": "2"}), namespace)
    assert applied["data"] == {"a": "1", "b": "2"}
    assert owners(applied) == {
        ("before-first-apply", "Update"): {"f:data": {".": {}, "f:a": {}}},
        ("tester", "Apply"): {"f:data": {"f:b": {}}},
    }
