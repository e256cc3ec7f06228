"""Namespaces: their life, and what happens to what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.contract.objects import config_map, eventually, exists, names, widget

from landform.cluster import errors
from landform.cluster.interface import ListOptions
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured


async def test_every_cluster_has_its_first_namespaces(cluster: Cluster) -> None:
    there = names((await cluster.list(NAMESPACES)).items)
    assert {"default", "kube-system", "kube-public", "kube-node-lease"} <= set(there)


async def test_a_new_namespace_is_active_and_labelled_with_its_name(cluster: Cluster, namespace: str) -> None:
    created = await cluster.get(NAMESPACES, namespace)
    assert created["status"] == {"phase": "Active"}
    assert created["spec"] == {"finalizers": ["kubernetes"]}
    assert created["metadata"]["labels"] == {"kubernetes.io/metadata.name": namespace}


async def test_the_name_has_to_be_a_dns_label(cluster: Cluster) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(NAMESPACES, {"metadata": {"name": "with.dot"}})
    assert caught.value.message == (
        'Namespace "with.dot" is invalid: metadata.name: Invalid value: "with.dot": must not contain dots'
    )


async def test_a_new_namespace_soon_has_its_default_service_account(cluster: Cluster, namespace: str) -> None:
    async def is_there() -> bool:
        return await exists(cluster, SERVICE_ACCOUNTS, "default", namespace)

    await eventually(is_there, "the default service account exists")


async def test_a_deleted_namespace_is_emptied_and_goes(cluster: Cluster, widgets: Resource[Unstructured]) -> None:
    name = (await cluster.create(NAMESPACES, {"metadata": {"generateName": "contract-"}}))["metadata"]["name"]
    await cluster.create(CONFIG_MAPS, config_map("one"), namespace=name)
    await cluster.create(widgets, widget("one"), namespace=name)
    going = await cluster.delete(NAMESPACES, name)
    assert going is not None
    assert going["status"]["phase"] == "Terminating"
    assert going["metadata"]["deletionTimestamp"]

    async def is_gone() -> bool:
        return not await exists(cluster, NAMESPACES, name)

    await eventually(is_gone, "the namespace is gone")
    assert names((await cluster.list(CONFIG_MAPS, namespace=name)).items) == []
    assert names((await cluster.list(widgets, namespace=name)).items) == []


async def test_a_namespace_waits_for_held_objects_and_takes_no_new_ones(
    cluster: Cluster, widgets: Resource[Unstructured]
) -> None:
    name = (await cluster.create(NAMESPACES, {"metadata": {"generateName": "contract-"}}))["metadata"]["name"]
    await cluster.create(widgets, widget("held", finalizers=["landform.test/hold"]), namespace=name)
    await cluster.delete(NAMESPACES, name)

    async def is_marked() -> bool:
        return "deletionTimestamp" in (await cluster.get(widgets, "held", namespace=name))["metadata"]

    await eventually(is_marked, "the held object is marked for deletion")
    with pytest.raises(errors.Forbidden) as caught:
        await cluster.create(CONFIG_MAPS, config_map("late"), namespace=name)
    assert caught.value.message == (
        f'configmaps "late" is forbidden: unable to create new content in namespace {name} because it is being '
        "terminated"
    )
    assert caught.value.causes == (
        errors.Cause("NamespaceTerminating", f"namespace {name} is being terminated", "metadata.namespace"),
    )
    await cluster.patch(widgets, "held", {"metadata": {"finalizers": None}}, namespace=name)

    async def is_gone() -> bool:
        return not await exists(cluster, NAMESPACES, name)

    await eventually(is_gone, "the namespace is gone")


async def test_the_first_namespaces_cannot_be_deleted(cluster: Cluster) -> None:
    for name in ("default", "kube-system", "kube-public"):
        with pytest.raises(errors.Forbidden) as caught:
            await cluster.delete(NAMESPACES, name)
        assert caught.value.message == f'namespaces "{name}" is forbidden: this namespace may not be deleted'


async def test_namespaces_cannot_be_deleted_as_a_collection(cluster: Cluster) -> None:
    with pytest.raises(errors.MethodNotAllowed) as caught:
        await cluster.delete_collection(NAMESPACES)
    assert caught.value.message == "the server does not allow this method on the requested resource"


async def test_namespaces_can_be_selected_by_phase(cluster: Cluster, namespace: str) -> None:
    active = await cluster.list(NAMESPACES, options=ListOptions(field_selector="status.phase=Active"))
    assert namespace in names(active.items)
