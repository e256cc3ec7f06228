"""Where we serve what Kubernetes serves, we say of it what a real API server says (recorded in tests/golden)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.embedded.documents.crontabs import crontabs

from landform.embedded import discovery
from landform.embedded.catalog import Catalog
from landform.embedded.definitions import defaulted, established, types_of
from landform.embedded.documents import Documents
from landform.embedded.kinds import builtin_types
from landform.embedded.openapi import v3
from landform.kit.clocks import rfc3339

GOLDEN = Path(__file__).parents[2] / "golden" / "documents"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

CATALOG = Catalog(builtin_types())
for custom_type in types_of(defaulted(crontabs())):
    CATALOG.add(custom_type)


def recorded(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text())


def without_hash(entry: dict[str, Any]) -> dict[str, Any]:
    """A resource without the hash of how Kubernetes stores it."""
    return {key: value for key, value in entry.items() if key != "storageVersionHash"}


DISCOVERY = recorded("discovery")


@pytest.mark.parametrize("path", [path for path, document in DISCOVERY.items() if document["kind"] == "APIGroup"])
def test_a_group_is_described_as_the_real_one(path: str) -> None:
    theirs = DISCOVERY[path]
    served = discovery.groups_in(CATALOG)[theirs["name"]]
    theirs["versions"] = [version for version in theirs["versions"] if version["version"] in served]
    assert discovery.group(CATALOG, theirs["name"]) == theirs


@pytest.mark.parametrize("path", [path for path, doc in DISCOVERY.items() if doc["kind"] == "APIResourceList"])
def test_resources_are_described_as_the_real_ones(path: str) -> None:
    theirs = DISCOVERY[path]
    group, _, version = theirs["groupVersion"].rpartition("/")
    ours = discovery.resource_list(CATALOG, group, version)
    assert ours is not None
    names = [entry["name"] for entry in ours["resources"]]
    known = [without_hash(entry) for entry in theirs["resources"] if entry["name"] in names]
    assert ours == {**theirs, "resources": known}


@pytest.mark.parametrize("path", ["/api", "/apis"])
def test_aggregated_discovery_is_as_the_real_one(path: str) -> None:
    theirs = recorded("aggregated")[path]
    ours = discovery.aggregated(CATALOG, core=path == "/api", document_version="v2")
    theirs["items"] = [_only_served(item) for item in theirs["items"] if _is_served(item)]
    assert ours == theirs


def _is_served(item: dict[str, Any]) -> bool:
    return item["metadata"].get("name", "") in discovery.groups_in(CATALOG)


def _only_served(item: dict[str, Any]) -> dict[str, Any]:
    """A group without the resources and subresources that we do not serve."""
    group = item["metadata"].get("name", "")
    versions = []
    for version in item["versions"]:
        resources = []
        for resource in version["resources"]:
            type_ = CATALOG.find(group, version["version"], resource["resource"])
            if type_ is None:
                continue
            names = {subresource.name for subresource in type_.subresources}
            known = [sub for sub in resource.get("subresources", ()) if sub["subresource"] in names]
            rest = {key: value for key, value in resource.items() if key != "subresources"}
            resources.append({**rest, **({"subresources": known} if known else {})})
        if resources:
            versions.append({**version, "resources": resources})
    return {**item, "versions": versions}


def test_operations_have_the_names_kinds_and_parameters_of_the_real_ones() -> None:
    theirs = recorded("operations")
    compared = 0
    for group, versions in discovery.groups_in(CATALOG).items():
        for version in versions:
            document = v3.document(CATALOG, group, version)
            assert document is not None
            for path, item in document["paths"].items():
                for method in item.keys() - {"parameters"}:
                    _compare_operation(f"{method} {path}", item[method], theirs[f"{method} {path}"])
                    compared += 1
    assert compared > 300


def _compare_operation(name: str, ours: dict[str, Any], theirs: list[Any]) -> None:
    identifier, action, kind, parameters = theirs
    assert (ours["operationId"], ours["x-kubernetes-action"]) == (identifier, action), name
    assert ours["x-kubernetes-group-version-kind"] == kind, name
    our_parameters = {parameter["name"] for parameter in ours.get("parameters", ())}
    # We print no prettier, and the other is a way out for a broken etcd.
    missing = set(parameters) - our_parameters - {"ignoreStoreReadErrorWithClusterBreakingPotential", "pretty"}
    assert not missing, name


def test_a_custom_kind_is_described_as_by_the_real_server() -> None:
    theirs = recorded("schemas")
    name = "com.example.stable.v1.CronTab"
    document = Documents(CATALOG).openapi_v3("stable.example.com", "v1")
    assert document is not None
    assert json.loads(document.body)["components"]["schemas"][name] == theirs["v3"]
    assert json.loads(Documents(CATALOG).openapi_v2().body)["definitions"][name] == theirs["v2"]


def test_a_definition_gets_the_defaults_and_the_status_that_the_real_server_gives() -> None:
    theirs = recorded("definition")
    ours = defaulted(crontabs())
    assert {key: ours["spec"][key] for key in ours["spec"] if key != "versions"} == {
        key: theirs["spec"][key] for key in theirs["spec"] if key != "versions"
    }
    status = established(ours, NOW)
    # The real server accepts the names first and serves a moment later.
    for condition in theirs["status"]["conditions"]:
        condition["lastTransitionTime"] = rfc3339(NOW)
    assert status == theirs["status"]
