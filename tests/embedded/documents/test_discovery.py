"""Discovery says what is served, in both forms and the same in both."""

from __future__ import annotations

from typing import Any

import pytest
from tests.embedded.documents.crontabs import crontabs

from landform.embedded import discovery
from landform.embedded.catalog import Catalog, GroupResource
from landform.embedded.definitions import defaulted, types_of
from landform.embedded.documents import Documents
from landform.embedded.kinds import builtin_types


@pytest.fixture
def catalog() -> Catalog:
    catalog = Catalog(builtin_types())
    for type_ in types_of(defaulted(crontabs())):
        catalog.add(type_)
    return catalog


def entries(catalog: Catalog, group: str, version: str) -> dict[str, dict[str, Any]]:
    found = discovery.resource_list(catalog, group, version)
    assert found is not None
    return {entry["name"]: entry for entry in found["resources"]}


def test_the_core_group_stands_apart_from_the_others(catalog: Catalog) -> None:
    assert discovery.core_versions("127.0.0.1:6443")["versions"] == ["v1"]
    assert "" not in [group["name"] for group in discovery.group_list(catalog)["groups"]]


def test_custom_groups_follow_the_built_in_ones(catalog: Catalog) -> None:
    names = [group["name"] for group in discovery.group_list(catalog)["groups"]]
    assert names[:2] == ["apiregistration.k8s.io", "apps"]
    assert names[-1] == "stable.example.com"


def test_a_group_names_its_preferred_version(catalog: Catalog) -> None:
    assert discovery.group(catalog, "stable.example.com") == {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": "stable.example.com",
        "versions": [
            {"groupVersion": "stable.example.com/v1", "version": "v1"},
            {"groupVersion": "stable.example.com/v1beta1", "version": "v1beta1"},
        ],
        "preferredVersion": {"groupVersion": "stable.example.com/v1", "version": "v1"},
    }
    autoscaling = discovery.group(catalog, "autoscaling")
    assert autoscaling is not None
    assert autoscaling["preferredVersion"]["version"] == "v2"


def test_what_is_not_served_has_no_document(catalog: Catalog) -> None:
    assert discovery.group(catalog, "nobody.example.com") is None
    assert discovery.group(catalog, "") is None
    assert discovery.resource_list(catalog, "apps", "v2") is None


def test_a_resource_is_listed_with_its_subresources(catalog: Catalog) -> None:
    listed = entries(catalog, "apps", "v1")
    assert listed["deployments"] == {
        "name": "deployments",
        "singularName": "deployment",
        "namespaced": True,
        "kind": "Deployment",
        "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        "shortNames": ["deploy"],
        "categories": ["all"],
    }
    assert listed["deployments/status"]["kind"] == "Deployment"
    scale = listed["deployments/scale"]
    assert (scale["group"], scale["version"], scale["kind"]) == ("autoscaling", "v1", "Scale")


def test_the_core_group_lists_token_requests_but_nothing_that_needs_a_node(catalog: Catalog) -> None:
    listed = entries(catalog, "", "v1")
    assert listed["serviceaccounts/token"]["kind"] == "TokenRequest"
    assert listed["namespaces/finalize"]["verbs"] == ["update"]
    assert [name for name in listed if name.startswith("pods/")] == ["pods/status"]


@pytest.mark.parametrize("document_version", discovery.AGGREGATED_VERSIONS)
def test_the_aggregated_form_says_the_same_as_the_plain_one(catalog: Catalog, document_version: str) -> None:
    core = discovery.aggregated(catalog, core=True, document_version=document_version)
    rest = discovery.aggregated(catalog, core=False, document_version=document_version)
    assert core["apiVersion"] == f"apidiscovery.k8s.io/{document_version}"
    seen = []
    for item in core["items"] + rest["items"]:
        group = item["metadata"].get("name", "")
        for version in item["versions"]:
            names = set()
            for resource in version["resources"]:
                subresources = [sub["subresource"] for sub in resource.get("subresources", ())]
                names |= {resource["resource"], *(f"{resource['resource']}/{name}" for name in subresources)}
            assert names == set(entries(catalog, group, version["version"]))
            seen.append((group, version["version"]))
    assert seen == [
        (group, version) for group, versions in discovery.groups_in(catalog).items() for version in versions
    ]


def test_a_new_definition_shows_at_once_and_a_removed_one_no_longer(catalog: Catalog) -> None:
    documents = Documents(catalog)
    before = documents.aggregated(core=False, document_version="v2")
    assert documents.aggregated(core=False, document_version="v2") is before
    catalog.remove(GroupResource("stable.example.com", "crontabs"))
    after = documents.aggregated(core=False, document_version="v2")
    assert before.etag != after.etag
    assert b"crontabs" in before.body
    assert b"crontabs" not in after.body
    assert documents.group("stable.example.com") is None


def test_the_root_lists_every_group_version(catalog: Catalog) -> None:
    paths = discovery.root_paths(catalog, ["/version"])["paths"]
    assert {"/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/version"} <= set(paths)
    assert paths == sorted(paths)
