"""The OpenAPI documents are complete in themselves and say what clients look for."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.embedded.documents.crontabs import crontabs

from landform.embedded import discovery
from landform.embedded.catalog import Catalog, GroupResource
from landform.embedded.definitions import defaulted, types_of
from landform.embedded.documents import Documents
from landform.embedded.kinds import builtin_types
from landform.embedded.openapi import v2


@pytest.fixture
def catalog() -> Catalog:
    catalog = Catalog(builtin_types())
    for type_ in types_of(defaulted(crontabs())):
        catalog.add(type_)
    return catalog


def v3_document(catalog: Catalog, group: str, version: str) -> dict[str, Any]:
    found = Documents(catalog).openapi_v3(group, version)
    assert found is not None
    content: dict[str, Any] = json.loads(found.body)
    return content


def v2_document(catalog: Catalog) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(Documents(catalog).openapi_v2().body)
    return content


def test_every_reference_of_every_v3_document_is_in_it(catalog: Catalog) -> None:
    for group, versions in discovery.groups_in(catalog).items():
        for version in versions:
            document = v3_document(catalog, group, version)
            named = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))
            assert named <= set(document["components"]["schemas"]), f"{group}/{version}"


def test_every_reference_of_the_v2_document_is_in_it(catalog: Catalog) -> None:
    document = v2_document(catalog)
    named = set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(document)))
    assert named <= {f"#/definitions/{name}" for name in document["definitions"]}


def test_every_patch_takes_field_validation(catalog: Catalog) -> None:
    """kubectl looks at any one patch of a kind to learn whether the server validates fields."""
    for group, version in [("", "v1"), ("apps", "v1"), ("stable.example.com", "v1")]:
        patches = [item["patch"] for item in v3_document(catalog, group, version)["paths"].values() if "patch" in item]
        assert patches
        for patch in patches:
            names = {parameter["name"] for parameter in patch["parameters"]}
            assert {"fieldValidation", "dryRun", "fieldManager", "force"} <= names


def test_operations_name_their_kind_and_action(catalog: Catalog) -> None:
    paths = v3_document(catalog, "apps", "v1")["paths"]
    item = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]
    assert {method: item[method]["x-kubernetes-action"] for method in ("get", "put", "patch", "delete")} == {
        "get": "get", "put": "put", "patch": "patch", "delete": "delete",
    }  # fmt: skip
    assert item["patch"]["operationId"] == "patchAppsV1NamespacedDeployment"
    assert item["patch"]["x-kubernetes-group-version-kind"] == {
        "group": "apps", "kind": "Deployment", "version": "v1",
    }  # fmt: skip
    assert [parameter["name"] for parameter in item["parameters"]] == ["name", "namespace"]
    scale = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"]["get"]
    assert scale["x-kubernetes-group-version-kind"] == {"group": "autoscaling", "kind": "Scale", "version": "v1"}


def test_only_built_in_kinds_take_strategic_patches(catalog: Catalog) -> None:
    strategic = "application/strategic-merge-patch+json"
    for group, name, expected in [("apps", "deployments", True), ("stable.example.com", "crontabs", False)]:
        path = f"/apis/{group}/v1/namespaces/{{namespace}}/{name}/{{name}}"
        content = v3_document(catalog, group, "v1")["paths"][path]["patch"]["requestBody"]["content"]
        assert (strategic in content) is expected


def test_merge_keys_of_built_in_kinds_are_kept_in_both_versions(catalog: Catalog) -> None:
    three = v3_document(catalog, "apps", "v1")["components"]["schemas"]
    two = v2_document(catalog)["definitions"]
    for schemas in (three, two):
        containers = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"]
        assert containers["x-kubernetes-patch-merge-key"] == "name"
        assert containers["x-kubernetes-patch-strategy"] == "merge"


def test_a_custom_kind_is_documented_with_metadata_and_its_list(catalog: Catalog) -> None:
    schemas = v3_document(catalog, "stable.example.com", "v1")["components"]["schemas"]
    crontab = schemas["com.example.stable.v1.CronTab"]
    assert crontab["properties"]["spec"]["properties"]["cronSpec"]["description"] == "When to run."
    assert "ObjectMeta" in json.dumps(crontab["properties"]["metadata"])
    assert crontab["x-kubernetes-group-version-kind"] == [
        {"group": "stable.example.com", "kind": "CronTab", "version": "v1"}
    ]
    assert "com.example.stable.v1.CronTabList" in schemas


def test_the_address_of_a_document_changes_with_its_content_only(catalog: Catalog) -> None:
    before = json.loads(Documents(catalog).openapi_v3_index().body)["paths"]
    changed = defaulted(crontabs())
    changed["spec"]["versions"][1]["schema"]["openAPIV3Schema"]["description"] = "Now different."
    for type_ in types_of(changed):
        catalog.add(type_)
    after = json.loads(Documents(catalog).openapi_v3_index().body)["paths"]
    differing = {path for path in before if before[path] != after[path]}
    assert differing == {"apis/stable.example.com/v1"}


def test_v2_leaves_out_what_it_cannot_say(catalog: Catalog) -> None:
    definitions = v2_document(catalog)["definitions"]
    assert definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]["type"] == "string"
    assert definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"]["type"] == "string"
    strategy = definitions["io.k8s.api.apps.v1.DeploymentSpec"]["properties"]["strategy"]
    assert strategy["$ref"] == "#/definitions/io.k8s.api.apps.v1.DeploymentStrategy"
    spec = definitions["com.example.stable.v1.CronTab"]["properties"]["spec"]["properties"]
    assert "type" not in spec["paused"]
    assert "type" not in spec["extra"]
    assert "anyOf" not in spec["port"]


def test_a_kind_that_takes_anything_has_no_properties_in_v2(catalog: Catalog) -> None:
    definition = defaulted(crontabs())
    definition["spec"]["versions"] = [{"name": "v1", "served": True, "storage": True}]
    catalog.remove(GroupResource("stable.example.com", "crontabs"))
    for type_ in types_of(definition):
        catalog.add(type_)
    assert set(v2_document(catalog)["definitions"]["com.example.stable.v1.CronTab"]) == {
        "type", "x-kubernetes-group-version-kind",
    }  # fmt: skip


def test_a_list_of_unknown_items_has_no_type_in_v2() -> None:
    assert v2.schema_in_v2({"type": "array", "x-kubernetes-preserve-unknown-fields": True, "items": {}}) == {
        "x-kubernetes-preserve-unknown-fields": True
    }


def test_a_required_field_that_may_be_null_is_not_required_in_v2() -> None:
    schema = {
        "type": "object",
        "required": ["a", "b"],
        "properties": {"a": {"type": "string", "nullable": True}, "b": {"type": "string"}},
    }
    assert v2.schema_in_v2(schema)["required"] == ["b"]
