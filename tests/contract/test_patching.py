"""Patching: merge, JSON and strategic merge patches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.contract.objects import DEPLOYMENTS, SERVICES, config_map, widget

from landform.cluster import errors
from landform.cluster.interface import PatchType, WriteOptions
from landform.cluster.resources import CONFIG_MAPS

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured

STATUS = WriteOptions(subresource="status")


async def test_a_merge_patch_sets_replaces_and_removes(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one", {"a": "1", "b": "2"}), namespace=namespace)
    patched = await cluster.patch(
        CONFIG_MAPS,
        "one",
        {"data": {"a": "9", "b": None, "c": "3"}, "metadata": {"labels": {"x": "y"}}},
        namespace=namespace,
    )
    assert patched["data"] == {"a": "9", "c": "3"}
    assert patched["metadata"]["labels"] == {"x": "y"}
    assert await cluster.get(CONFIG_MAPS, "one", namespace=namespace) == patched


async def test_a_merge_patch_replaces_lists_as_a_whole(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one", {"steps": ["a", "b"]}), namespace=namespace)
    patched = await cluster.patch(widgets, "one", {"spec": {"steps": ["c"]}}, namespace=namespace)
    assert patched["spec"]["steps"] == ["c"]


async def test_a_patch_with_a_stale_version_is_a_conflict(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one"), namespace=namespace)
    await cluster.patch(widgets, "one", {"spec": {"size": 5}}, namespace=namespace)
    stale = {"metadata": {"resourceVersion": created["metadata"]["resourceVersion"]}, "spec": {"size": 6}}
    with pytest.raises(errors.Conflict) as caught:
        await cluster.patch(widgets, "one", stale, namespace=namespace)
    assert caught.value.message == (
        'Operation cannot be fulfilled on widgets.contract.landform.test "one": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )


async def test_a_patch_with_the_current_version_is_done(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one"), namespace=namespace)
    current = {"metadata": {"resourceVersion": created["metadata"]["resourceVersion"]}, "spec": {"size": 6}}
    assert (await cluster.patch(widgets, "one", current, namespace=namespace))["spec"] == {"size": 6}


async def test_the_uid_cannot_be_patched(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    other = "11111111-2222-3333-4444-555555555555"
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(CONFIG_MAPS, "one", {"metadata": {"uid": other}}, namespace=namespace)
    assert caught.value.message == (
        f'ConfigMap "one" is invalid: metadata.uid: Invalid value: "{other}": field is immutable'
    )


async def test_the_name_cannot_be_patched(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.patch(CONFIG_MAPS, "one", {"metadata": {"name": "two"}}, namespace=namespace)
    assert caught.value.message == "the name of the object (two) does not match the name on the URL (one)"


async def test_a_patch_of_the_object_leaves_its_status_alone(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one"), namespace=namespace)
    patched = await cluster.patch(
        widgets, "one", {"spec": {"size": 5}, "status": {"phase": "Done"}}, namespace=namespace
    )
    assert patched["spec"] == {"size": 5}
    assert "status" not in patched


async def test_a_patch_of_the_status_leaves_the_rest_alone(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one"), namespace=namespace)
    patch = {"metadata": {"labels": {"a": "b"}}, "spec": {"size": 5}, "status": {"phase": "Done"}}
    patched = await cluster.patch(widgets, "one", patch, namespace=namespace, options=STATUS)
    assert patched["status"] == {"phase": "Done"}
    assert patched["spec"] == created["spec"]
    assert "labels" not in patched["metadata"]
    assert patched["metadata"]["generation"] == 1


async def test_what_does_not_exist_cannot_be_patched(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    with pytest.raises(errors.NotFound) as caught:
        await cluster.patch(widgets, "one", {"spec": {}}, namespace=namespace)
    assert caught.value.message == 'widgets.contract.landform.test "one" not found'


async def test_a_merge_patch_has_to_be_an_object(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.patch(CONFIG_MAPS, "one", ["nonsense"], namespace=namespace)
    # Kubernetes goes on with the words of Go's JSON decoder.
    assert caught.value.message.startswith("error decoding patch: ")


async def test_a_patch_into_something_invalid_is_refused(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one"), namespace=namespace)
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(widgets, "one", {"spec": {"size": 11}}, namespace=namespace)
    assert caught.value.message == (
        'Widget.contract.landform.test "one" is invalid: spec.size: Invalid value: 11: '
        "spec.size in body should be less than or equal to 10"
    )
    assert await cluster.get(widgets, "one", namespace=namespace) == created


async def test_a_dry_patch_keeps_nothing(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    answer = await cluster.patch(
        CONFIG_MAPS, "one", {"data": {"b": "2"}}, namespace=namespace, options=WriteOptions(dry_run=True)
    )
    assert answer["data"] == {"a": "1", "b": "2"}
    assert await cluster.get(CONFIG_MAPS, "one", namespace=namespace) == created


async def test_a_json_patch_does_its_steps_in_order(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one", {"a": "1", "b": "2"}), namespace=namespace)
    steps = [
        {"op": "test", "path": "/data/a", "value": "1"},
        {"op": "replace", "path": "/data/a", "value": "9"},
        {"op": "move", "from": "/data/b", "path": "/data/c"},
        {"op": "copy", "from": "/data/c", "path": "/data/d"},
        {"op": "add", "path": "/data/e~1f", "value": "5"},
        {"op": "remove", "path": "/data/e~1f"},
    ]
    patched = await cluster.patch(CONFIG_MAPS, "one", steps, namespace=namespace, type=PatchType.JSON)
    assert patched["data"] == {"a": "9", "c": "2", "d": "2"}


async def test_a_json_patch_replaces_what_is_not_there(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    steps = [{"op": "replace", "path": "/data/b", "value": "2"}]
    patched = await cluster.patch(CONFIG_MAPS, "one", steps, namespace=namespace, type=PatchType.JSON)
    assert patched["data"] == {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    "step",
    [
        {"op": "test", "path": "/data/a", "value": "2"},
        {"op": "remove", "path": "/data/none"},
        {"op": "add", "path": "/none/none", "value": "1"},
        {"op": "nonsense", "path": "/data/a"},
    ],
    ids=["failed-test", "remove-missing", "missing-parent", "unknown-operation"],
)
async def test_a_json_patch_that_does_not_fit_is_refused(
    cluster: Cluster, namespace: str, step: dict[str, str]
) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(CONFIG_MAPS, "one", [step], namespace=namespace, type=PatchType.JSON)
    # The message of Kubernetes is always "the server rejected our request due to an error in our request"; Landform
    # says which step failed.
    assert (caught.value.code, caught.value.reason) == (422, "Invalid")
    assert await cluster.get(CONFIG_MAPS, "one", namespace=namespace) == created


def deployment(*containers: dict[str, Any]) -> Unstructured:
    """A Deployment called ``web`` with these containers."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": list(containers)}},
        },
    }


def containers_of(obj: Unstructured) -> dict[str, str]:
    """Image by container name."""
    return {container["name"]: container["image"] for container in obj["spec"]["template"]["spec"]["containers"]}


async def test_a_strategic_patch_merges_lists_by_their_key(cluster: Cluster, namespace: str) -> None:
    wish = deployment({"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"})
    await cluster.create(DEPLOYMENTS, wish, namespace=namespace)
    patch = {
        "spec": {"template": {"spec": {"containers": [{"name": "b", "image": "b:2"}, {"name": "c", "image": "c:1"}]}}}
    }
    patched = await cluster.patch(DEPLOYMENTS, "web", patch, namespace=namespace, type=PatchType.STRATEGIC)
    assert containers_of(patched) == {"a": "a:1", "b": "b:2", "c": "c:1"}


async def test_a_strategic_patch_deletes_by_directive(cluster: Cluster, namespace: str) -> None:
    wish = deployment({"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"})
    await cluster.create(DEPLOYMENTS, wish, namespace=namespace)
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "a", "$patch": "delete"}]}}}}
    patched = await cluster.patch(DEPLOYMENTS, "web", patch, namespace=namespace, type=PatchType.STRATEGIC)
    assert containers_of(patched) == {"b": "b:1"}


async def test_a_strategic_patch_replaces_by_directive(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one", {"a": "1", "b": "2"}), namespace=namespace)
    patch = {"data": {"$patch": "replace", "c": "3"}}
    patched = await cluster.patch(CONFIG_MAPS, "one", patch, namespace=namespace, type=PatchType.STRATEGIC)
    assert patched["data"] == {"c": "3"}


async def test_a_strategic_patch_adds_to_a_set_of_finalizers(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one", finalizers=["a.test/a"]), namespace=namespace)
    patched = await cluster.patch(
        CONFIG_MAPS, "one", {"metadata": {"finalizers": ["b.test/b"]}}, namespace=namespace, type=PatchType.STRATEGIC
    )
    assert sorted(patched["metadata"]["finalizers"]) == ["a.test/a", "b.test/b"]
    removal = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a.test/a", "b.test/b"]}}
    patched = await cluster.patch(CONFIG_MAPS, "one", removal, namespace=namespace, type=PatchType.STRATEGIC)
    assert "finalizers" not in patched["metadata"]


async def test_service_ports_are_merged_by_port(cluster: Cluster, namespace: str) -> None:
    service = {
        "metadata": {"name": "web"},
        "spec": {"clusterIP": "None", "ports": [{"name": "a", "port": 80}, {"name": "b", "port": 81}]},
    }
    await cluster.create(SERVICES, service, namespace=namespace)
    patched = await cluster.patch(
        SERVICES, "web", {"spec": {"ports": [{"port": 81, "name": "c"}]}}, namespace=namespace, type=PatchType.STRATEGIC
    )
    assert {port["port"]: port["name"] for port in patched["spec"]["ports"]} == {80: "a", 81: "c"}


async def test_a_custom_object_takes_no_strategic_patch(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one"), namespace=namespace)
    with pytest.raises(errors.UnsupportedMedia) as caught:
        await cluster.patch(widgets, "one", {"spec": {}}, namespace=namespace, type=PatchType.STRATEGIC)
    assert caught.value.message == (
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
    )
