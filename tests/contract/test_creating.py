"""Creating objects: what the cluster adds, and what it refuses."""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING

import pytest
from tests.contract.objects import config_map, exists, widget

from landform.cluster import errors
from landform.cluster.interface import WriteOptions
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES, untyped

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured


async def test_a_created_object_gets_an_identity(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    metadata = created["metadata"]
    assert (created["apiVersion"], created["kind"]) == ("v1", "ConfigMap")
    assert (metadata["name"], metadata["namespace"]) == ("one", namespace)
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", metadata["uid"])
    assert metadata["resourceVersion"].isdigit()
    age = datetime.datetime.now(datetime.UTC) - datetime.datetime.strptime(
        metadata["creationTimestamp"], "%Y-%m-%dT%H:%M:%SZ"
    ).replace(tzinfo=datetime.UTC)
    assert abs(age.total_seconds()) < 60


async def test_an_object_reads_as_it_was_answered(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    assert await cluster.get(CONFIG_MAPS, "one", namespace=namespace) == created


async def test_kind_and_version_may_be_left_out(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    for resource in (CONFIG_MAPS, widgets):
        created = await cluster.create(resource, {"metadata": {"name": "one"}}, namespace=namespace)
        assert (created["apiVersion"], created["kind"]) == (resource.api_version, resource.kind)


async def test_a_config_map_has_no_generation(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    assert "generation" not in created["metadata"]


async def test_a_custom_object_starts_at_generation_one(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one", generation=7), namespace=namespace)
    assert created["metadata"]["generation"] == 1


async def test_what_only_the_cluster_decides_is_not_taken_from_the_object(cluster: Cluster, namespace: str) -> None:
    wish = config_map(
        "one",
        uid="11111111-2222-3333-4444-555555555555",
        creationTimestamp="2001-01-01T00:00:00Z",
        deletionTimestamp="2001-01-01T00:00:00Z",
        deletionGracePeriodSeconds=5,
        selfLink="/somewhere",
    )
    metadata = (await cluster.create(CONFIG_MAPS, wish, namespace=namespace))["metadata"]
    assert metadata["uid"] != "11111111-2222-3333-4444-555555555555"
    assert metadata["creationTimestamp"] != "2001-01-01T00:00:00Z"
    assert not {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"} & metadata.keys()


async def test_status_of_a_new_object_is_dropped_where_it_is_a_subresource(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one") | {"status": {"phase": "Done"}}, namespace=namespace)
    assert "status" not in created


async def test_a_generated_name_begins_as_asked(cluster: Cluster, namespace: str) -> None:
    wish = {"metadata": {"generateName": "job-"}}
    first = await cluster.create(CONFIG_MAPS, wish, namespace=namespace)
    second = await cluster.create(CONFIG_MAPS, wish, namespace=namespace)
    assert re.fullmatch(r"job-[bcdfghjklmnpqrstvwxz2456789]{5}", first["metadata"]["name"])
    assert first["metadata"]["generateName"] == "job-"
    assert first["metadata"]["name"] != second["metadata"]["name"]


async def test_a_long_generated_name_is_cut_to_63_characters(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, {"metadata": {"generateName": "x" * 80}}, namespace=namespace)
    assert re.fullmatch(r"x{58}[a-z0-9]{5}", created["metadata"]["name"])


async def test_a_name_wins_over_a_generated_one(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one", generateName="job-"), namespace=namespace)
    assert created["metadata"]["name"] == "one"


async def test_an_object_needs_a_name(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CONFIG_MAPS, {"metadata": {}}, namespace=namespace)
    assert caught.value.message == (
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required'
    )
    assert caught.value.details == {"kind": "ConfigMap"}
    assert caught.value.causes == (
        errors.Cause("FieldValueRequired", "Required value: name or generateName is required", "metadata.name"),
    )


async def test_a_taken_name_is_refused(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    with pytest.raises(errors.AlreadyExists) as caught:
        await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    assert caught.value.message == 'configmaps "one" already exists'
    assert (caught.value.code, caught.value.reason) == (409, "AlreadyExists")
    assert caught.value.details == {"name": "one", "kind": "configmaps"}


async def test_a_taken_custom_name_is_refused_with_its_group(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one"), namespace=namespace)
    with pytest.raises(errors.AlreadyExists) as caught:
        await cluster.create(widgets, widget("one"), namespace=namespace)
    assert caught.value.message == 'widgets.contract.landform.test "one" already exists'
    assert caught.value.details == {"name": "one", "group": "contract.landform.test", "kind": "widgets"}


async def test_the_same_name_may_be_used_in_another_namespace(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("contract-one"), namespace=namespace)
    other = await cluster.create(NAMESPACES, {"metadata": {"generateName": "contract-"}})
    await cluster.create(CONFIG_MAPS, config_map("contract-one"), namespace=other["metadata"]["name"])
    await cluster.delete(NAMESPACES, other["metadata"]["name"])


async def test_nothing_is_created_in_a_namespace_that_does_not_exist(cluster: Cluster) -> None:
    with pytest.raises(errors.NotFound) as caught:
        await cluster.create(CONFIG_MAPS, config_map("one"), namespace="nowhere")
    assert caught.value.message == 'namespaces "nowhere" not found'
    assert caught.value.details == {"name": "nowhere", "kind": "namespaces"}


async def test_the_objects_namespace_has_to_be_the_requests(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.create(CONFIG_MAPS, config_map("one", namespace="elsewhere"), namespace=namespace)
    assert caught.value.message == (
        "the namespace of the provided object does not match the namespace sent on the request"
    )


async def test_a_new_object_has_no_version_of_its_own(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.ApiError) as caught:
        await cluster.create(CONFIG_MAPS, config_map("one", resourceVersion="5"), namespace=namespace)
    assert (caught.value.code, caught.value.message) == (
        500,
        "resourceVersion should not be set on objects to be created",
    )


@pytest.mark.parametrize("name", ["Upper", "under_score", "-dash", "a" * 254, "white space", "ümlaut", "dot."])
async def test_a_name_has_to_be_a_dns_subdomain(cluster: Cluster, namespace: str, name: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CONFIG_MAPS, config_map(name), namespace=namespace)
    rule = (
        "must be no more than 253 characters"
        if len(name) > 253
        else (
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
            "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
        )
    )
    assert caught.value.message == (f'ConfigMap "{name}" is invalid: metadata.name: Invalid value: "{name}": {rule}')
    assert caught.value.details == {"name": name, "kind": "ConfigMap"}
    assert caught.value.causes == (
        errors.Cause("FieldValueInvalid", f'Invalid value: "{name}": {rule}', "metadata.name"),
    )


async def test_bad_labels_and_annotations_are_refused_with_their_paths(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(
            CONFIG_MAPS,
            config_map("one", labels={"a b": "c", "a": "b c"}, annotations={"x/y/z": "1"}),
            namespace=namespace,
        )
    part = (
        "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
        "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
    )
    value = (
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
        "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
        "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
    )
    prefix = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
    assert {(cause.field, cause.message) for cause in caught.value.causes} == {
        ("metadata.labels", f'Invalid value: "a b": name part {part}'),
        ("metadata.labels", f'Invalid value: "b c": {value}'),
        ("metadata.annotations", f'Invalid value: "x/y/z": a qualified name {part} {prefix}'),
    }


async def test_a_bad_finalizer_is_refused(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CONFIG_MAPS, config_map("one", finalizers=["unqualified"]), namespace=namespace)
    assert caught.value.message == (
        'ConfigMap "one" is invalid: metadata.finalizers[0]: Invalid value: "unqualified": '
        "name is neither a standard finalizer name nor is it fully qualified"
    )


async def test_an_owner_reference_needs_all_its_parts(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(
            CONFIG_MAPS,
            config_map("one", ownerReferences=[{"apiVersion": "v1", "kind": "", "name": "", "uid": ""}]),
            namespace=namespace,
        )
    assert [(cause.message, cause.field) for cause in caught.value.causes] == [
        ('Invalid value: "": must not be empty', "metadata.ownerReferences.kind"),
        ('Invalid value: "": must not be empty', "metadata.ownerReferences.name"),
        ('Invalid value: "": must not be empty', "metadata.ownerReferences.uid"),
    ]


async def test_only_one_owner_may_be_the_controller(cluster: Cluster, namespace: str) -> None:
    references = [
        {"apiVersion": "v1", "kind": "Node", "name": name, "uid": name, "controller": True} for name in ("one", "two")
    ]
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CONFIG_MAPS, config_map("one", ownerReferences=references), namespace=namespace)
    assert caught.value.message == (
        'ConfigMap "one" is invalid: metadata.ownerReferences: Invalid value: '
        '[{"apiVersion":"v1","kind":"Node","name":"one","uid":"one","controller":true},'
        '{"apiVersion":"v1","kind":"Node","name":"two","uid":"two","controller":true}]: '
        'Only one reference can have Controller set to true. Found "true" in references for Node/one and Node/two'
    )


async def test_a_built_in_kind_has_to_be_the_resources(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.create(
            CONFIG_MAPS, {"apiVersion": "v1", "kind": "Nonsense", "metadata": {"name": "one"}}, namespace=namespace
        )
    assert caught.value.message.startswith('Nonsense in version "v1" cannot be handled as a ConfigMap: ')


async def test_a_custom_kind_has_to_be_the_resources(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(widgets, widget("one") | {"kind": "Gadget"}, namespace=namespace)
    assert caught.value.message == (
        'Gadget.contract.landform.test "one" is invalid: kind: Invalid value: "Gadget": must be Widget'
    )


async def test_the_api_version_has_to_be_the_resources(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.create(widgets, widget("one") | {"apiVersion": "contract.landform.test/v2"}, namespace=namespace)
    assert caught.value.message == (
        "the API version in the data (contract.landform.test/v2) does not match "
        "the expected API version (contract.landform.test/v1)"
    )


async def test_a_dry_run_answers_as_if_done_and_keeps_nothing(cluster: Cluster, namespace: str) -> None:
    answer = await cluster.create(
        CONFIG_MAPS, config_map("one"), namespace=namespace, options=WriteOptions(dry_run=True)
    )
    assert answer["metadata"]["uid"]
    assert answer["metadata"]["creationTimestamp"]
    assert "resourceVersion" not in answer["metadata"]
    assert not await exists(cluster, CONFIG_MAPS, "one", namespace)


async def test_a_dry_run_refuses_what_would_be_refused(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    with pytest.raises(errors.AlreadyExists):
        await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace, options=WriteOptions(dry_run=True))


async def test_a_kind_nobody_serves_is_not_found(cluster: Cluster, namespace: str) -> None:
    unknown = untyped("v1", "Nothing", "nothings")
    for attempt in (
        cluster.list(unknown, namespace=namespace),
        cluster.get(unknown, "one", namespace=namespace),
        cluster.create(unknown, {"metadata": {"name": "one"}}, namespace=namespace),
    ):
        with pytest.raises(errors.NotFound) as caught:
            await attempt
        assert caught.value.message == "the server could not find the requested resource"
        assert caught.value.details == {}


async def test_a_group_nobody_serves_is_not_found(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.NotFound):
        await cluster.list(untyped("nothing.landform.test/v1", "Nothing", "nothings"), namespace=namespace)


async def test_the_field_manager_and_what_it_wrote_are_recorded(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(
        CONFIG_MAPS, config_map("one"), namespace=namespace, options=WriteOptions(field_manager="tester")
    )
    (entry,) = created["metadata"]["managedFields"]
    time = entry.pop("time")
    assert time == created["metadata"]["creationTimestamp"]
    assert entry == {
        "manager": "tester",
        "operation": "Update",
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {".": {}, "f:a": {}}},
    }
