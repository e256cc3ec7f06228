"""Rules of single kinds beyond their schema, and options that do not go together."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
from tests.contract.objects import DEPLOYMENTS, config_map, widget

from landform.cluster import errors
from landform.cluster.interface import PatchType, WriteOptions
from landform.cluster.resources import (
    CONFIG_MAPS,
    CUSTOM_RESOURCE_DEFINITIONS,
    EVENTS,
    LEASES,
    NAMESPACES,
    SECRETS,
    untyped,
)

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured

RBAC = "rbac.authorization.k8s.io"
ROLES = untyped(f"{RBAC}/v1", "Role", "roles")
ROLE_BINDINGS = untyped(f"{RBAC}/v1", "RoleBinding", "rolebindings")
OTHER_UID = "11111111-2222-3333-4444-555555555555"
READS = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
DEPLOYMENT = {
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 0,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "web:1"}]},
        },
    },
}


def encoded(text: str) -> str:
    """As a Secret holds it."""
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("type", "data"),
    [
        ("kubernetes.io/basic-auth", {"username": "me"}),
        ("kubernetes.io/ssh-auth", {"ssh-privatekey": "key"}),
        ("kubernetes.io/dockercfg", {".dockercfg": "{}"}),
        ("landform.test/own", {}),
    ],
)
async def test_a_secret_with_the_keys_of_its_type_is_fine(
    cluster: Cluster, namespace: str, type: str, data: dict[str, str]
) -> None:
    secret = {"metadata": {"name": "one"}, "type": type, "data": {key: encoded(text) for key, text in data.items()}}
    assert (await cluster.create(SECRETS, secret, namespace=namespace))["type"] == type


async def test_the_credentials_of_a_registry_are_json(cluster: Cluster, namespace: str) -> None:
    secret = {
        "metadata": {"name": "one"},
        "type": "kubernetes.io/dockerconfigjson",
        "data": {".dockerconfigjson": encoded("secret words")},
    }
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(SECRETS, secret, namespace=namespace)
    (cause,) = caught.value.causes
    assert (cause.reason, cause.field) == ("FieldValueInvalid", "data[.dockerconfigjson]")
    assert cause.message.startswith('Invalid value: "<secret contents redacted>": ')


async def test_a_token_of_a_service_account_names_the_account(cluster: Cluster, namespace: str) -> None:
    secret = {"metadata": {"name": "one"}, "type": "kubernetes.io/service-account-token"}
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(SECRETS, secret, namespace=namespace)
    field = "metadata.annotations[kubernetes.io/service-account.name]"
    assert errors.Cause("FieldValueRequired", "Required value", field) in caught.value.causes


async def test_data_of_a_secret_is_limited_to_one_mebibyte(cluster: Cluster, namespace: str) -> None:
    fits = {"metadata": {"name": "fits"}, "data": {"a": base64.b64encode(bytes(1024 * 1024)).decode()}}
    await cluster.create(SECRETS, fits, namespace=namespace)
    over = {"metadata": {"name": "over"}, "data": {"a": base64.b64encode(bytes(1024 * 1024 + 1)).decode()}}
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(SECRETS, over, namespace=namespace)
    assert caught.value.message == 'Secret "over" is invalid: data: Too long: may not be more than 1048576 bytes'


@pytest.mark.parametrize("key", ["a" * 254, "..a", "."])
async def test_a_key_is_neither_too_long_nor_a_way_out(cluster: Cluster, namespace: str, key: str) -> None:
    rule = {
        ".": "must not be '.'",
        "..a": "must not start with '..'",
    }.get(key, "must be no more than 253 characters")
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CONFIG_MAPS, config_map("one", {key: "1"}), namespace=namespace)
    assert caught.value.message == f'ConfigMap "one" is invalid: data[{key}]: Invalid value: "{key}": {rule}'


async def test_a_lease_cannot_have_changed_hands_a_negative_number_of_times(cluster: Cluster, namespace: str) -> None:
    lease = {"metadata": {"name": "leader"}, "spec": {"leaseTransitions": -1}}
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(LEASES, lease, namespace=namespace)
    assert caught.value.message == (
        'Lease.coordination.k8s.io "leader" is invalid: spec.leaseTransitions: Invalid value: -1: '
        "must be greater than or equal to 0"
    )


async def test_an_event_about_a_cluster_wide_object_stays_in_the_default_namespace(
    cluster: Cluster, namespace: str
) -> None:
    about = {"apiVersion": "v1", "kind": "Namespace", "name": namespace}
    event = {"metadata": {"generateName": "about."}, "involvedObject": about}
    await cluster.create(EVENTS, event, namespace="default")
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(EVENTS, event, namespace=namespace)
    assert [(cause.field, cause.message) for cause in caught.value.causes] == [
        ("involvedObject.namespace", 'Invalid value: "": does not match event.namespace')
    ]


async def test_a_role_says_what_may_be_done_to_what(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(ROLES, {"metadata": {"name": "one"}, "rules": [{"apiGroups": [""]}]}, namespace=namespace)
    assert caught.value.message == (
        f'Role.{RBAC} "one" is invalid: [rules[0].verbs: Required value: verbs must contain at least one value, '
        "rules[0].resources: Required value: resource rules must supply at least one resource]"
    )


async def test_a_binding_keeps_its_role(cluster: Cluster, namespace: str) -> None:
    await cluster.create(ROLES, {"metadata": {"name": "one"}, "rules": [READS]}, namespace=namespace)
    binding = {
        "metadata": {"name": "one"},
        "roleRef": {"kind": "Role", "name": "one"},
        "subjects": [{"kind": "User", "name": "jane"}, {"kind": "ServiceAccount", "name": "robot"}],
    }
    created = await cluster.create(ROLE_BINDINGS, binding, namespace=namespace)
    assert created["roleRef"] == {"apiGroup": RBAC, "kind": "Role", "name": "one"}
    assert created["subjects"] == [
        {"apiGroup": RBAC, "kind": "User", "name": "jane"},
        # Kubernetes writes down where an account is that is named without a namespace; Landform reads it so.
        {"kind": "ServiceAccount", "name": "robot", **_namespace_of(created["subjects"][1])},
    ]
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(ROLE_BINDINGS, "one", {"roleRef": {"name": "two"}}, namespace=namespace)
    assert caught.value.causes[0].field == "roleRef"
    assert caught.value.message.endswith(": cannot change roleRef")


def _namespace_of(subject: Unstructured) -> Unstructured:
    return {key: value for key, value in subject.items() if key == "namespace"}


async def test_a_manager_has_a_printable_name(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(
            CONFIG_MAPS, config_map("one"), namespace=namespace, options=WriteOptions(field_manager="a\tb")
        )
    assert caught.value.message == (
        'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\tb": '
        "invalid character U+0009 (at position 1)"
    )


async def test_an_apply_for_an_object_that_is_gone_does_not_create_another(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.Conflict) as caught:
        await cluster.patch(
            CONFIG_MAPS,
            "one",
            config_map("one", uid=OTHER_UID),
            namespace=namespace,
            type=PatchType.APPLY,
            options=WriteOptions(field_manager="tester"),
        )
    assert caught.value.message == (
        f'Operation cannot be fulfilled on configmaps "one": uid mismatch: the provided object specified uid '
        f"{OTHER_UID}, and no existing object was found"
    )


@pytest.mark.parametrize(
    ("type", "patch"),
    [
        (PatchType.MERGE, {"spec": {"replicas": 3}}),
        (PatchType.JSON, [{"op": "replace", "path": "/spec/replicas", "value": 3}]),
    ],
    ids=["merge", "json"],
)
async def test_a_scale_can_be_patched(cluster: Cluster, namespace: str, type: PatchType, patch: Any) -> None:
    await cluster.create(DEPLOYMENTS, DEPLOYMENT, namespace=namespace)
    scale = WriteOptions(subresource="scale")
    scaled = await cluster.patch(DEPLOYMENTS, "web", patch, namespace=namespace, type=type, options=scale)
    assert (scaled["kind"], scaled["spec"]) == ("Scale", {"replicas": 3})
    assert (await cluster.get(DEPLOYMENTS, "web", namespace=namespace))["spec"]["replicas"] == 3


async def test_a_finalizer_of_a_custom_object_may_be_any_name(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one", finalizers=["unqualified"]), namespace=namespace)
    assert created["metadata"]["finalizers"] == ["unqualified"]
    await cluster.patch(widgets, "one", {"metadata": {"finalizers": None}}, namespace=namespace)


async def test_the_ways_of_deletion_exclude_each_other(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(widgets, widget("one", finalizers=["orphan", "foregroundDeletion"]), namespace=namespace)
    assert caught.value.message == (
        'Widget.contract.landform.test "one" is invalid: metadata.finalizers: Invalid value: '
        '["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set'
    )


async def test_labels_that_are_emptied_are_gone(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    for resource, obj in ((CONFIG_MAPS, config_map("one")), (widgets, widget("one"))):
        obj["metadata"] |= {"labels": {"a": "b"}, "annotations": {}, "ownerReferences": []}
        created = await cluster.create(resource, obj, namespace=namespace)
        assert not {"annotations", "ownerReferences"} & created["metadata"].keys()
        patched = await cluster.patch(resource, "one", {"metadata": {"labels": {"a": None}}}, namespace=namespace)
        assert "labels" not in patched["metadata"]


@pytest.mark.parametrize("patch", [{"metadata": None}, {"metadata": {"name": None}}], ids=["no-metadata", "no-name"])
async def test_a_patch_cannot_take_an_objects_name(cluster: Cluster, namespace: str, patch: Unstructured) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.patch(CONFIG_MAPS, "one", patch, namespace=namespace)
    assert caught.value.message == (
        "the name of the object (one based on URL) was undeterminable: name must be provided"
    )


async def test_an_applied_object_has_a_name(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.patch(
            CONFIG_MAPS,
            "one",
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}},
            namespace=namespace,
            type=PatchType.APPLY,
            options=WriteOptions(field_manager="tester"),
        )
    assert caught.value.message == (
        "the name of the object (one based on URL) was undeterminable: name must be provided"
    )


async def test_the_beginning_of_a_generated_name_has_to_fit(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    for resource in (CONFIG_MAPS, widgets):
        with pytest.raises(errors.Invalid) as caught:
            await cluster.create(resource, {"metadata": {"generateName": "Bad_"}}, namespace=namespace)
        assert [cause.field for cause in caught.value.causes] == ["metadata.generateName", "metadata.name"]


async def test_the_beginning_of_a_generated_name_may_be_changed_afterwards(cluster: Cluster, namespace: str) -> None:
    await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    patched = await cluster.patch(CONFIG_MAPS, "one", {"metadata": {"generateName": "x-"}}, namespace=namespace)
    assert patched["metadata"]["generateName"] == "x-"


@pytest.mark.parametrize(
    ("owner", "fault"),
    [
        (
            {"apiVersion": "v1", "kind": "Event", "name": "x", "uid": "y"},
            'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"x","uid":"y"}: '
            "/v1, Kind=Event is disallowed from being an owner",
        ),
        (
            {"apiVersion": "a/b/c", "kind": "Pod", "name": "x", "uid": "y"},
            'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
        ),
    ],
    ids=["event", "no-version"],
)
async def test_not_everything_can_be_an_owner(
    cluster: Cluster, namespace: str, owner: Unstructured, fault: str
) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CONFIG_MAPS, config_map("one", ownerReferences=[owner]), namespace=namespace)
    assert caught.value.message == f'ConfigMap "one" is invalid: {fault}'


async def test_the_phase_of_a_namespace_follows_its_deletion(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(
            NAMESPACES, namespace, {"status": {"phase": "Terminating"}}, options=WriteOptions(subresource="status")
        )
    assert caught.value.message == (
        f'Namespace "{namespace}" is invalid: status.Phase: Invalid value: "Terminating": '
        "may only be 'Active' if `deletionTimestamp` is empty"
    )


async def test_nothing_has_less_than_no_replicas(cluster: Cluster, namespace: str) -> None:
    await cluster.create(DEPLOYMENTS, DEPLOYMENT, namespace=namespace)
    assert (await cluster.get(DEPLOYMENTS, "web", namespace=namespace, subresource="scale"))["spec"] == {}
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(
            DEPLOYMENTS,
            "web",
            {"spec": {"replicas": -1}},
            namespace=namespace,
            options=WriteOptions(subresource="scale"),
        )
    assert caught.value.message == (
        'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'
    )


async def test_whoever_writes_the_status_of_a_built_in_kind_may_leave_a_note_and_a_hold(
    cluster: Cluster, namespace: str
) -> None:
    await cluster.create(DEPLOYMENTS, DEPLOYMENT, namespace=namespace)
    metadata = {"labels": {"x": "y"}, "annotations": {"x": "y"}, "finalizers": ["a.test/a"]}
    patch = {"metadata": metadata, "spec": {"replicas": 3}, "status": {"observedGeneration": 1}}
    status = WriteOptions(subresource="status")
    patched = await cluster.patch(DEPLOYMENTS, "web", patch, namespace=namespace, options=status)
    assert patched["metadata"]["annotations"]["x"] == "y"
    assert patched["metadata"]["finalizers"] == ["a.test/a"]
    assert "labels" not in patched["metadata"]
    assert patched["spec"]["replicas"] == 0
    await cluster.patch(DEPLOYMENTS, "web", {"metadata": {"finalizers": None}}, namespace=namespace)


async def test_a_definition_without_content_is_told_all_that_it_lacks(cluster: Cluster) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, {"metadata": {"name": "wrong"}, "spec": {"versions": []}})
    assert {"metadata.name", "spec.group", "spec.scope", "spec.names.plural", "spec.names.kind"} < {
        cause.field for cause in caught.value.causes
    }
