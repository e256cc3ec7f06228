"""The built-in kinds are those of Kubernetes, with schemas that can be walked."""

from __future__ import annotations

import pytest

from landform.embedded.catalog import Catalog, GroupResource, ResourceType
from landform.embedded.kinds import builtin_types
from landform.embedded.kinds.fields import value_of
from landform.embedded.kinds.library import library
from landform.embedded.schemas.nodes import ListType, Node

CATALOG = Catalog(builtin_types())


def type_of(group: str, version: str, plural: str) -> ResourceType:
    found = CATALOG.find(group, version, plural)
    assert found is not None
    return found


def at(type_: ResourceType, *path: str) -> Node:
    node = type_.schema
    for name in path:
        child = node.items if name == "[]" else node.child(name)
        assert child is not None, f"no {name} in {path}"
        node = child
    return node


def test_names_are_those_that_kubectl_users_type() -> None:
    deployments = type_of("apps", "v1", "deployments")
    assert (deployments.kind, deployments.singular, deployments.list_kind) == (
        "Deployment", "deployment", "DeploymentList",
    )  # fmt: skip
    assert deployments.short_names == ("deploy",)
    assert deployments.categories == ("all",)
    assert deployments.namespaced
    assert not type_of("", "v1", "namespaces").namespaced


def test_the_preferred_version_of_autoscaling_is_v2() -> None:
    versions = CATALOG.versions(GroupResource("autoscaling", "horizontalpodautoscalers"))
    assert [type_.version for type_ in versions] == ["v2", "v1"]


@pytest.mark.parametrize(
    ("plural", "subresources"),
    [
        ("deployments", ["scale", "status"]),
        ("daemonsets", ["status"]),
        ("controllerrevisions", []),
    ],
)
def test_subresources_are_listed(plural: str, subresources: list[str]) -> None:
    type_ = type_of("apps", "v1", plural)
    assert [subresource.name for subresource in type_.subresources] == subresources
    assert type_.status == ("status" in subresources)
    assert (type_.scale is not None) == ("scale" in subresources)


def test_pods_have_no_subresources_that_need_a_node() -> None:
    assert [subresource.name for subresource in type_of("", "v1", "pods").subresources] == ["status"]


def test_subresources_may_answer_kinds_of_other_groups() -> None:
    (token,) = type_of("", "v1", "serviceaccounts").subresources
    assert (token.name, token.group, token.version, token.kind) == (
        "token", "authentication.k8s.io", "v1", "TokenRequest",
    )  # fmt: skip


def test_reviews_can_only_be_created() -> None:
    for plural in ("subjectaccessreviews", "selfsubjectaccessreviews", "selfsubjectrulesreviews"):
        assert type_of("authorization.k8s.io", "v1", plural).verbs == ("create",)


def test_schemas_know_how_lists_are_merged() -> None:
    containers = at(type_of("apps", "v1", "deployments"), "spec", "template", "spec", "containers")
    assert (containers.list_type, containers.list_map_keys) == (ListType.MAP, ("name",))
    assert (containers.patch_strategies, containers.patch_merge_key) == (("merge",), "name")


def test_what_stands_beside_a_reference_adds_to_what_it_names() -> None:
    strategy = at(type_of("apps", "v1", "deployments"), "spec", "strategy")
    assert strategy.patch_strategies == ("retainKeys",)
    assert strategy.type == "object"
    assert "rollingUpdate" in strategy.properties
    assert strategy.schema["type"] == "object"


def test_only_defaults_with_a_value_are_kept() -> None:
    ports = at(type_of("", "v1", "pods"), "spec", "containers", "[]", "ports", "[]")
    assert ports.properties["protocol"].default == "TCP"
    assert not ports.properties["containerPort"].has_default
    assert not at(type_of("", "v1", "pods"), "spec").has_default


def test_a_recursive_schema_can_be_walked_as_deep_as_one_likes() -> None:
    schema = at(type_of("apiextensions.k8s.io", "v1", "customresourcedefinitions"), "spec", "versions", "[]", "schema")
    node = schema.properties["openAPIV3Schema"]
    for _ in range(50):
        inner = node.properties["properties"].additional
        assert inner is not None
        node = inner
    assert node.properties["default"].preserve_unknown
    assert node.properties["items"].preserve_unknown


def test_maps_that_go_reads_by_hand_keep_everything() -> None:
    managed = at(type_of("", "v1", "configmaps"), "metadata", "managedFields", "[]", "fieldsV1")
    assert managed.preserve_unknown


def test_numbers_or_texts_are_known_as_such() -> None:
    assert at(type_of("", "v1", "services"), "spec", "ports", "[]", "targetPort").int_or_string


def test_every_reference_names_a_definition_that_is_there() -> None:
    known = library()
    assert set(known.closure(known)) == set(known)


def test_every_builtin_schema_is_an_object_with_metadata() -> None:
    for type_ in CATALOG:
        if "get" in type_.verbs:
            assert {"apiVersion", "kind", "metadata"} <= set(type_.schema.properties), type_.plural


@pytest.mark.parametrize(
    ("resource", "label", "obj", "value"),
    [
        (("", "pods"), "spec.nodeName", {"spec": {"nodeName": "n"}}, "n"),
        (("", "pods"), "spec.hostNetwork", {"spec": {"hostNetwork": True}}, "true"),
        (("", "pods"), "spec.hostNetwork", {"spec": {}}, "false"),
        (("batch", "jobs"), "status.successful", {"status": {"succeeded": 2}}, "2"),
        (("batch", "jobs"), "status.successful", {}, "0"),
        (("", "events"), "source", {"source": {"component": "kubelet"}}, "kubelet"),
        (("", "events"), "source", {"source": {}, "reportingComponent": "new"}, "new"),
        (("events.k8s.io", "events"), "regarding.name", {"involvedObject": {"name": "one"}}, "one"),
        (("events.k8s.io", "events"), "reportingController", {"reportingComponent": "new"}, "new"),
        (("", "secrets"), "type", {}, ""),
    ],
)
def test_the_value_of_a_selectable_field_is_where_the_api_server_looks(
    resource: tuple[str, str], label: str, obj: dict[str, object], value: str
) -> None:
    group, plural = resource
    assert label in type_of(group, "v1", plural).selectable_fields
    assert value_of(group, plural, label, obj) == value
