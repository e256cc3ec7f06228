"""Built-in kinds that mean something: ConfigMaps, Secrets, ServiceAccounts, Leases, Events; and size limits."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest
from tests.contract.objects import config_map, names

from landform.cluster import errors
from landform.cluster.interface import ListOptions, WriteOptions
from landform.cluster.resources import (
    CONFIG_MAPS,
    CUSTOM_RESOURCE_DEFINITIONS,
    EVENTS,
    LEASES,
    SECRETS,
    SERVICE_ACCOUNTS,
)

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured

TOKEN = WriteOptions(subresource="token")


async def test_binary_data_is_kept(cluster: Cluster, namespace: str) -> None:
    binary = base64.b64encode(bytes(range(256))).decode()
    created = await cluster.create(CONFIG_MAPS, config_map("one") | {"binaryData": {"b": binary}}, namespace=namespace)
    assert created["binaryData"] == {"b": binary}


async def test_binary_data_has_to_be_base64(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.create(CONFIG_MAPS, config_map("one") | {"binaryData": {"b": "§"}}, namespace=namespace)
    # Kubernetes goes on with "illegal base64 data at input byte 0", Landform says which field it is.
    assert caught.value.message.startswith('ConfigMap in version "v1" cannot be handled as a ConfigMap: ')


async def test_a_key_may_not_be_in_both_data_and_binary_data(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CONFIG_MAPS, config_map("one") | {"binaryData": {"a": "YQ=="}}, namespace=namespace)
    assert caught.value.message == (
        'ConfigMap "one" is invalid: data[a]: Invalid value: "a": duplicate of key present in binaryData'
    )


KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  "
    "or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)


@pytest.mark.parametrize(("key", "rule"), [("a/b", KEY_RULE), ("", KEY_RULE), ("..", "must not be '..'")])
async def test_a_key_has_to_be_usable_as_a_file_name(cluster: Cluster, namespace: str, key: str, rule: str) -> None:
    fault = f'is invalid: data[{key}]: Invalid value: "{key}": {rule}'
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CONFIG_MAPS, config_map("one", {key: "1"}), namespace=namespace)
    assert caught.value.message == f'ConfigMap "one" {fault}'
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(SECRETS, {"metadata": {"name": "one"}, "stringData": {key: "1"}}, namespace=namespace)
    assert caught.value.message == f'Secret "one" {fault}'


async def test_an_immutable_config_map_stays_as_it_is(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one") | {"immutable": True}, namespace=namespace)
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(CONFIG_MAPS, "one", {"data": {"a": "2"}}, namespace=namespace)
    assert caught.value.message == (
        'ConfigMap "one" is invalid: data: Forbidden: field is immutable when `immutable` is set'
    )
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(CONFIG_MAPS, "one", {"immutable": False}, namespace=namespace)
    assert caught.value.message == (
        'ConfigMap "one" is invalid: immutable: Forbidden: field is immutable when `immutable` is set'
    )
    await cluster.patch(CONFIG_MAPS, "one", {"metadata": {"labels": {"a": "b"}}}, namespace=namespace)
    assert await cluster.delete(CONFIG_MAPS, "one", namespace=namespace) is None


async def test_string_data_of_a_secret_becomes_data(cluster: Cluster, namespace: str) -> None:
    secret = {"metadata": {"name": "one"}, "data": {"a": "b2xk", "b": "Yg=="}, "stringData": {"a": "new"}}
    created = await cluster.create(SECRETS, secret, namespace=namespace)
    assert created["data"] == {"a": "bmV3", "b": "Yg=="}
    assert "stringData" not in created
    assert created["type"] == "Opaque"
    patched = await cluster.patch(SECRETS, "one", {"stringData": {"c": "more"}}, namespace=namespace)
    assert patched["data"] == {"a": "bmV3", "b": "Yg==", "c": "bW9yZQ=="}


@pytest.mark.parametrize(
    ("resource", "fields"),
    [
        (SECRETS, {"data": "text", "stringData": {"a": "b"}}),
        (SECRETS, {"stringData": {"a": 1}}),
        (SECRETS, {"stringData": "text"}),
        (CUSTOM_RESOURCE_DEFINITIONS, {"spec": "text"}),
    ],
)
async def test_what_is_of_the_wrong_type_is_refused_before_it_is_completed(
    cluster: Cluster, namespace: str, resource: Resource[Unstructured], fields: Unstructured
) -> None:
    with pytest.raises(errors.BadRequest, match="cannot be handled as a"):
        await cluster.create(
            resource, {"metadata": {"name": "one"}} | fields, namespace=namespace if resource.namespaced else ""
        )


async def test_the_type_of_a_secret_cannot_change(cluster: Cluster, namespace: str) -> None:
    await cluster.create(SECRETS, {"metadata": {"name": "one"}}, namespace=namespace)
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(SECRETS, "one", {"type": "landform.test/other"}, namespace=namespace)
    assert caught.value.message == (
        'Secret "one" is invalid: type: Invalid value: "landform.test/other": field is immutable'
    )


@pytest.mark.parametrize(
    ("type", "faults"),
    [
        ("kubernetes.io/tls", "[data[tls.crt]: Required value, data[tls.key]: Required value]"),
        ("kubernetes.io/dockerconfigjson", "data[.dockerconfigjson]: Required value"),
        ("kubernetes.io/basic-auth", "[data[username]: Required value, data[password]: Required value]"),
    ],
    ids=["tls", "dockerconfigjson", "basic-auth"],
)
async def test_known_types_of_secrets_need_their_keys(cluster: Cluster, namespace: str, type: str, faults: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(SECRETS, {"metadata": {"name": "one"}, "type": type}, namespace=namespace)
    assert caught.value.message == f'Secret "one" is invalid: {faults}'


async def test_secrets_are_selected_by_type(cluster: Cluster, namespace: str) -> None:
    await cluster.create(SECRETS, {"metadata": {"name": "one"}}, namespace=namespace)
    await cluster.create(SECRETS, {"metadata": {"name": "two"}, "type": "landform.test/other"}, namespace=namespace)
    selection = ListOptions(field_selector="type=landform.test/other")
    assert names((await cluster.list(SECRETS, namespace=namespace, options=selection)).items) == ["two"]


async def test_a_service_account_gives_tokens(cluster: Cluster, namespace: str) -> None:
    account = await cluster.create(SERVICE_ACCOUNTS, {"metadata": {"name": "robot"}}, namespace=namespace)
    request = {"spec": {"expirationSeconds": 3600}}
    answer = await cluster.create(SERVICE_ACCOUNTS, request, namespace=namespace, name="robot", options=TOKEN)
    assert (answer["apiVersion"], answer["kind"]) == ("authentication.k8s.io/v1", "TokenRequest")
    payload = answer["status"]["token"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert claims["sub"] == f"system:serviceaccount:{namespace}:robot"
    assert claims["exp"] - claims["iat"] == 3600
    assert claims["kubernetes.io"] == {
        "namespace": namespace,
        "serviceaccount": {"name": "robot", "uid": account["metadata"]["uid"]},
    }
    assert answer["status"]["expirationTimestamp"].endswith("Z")


async def test_an_unknown_service_account_gives_no_token(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.NotFound) as caught:
        await cluster.create(SERVICE_ACCOUNTS, {"spec": {}}, namespace=namespace, name="nobody", options=TOKEN)
    assert caught.value.message == 'serviceaccounts "nobody" not found'


async def test_a_token_lives_ten_minutes_at_least(cluster: Cluster, namespace: str) -> None:
    await cluster.create(SERVICE_ACCOUNTS, {"metadata": {"name": "robot"}}, namespace=namespace)
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(
            SERVICE_ACCOUNTS, {"spec": {"expirationSeconds": 60}}, namespace=namespace, name="robot", options=TOKEN
        )
    assert caught.value.message == (
        'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 60: '
        "may not specify a duration less than 10 minutes"
    )


async def test_times_of_a_lease_keep_their_microseconds(cluster: Cluster, namespace: str) -> None:
    spec = {
        "holderIdentity": "me",
        "leaseDurationSeconds": 15,
        "acquireTime": "2026-01-02T03:04:05.678901Z",
        "renewTime": "2026-01-02T03:04:05.000000Z",
        "leaseTransitions": 1,
    }
    lease = await cluster.create(LEASES, {"metadata": {"name": "leader"}, "spec": spec}, namespace=namespace)
    assert lease["spec"] == spec


async def test_a_lease_of_no_duration_is_refused(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(
            LEASES, {"metadata": {"name": "leader"}, "spec": {"leaseDurationSeconds": 0}}, namespace=namespace
        )
    assert caught.value.message == (
        'Lease.coordination.k8s.io "leader" is invalid: spec.leaseDurationSeconds: Invalid value: 0: '
        "must be greater than 0"
    )


async def test_an_event_tells_of_an_object(cluster: Cluster, namespace: str) -> None:
    about = {"apiVersion": "v1", "kind": "ConfigMap", "name": "one", "namespace": namespace}
    event = {
        "metadata": {"name": "one.1"},
        "involvedObject": about,
        "reason": "Testing",
        "message": "It happened.",
        "type": "Normal",
        "count": 1,
    }
    created = await cluster.create(EVENTS, event, namespace=namespace)
    assert created["involvedObject"] == about
    for selector in ("involvedObject.name=one", "reason=Testing,type=Normal", "involvedObject.kind=ConfigMap"):
        page = await cluster.list(EVENTS, namespace=namespace, options=ListOptions(field_selector=selector))
        assert names(page.items) == ["one.1"]


async def test_an_event_stays_in_the_namespace_of_its_object(cluster: Cluster, namespace: str) -> None:
    event = {
        "metadata": {"name": "one.1"},
        "involvedObject": {"apiVersion": "v1", "kind": "ConfigMap", "name": "one", "namespace": "elsewhere"},
    }
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(EVENTS, event, namespace=namespace)
    assert caught.value.message == (
        'Event "one.1" is invalid: involvedObject.namespace: Invalid value: "elsewhere": does not match event.namespace'
    )


async def test_data_of_a_config_map_is_limited_to_one_mebibyte(cluster: Cluster, namespace: str) -> None:
    fits = config_map("fits", {"a": "x" * (1024 * 1024 - 1)})
    await cluster.create(CONFIG_MAPS, fits, namespace=namespace)
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CONFIG_MAPS, config_map("over", {"a": "x" * (1024 * 1024 + 1)}), namespace=namespace)
    assert caught.value.message == 'ConfigMap "over" is invalid: []: Too long: may not be more than 1048576 bytes'


async def test_a_body_over_three_mebibytes_is_refused(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.TooLarge) as caught:
        await cluster.create(CONFIG_MAPS, config_map("over", {"a": "x" * (4 * 1024 * 1024)}), namespace=namespace)
    assert caught.value.message == "Request entity too large: limit is 3145728"
    assert caught.value.reason == "RequestEntityTooLarge"


async def test_annotations_are_limited_to_a_quarter_mebibyte(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(
            CONFIG_MAPS, config_map("over", annotations={"a": "x" * (256 * 1024)}), namespace=namespace
        )
    assert caught.value.message == (
        'ConfigMap "over" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes'
    )
