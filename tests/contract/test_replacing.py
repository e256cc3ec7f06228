"""Replacing whole objects: conflicts, generations, the status subresource, and fields that stay as they are."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.contract.objects import config_map, widget

from landform.cluster import errors
from landform.cluster.interface import WriteOptions
from landform.cluster.resources import CONFIG_MAPS, LEASES

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured

STATUS = WriteOptions(subresource="status")

MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


async def test_a_replaced_object_has_a_new_version_and_the_same_identity(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    replaced = await cluster.replace(CONFIG_MAPS, created | {"data": {"b": "2"}}, namespace=namespace)
    assert replaced["data"] == {"b": "2"}
    assert replaced["metadata"]["uid"] == created["metadata"]["uid"]
    assert replaced["metadata"]["creationTimestamp"] == created["metadata"]["creationTimestamp"]
    assert int(replaced["metadata"]["resourceVersion"]) > int(created["metadata"]["resourceVersion"])
    assert await cluster.get(CONFIG_MAPS, "one", namespace=namespace) == replaced


async def test_a_replacement_that_changes_nothing_keeps_the_version(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    assert await cluster.replace(CONFIG_MAPS, created, namespace=namespace) == created


async def test_true_in_place_of_one_is_a_change(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one", {"free": {"a": [1]}}), namespace=namespace)
    replaced = await cluster.replace(widgets, created | {"spec": {"free": {"a": [True]}}}, namespace=namespace)
    assert replaced["spec"]["free"]["a"][0] is True
    assert replaced["metadata"]["generation"] == 2


async def test_a_stale_version_is_a_conflict(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    await cluster.replace(CONFIG_MAPS, created | {"data": {"b": "2"}}, namespace=namespace)
    with pytest.raises(errors.Conflict) as caught:
        await cluster.replace(CONFIG_MAPS, created | {"data": {"c": "3"}}, namespace=namespace)
    assert caught.value.message == f'Operation cannot be fulfilled on configmaps "one": {MODIFIED}'
    assert (caught.value.code, caught.value.reason) == (409, "Conflict")
    assert caught.value.details == {"name": "one", "kind": "configmaps"}


async def test_a_stale_custom_object_is_a_conflict_with_its_group(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one"), namespace=namespace)
    await cluster.replace(widgets, created | {"spec": {"size": 5}}, namespace=namespace)
    with pytest.raises(errors.Conflict) as caught:
        await cluster.replace(widgets, created | {"spec": {"size": 6}}, namespace=namespace)
    assert caught.value.message == f'Operation cannot be fulfilled on widgets.contract.landform.test "one": {MODIFIED}'
    assert caught.value.details == {"name": "one", "group": "contract.landform.test", "kind": "widgets"}


async def test_a_config_map_may_be_replaced_without_a_version(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    replaced = await cluster.replace(CONFIG_MAPS, config_map("one", {"b": "2"}), namespace=namespace)
    assert replaced["data"] == {"b": "2"}


async def test_a_custom_object_may_not_be_replaced_without_a_version(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one"), namespace=namespace)
    with pytest.raises(errors.Invalid) as caught:
        await cluster.replace(widgets, widget("one", {"size": 5}), namespace=namespace)
    assert caught.value.message == (
        'widgets.contract.landform.test "one" is invalid: '
        "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
    )
    assert caught.value.details == {"name": "one", "group": "contract.landform.test", "kind": "widgets"}
    assert caught.value.causes == (
        errors.Cause(
            "FieldValueInvalid", "Invalid value: 0: must be specified for an update", "metadata.resourceVersion"
        ),
    )


async def test_what_does_not_exist_cannot_be_replaced(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    with pytest.raises(errors.NotFound) as caught:
        await cluster.replace(widgets, widget("one"), namespace=namespace)
    assert caught.value.message == 'widgets.contract.landform.test "one" not found'
    with pytest.raises(errors.NotFound) as caught:
        await cluster.replace(CONFIG_MAPS, config_map("one"), namespace=namespace)
    assert caught.value.message == 'configmaps "one" not found'


async def test_another_uid_is_another_object(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    other = "11111111-2222-3333-4444-555555555555"
    with pytest.raises(errors.Conflict) as caught:
        await cluster.replace(CONFIG_MAPS, config_map("one", uid=other), namespace=namespace)
    # Between the two Kubernetes tells of its own storage.
    assert caught.value.message.startswith('Operation cannot be fulfilled on configmaps "one": ')
    assert caught.value.message.endswith(
        f"Precondition failed: UID in precondition: {other}, UID in object meta: {created['metadata']['uid']}"
    )


async def test_generation_counts_changes_of_the_spec_only(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    current = await cluster.create(widgets, widget("one"), namespace=namespace)
    current["metadata"]["labels"] = {"a": "b"}
    current = await cluster.replace(widgets, current, namespace=namespace)
    assert current["metadata"]["generation"] == 1
    current = await cluster.replace(
        widgets, current | {"status": {"phase": "Done"}}, namespace=namespace, options=STATUS
    )
    assert current["metadata"]["generation"] == 1
    current = await cluster.replace(widgets, current | {"spec": {"size": 5}}, namespace=namespace)
    assert current["metadata"]["generation"] == 2


async def test_a_wished_generation_is_not_heard(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    current = await cluster.create(widgets, widget("one"), namespace=namespace)
    current["metadata"]["generation"] = 40
    current["metadata"]["creationTimestamp"] = None
    replaced = await cluster.replace(widgets, current | {"spec": {"size": 5}}, namespace=namespace)
    assert replaced["metadata"]["generation"] == 2
    assert replaced["metadata"]["creationTimestamp"]


async def test_replacing_the_object_leaves_its_status_alone(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one"), namespace=namespace)
    with_status = await cluster.replace(
        widgets, created | {"status": {"phase": "Done"}}, namespace=namespace, options=STATUS
    )
    replaced = await cluster.replace(
        widgets, with_status | {"spec": {"size": 5}, "status": {"phase": "Other"}}, namespace=namespace
    )
    assert replaced["spec"] == {"size": 5}
    assert replaced["status"] == {"phase": "Done"}


async def test_replacing_the_status_leaves_all_else_alone(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one", {"size": 4}, labels={"a": "b"}), namespace=namespace)
    wish = created | {"spec": {"size": 5}, "status": {"phase": "Done"}}
    wish["metadata"] = created["metadata"] | {"labels": {"x": "y"}, "annotations": {"n": "o"}, "finalizers": ["a.b/c"]}
    replaced = await cluster.replace(widgets, wish, namespace=namespace, options=STATUS)
    assert replaced["status"] == {"phase": "Done"}
    assert replaced["spec"] == {"size": 4}
    assert replaced["metadata"]["labels"] == {"a": "b"}
    assert not {"annotations", "finalizers"} & replaced["metadata"].keys()


async def test_a_kind_without_a_status_subresource_does_not_serve_one(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    with pytest.raises(errors.NotFound) as caught:
        await cluster.replace(CONFIG_MAPS, created, namespace=namespace, options=STATUS)
    assert caught.value.message == "the server could not find the requested resource"


async def test_a_dry_run_answers_with_the_change_and_keeps_the_old(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    answer = await cluster.replace(
        CONFIG_MAPS, created | {"data": {"b": "2"}}, namespace=namespace, options=WriteOptions(dry_run=True)
    )
    assert answer["data"] == {"b": "2"}
    assert answer["metadata"]["resourceVersion"] == created["metadata"]["resourceVersion"]
    assert await cluster.get(CONFIG_MAPS, "one", namespace=namespace) == created


async def test_of_two_who_take_a_lease_at_once_one_wins(cluster: Cluster, namespace: str) -> None:
    lease = await cluster.create(LEASES, {"metadata": {"name": "leader"}, "spec": {}}, namespace=namespace)

    async def take_lease(holder: str) -> str | None:
        try:
            taken = await cluster.replace(LEASES, lease | {"spec": {"holderIdentity": holder}}, namespace=namespace)
        except errors.Conflict:
            return None
        return str(taken["spec"]["holderIdentity"])

    winners = [holder for holder in await asyncio.gather(*map(take_lease, ["one", "two"])) if holder]
    assert len(winners) == 1
    assert (await cluster.get(LEASES, "leader", namespace=namespace))["spec"]["holderIdentity"] == winners[0]


async def test_of_a_hundred_who_create_one_name_one_wins(cluster: Cluster, namespace: str) -> None:
    async def attempt(number: int) -> str | None:
        try:
            created = await cluster.create(CONFIG_MAPS, config_map("one", {"by": str(number)}), namespace=namespace)
        except errors.AlreadyExists:
            return None
        return str(created["data"]["by"])

    winners = [number for number in await asyncio.gather(*map(attempt, range(100))) if number]
    assert len(winners) == 1
    assert (await cluster.get(CONFIG_MAPS, "one", namespace=namespace))["data"]["by"] == winners[0]


async def test_of_many_who_count_on_one_object_none_is_lost(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("counter", {"n": "0"}), namespace=namespace)

    async def count_one() -> None:
        while True:
            current = await cluster.get(CONFIG_MAPS, "counter", namespace=namespace)
            wish = current | {"data": {"n": str(int(current["data"]["n"]) + 1)}}
            try:
                await cluster.replace(CONFIG_MAPS, wish, namespace=namespace)
            except errors.Conflict:
                continue
            return

    await asyncio.gather(*(count_one() for _ in range(10)))
    assert (await cluster.get(CONFIG_MAPS, "counter", namespace=namespace))["data"] == {"n": "10"}
