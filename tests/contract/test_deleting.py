"""Deleting: preconditions, finalizers, collections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.contract.objects import config_map, exists, names, widget

from landform.cluster import errors
from landform.cluster.interface import DeleteOptions, ListOptions
from landform.cluster.resources import CONFIG_MAPS

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured

HOLD = "landform.test/hold"
OTHER_UID = "11111111-2222-3333-4444-555555555555"


async def test_a_deleted_object_is_gone(cluster: Cluster, namespace: str, widgets: Resource[Unstructured]) -> None:
    await cluster.create(widgets, widget("one"), namespace=namespace)
    assert await cluster.delete(widgets, "one", namespace=namespace) is None
    assert not await exists(cluster, widgets, "one", namespace)


async def test_a_name_can_be_used_again_and_is_another_object(cluster: Cluster, namespace: str) -> None:
    first = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    await cluster.delete(CONFIG_MAPS, "one", namespace=namespace)
    second = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    assert first["metadata"]["uid"] != second["metadata"]["uid"]


async def test_what_does_not_exist_cannot_be_deleted(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.NotFound) as caught:
        await cluster.delete(CONFIG_MAPS, "one", namespace=namespace)
    assert caught.value.message == 'configmaps "one" not found'
    assert caught.value.details == {"name": "one", "kind": "configmaps"}


async def test_another_uid_is_not_deleted(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    with pytest.raises(errors.Conflict) as caught:
        await cluster.delete(CONFIG_MAPS, "one", namespace=namespace, options=DeleteOptions(uid=OTHER_UID))
    assert caught.value.message == (
        f'Operation cannot be fulfilled on ConfigMap "one": the UID in the precondition ({OTHER_UID}) does not match '
        f"the UID in record ({created['metadata']['uid']}). The object might have been deleted and then recreated"
    )
    assert caught.value.details == {"name": "one", "kind": "ConfigMap"}
    uid = created["metadata"]["uid"]
    assert await cluster.delete(CONFIG_MAPS, "one", namespace=namespace, options=DeleteOptions(uid=uid)) is None


async def test_another_version_is_not_deleted(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    changed = await cluster.patch(CONFIG_MAPS, "one", {"data": {"b": "2"}}, namespace=namespace)
    old, new = created["metadata"]["resourceVersion"], changed["metadata"]["resourceVersion"]
    with pytest.raises(errors.Conflict) as caught:
        await cluster.delete(CONFIG_MAPS, "one", namespace=namespace, options=DeleteOptions(resource_version=old))
    assert caught.value.message == (
        f'Operation cannot be fulfilled on ConfigMap "one": the ResourceVersion in the precondition ({old}) does not '
        f"match the ResourceVersion in record ({new}). The object might have been modified"
    )
    options = DeleteOptions(resource_version=new)
    assert await cluster.delete(CONFIG_MAPS, "one", namespace=namespace, options=options) is None


async def test_a_finalizer_holds_the_object_until_it_is_removed(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one", finalizers=[HOLD]), namespace=namespace)
    held = await cluster.delete(widgets, "one", namespace=namespace)
    assert held is not None
    assert held["metadata"]["deletionTimestamp"]
    assert held["metadata"]["deletionGracePeriodSeconds"] == 0
    assert held["metadata"]["generation"] == 2
    assert int(held["metadata"]["resourceVersion"]) > int(created["metadata"]["resourceVersion"])
    assert await cluster.get(widgets, "one", namespace=namespace) == held

    freed = await cluster.patch(widgets, "one", {"metadata": {"finalizers": None}}, namespace=namespace)
    assert "finalizers" not in freed["metadata"]
    assert not await exists(cluster, widgets, "one", namespace)


async def test_a_config_map_is_held_by_its_finalizer_too(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one", finalizers=[HOLD]), namespace=namespace)
    held = await cluster.delete(CONFIG_MAPS, "one", namespace=namespace)
    assert held is not None
    assert held["metadata"]["deletionTimestamp"]
    held["metadata"].pop("finalizers")
    await cluster.replace(CONFIG_MAPS, held, namespace=namespace)
    assert not await exists(cluster, CONFIG_MAPS, "one", namespace)


async def test_the_last_of_two_finalizers_frees_the_object(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one", finalizers=[HOLD, "landform.test/too"]), namespace=namespace)
    await cluster.delete(widgets, "one", namespace=namespace)
    await cluster.patch(widgets, "one", {"metadata": {"finalizers": [HOLD]}}, namespace=namespace)
    assert await exists(cluster, widgets, "one", namespace)
    await cluster.patch(widgets, "one", {"metadata": {"finalizers": []}}, namespace=namespace)
    assert not await exists(cluster, widgets, "one", namespace)


async def test_deleting_again_changes_nothing(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one", finalizers=[HOLD]), namespace=namespace)
    first = await cluster.delete(widgets, "one", namespace=namespace)
    assert await cluster.delete(widgets, "one", namespace=namespace) == first


async def test_the_time_of_deletion_cannot_be_changed_or_taken_back(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one", finalizers=[HOLD]), namespace=namespace)
    held = await cluster.delete(widgets, "one", namespace=namespace)
    assert held is not None
    wish = {"metadata": {"deletionTimestamp": None, "deletionGracePeriodSeconds": None, "labels": {"a": "b"}}}
    patched = await cluster.patch(widgets, "one", wish, namespace=namespace)
    assert patched["metadata"]["deletionTimestamp"] == held["metadata"]["deletionTimestamp"]
    assert patched["metadata"]["labels"] == {"a": "b"}
    later = {"metadata": {"deletionTimestamp": "2101-01-01T00:00:00Z"}}
    patched = await cluster.patch(widgets, "one", later, namespace=namespace)
    assert patched["metadata"]["deletionTimestamp"] == held["metadata"]["deletionTimestamp"]


async def test_an_object_being_deleted_takes_no_new_finalizers(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one", finalizers=[HOLD]), namespace=namespace)
    await cluster.delete(widgets, "one", namespace=namespace)
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(
            widgets, "one", {"metadata": {"finalizers": [HOLD, "landform.test/new"]}}, namespace=namespace
        )
    assert caught.value.message == (
        'Widget.contract.landform.test "one" is invalid: metadata.finalizers: Forbidden: no new finalizers can be '
        'added if the object is being deleted, found new finalizers []string{"landform.test/new"}'
    )


async def test_an_object_being_deleted_can_still_be_changed(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one", finalizers=[HOLD]), namespace=namespace)
    await cluster.delete(widgets, "one", namespace=namespace)
    patched = await cluster.patch(widgets, "one", {"spec": {"size": 9}}, namespace=namespace)
    assert patched["spec"] == {"size": 9}


async def test_the_name_of_an_object_being_deleted_is_taken(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one", finalizers=[HOLD]), namespace=namespace)
    await cluster.delete(widgets, "one", namespace=namespace)
    with pytest.raises(errors.AlreadyExists) as caught:
        await cluster.create(widgets, widget("one"), namespace=namespace)
    assert caught.value.message == ('object is being deleted: widgets.contract.landform.test "one" already exists')


async def test_a_dry_deletion_keeps_the_object(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    await cluster.delete(CONFIG_MAPS, "one", namespace=namespace, options=DeleteOptions(dry_run=True))
    assert await cluster.get(CONFIG_MAPS, "one", namespace=namespace) == created


async def test_a_collection_is_deleted_by_selector(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    for name, group in (("a", "x"), ("b", "x"), ("c", "y")):
        await cluster.create(widgets, widget(name, labels={"group": group}), namespace=namespace)
    await cluster.delete_collection(widgets, namespace=namespace, selection=ListOptions(label_selector="group=x"))
    assert names((await cluster.list(widgets, namespace=namespace)).items) == ["c"]
    await cluster.delete_collection(widgets, namespace=namespace)
    assert names((await cluster.list(widgets, namespace=namespace)).items) == []


async def test_a_dry_collection_deletion_keeps_all(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("a"), namespace=namespace)
    await cluster.delete_collection(widgets, namespace=namespace, options=DeleteOptions(dry_run=True))
    assert names((await cluster.list(widgets, namespace=namespace)).items) == ["a"]


async def test_a_collection_deletion_respects_finalizers(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("held", finalizers=[HOLD]), namespace=namespace)
    await cluster.create(widgets, widget("free"), namespace=namespace)
    await cluster.delete_collection(widgets, namespace=namespace)
    (held,) = (await cluster.list(widgets, namespace=namespace)).items
    assert held["metadata"]["name"] == "held"
    assert held["metadata"]["deletionTimestamp"]
    await cluster.patch(widgets, "held", {"metadata": {"finalizers": None}}, namespace=namespace)


async def test_an_empty_collection_can_be_deleted(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.delete_collection(widgets, namespace=namespace)
