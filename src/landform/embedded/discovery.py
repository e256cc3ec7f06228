"""Discovery: what the API says of the groups, versions and resources it serves, in the API server's words.

Plain documents (``/api``, ``/apis``, ``/apis/GROUP``, ``/apis/GROUP/VERSION``) and the aggregated ones that newer
clients ask for instead. Functions from the catalog to JSON data; `documents` caches what they return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded.definitions import version_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.embedded.catalog import Catalog, ResourceType, Subresource

AGGREGATED_VERSIONS = ("v2", "v2beta1")
"""Versions of the aggregated document, the preferred first; they differ in their name only."""


def aggregated_media_type(version: str) -> str:
    """The media type by which clients ask for an aggregated document and by which it is answered."""
    return f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"


def core_versions(server_address: str) -> dict[str, Any]:
    """``/api``"""
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": server_address}],
    }


def group_list(catalog: Catalog) -> dict[str, Any]:
    """``/apis``"""
    groups = [_group(name, versions) for name, versions in groups_in(catalog).items() if name]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def group(catalog: Catalog, name: str) -> dict[str, Any] | None:
    """``/apis/GROUP``; None if nothing of it is served."""
    versions = groups_in(catalog).get(name)
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)} if name and versions else None


def resource_list(catalog: Catalog, group_name: str, version: str) -> dict[str, Any] | None:
    """``/api/v1`` and ``/apis/GROUP/VERSION``; None if nothing of it is served."""
    types = types_in(catalog, group_name, version)
    if not types:
        return None
    return {
        "kind": "APIResourceList",
        # The core group's own list has none, for clients older than the other groups.
        **({"apiVersion": "v1"} if group_name else {}),
        "groupVersion": _group_version(group_name, version),
        "resources": [entry for type_ in types for entry in _resource_entries(type_)],
    }


def aggregated(catalog: Catalog, *, core: bool, document_version: str) -> dict[str, Any]:
    """The aggregated form of ``/api`` (`core`) or of ``/apis``: all groups with all their resources at once."""
    items = []
    for name, versions in groups_in(catalog).items():
        if (name == "") == core:
            described = [_discovered_version(catalog, name, version) for version in versions]
            items.append({"metadata": {"name": name} if name else {}, "versions": described})
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": f"apidiscovery.k8s.io/{document_version}",
        "metadata": {},
        "items": items,
    }


def root_paths(catalog: Catalog, others: Iterable[str]) -> dict[str, Any]:
    """``/``: every place worth asking for; `others` are those that do not follow from the catalog."""
    paths = {"/api", "/apis", *others}
    for name, versions in groups_in(catalog).items():
        prefix = f"/apis/{name}" if name else "/api"
        paths |= {prefix, *(f"{prefix}/{version}" for version in versions)}
    return {"paths": sorted(paths)}


def groups_in(catalog: Catalog) -> dict[str, list[str]]:
    """Served groups with their versions, preferred first: built-in groups in their order, then others by name."""
    found: dict[str, set[str]] = {}
    built_in: set[str] = set()
    for type_ in catalog:
        found.setdefault(type_.group, set()).add(type_.version)
        if not type_.custom:
            built_in.add(type_.group)
    order = [name for name in found if name in built_in] + sorted(found.keys() - built_in)
    return {name: sorted(found[name], key=version_order) for name in order}


def types_in(catalog: Catalog, group_name: str, version: str) -> list[ResourceType]:
    """The types of one group version, by name."""
    found = (type_ for type_ in catalog if type_.group == group_name and type_.version == version)
    return sorted(found, key=lambda type_: type_.plural)


def _group(name: str, versions: list[str]) -> dict[str, Any]:
    described = [{"groupVersion": _group_version(name, version), "version": version} for version in versions]
    return {"name": name, "versions": described, "preferredVersion": described[0]}


def _group_version(group_name: str, version: str) -> str:
    return f"{group_name}/{version}" if group_name else version


def _resource_entries(type_: ResourceType) -> Iterable[dict[str, Any]]:
    """The resource, then its subresources."""
    entry: dict[str, Any] = {
        "name": type_.plural,
        "singularName": type_.singular,
        "namespaced": type_.namespaced,
        "kind": type_.kind,
        "verbs": list(type_.verbs),
    }
    if type_.short_names:
        entry["shortNames"] = list(type_.short_names)
    if type_.categories:
        entry["categories"] = list(type_.categories)
    yield entry
    for subresource in type_.subresources:
        yield {
            "name": f"{type_.plural}/{subresource.name}",
            "singularName": "",
            "namespaced": type_.namespaced,
            **_foreign_group_version(type_, subresource),
            "kind": subresource.kind,
            "verbs": list(subresource.verbs),
        }


def _foreign_group_version(type_: ResourceType, subresource: Subresource) -> dict[str, str]:
    """Group and version of a subresource's kind, said only where they differ from the resource's."""
    if (subresource.group, subresource.version) == (type_.group, type_.version):
        return {}
    return {"group": subresource.group, "version": subresource.version}


def _discovered_version(catalog: Catalog, group_name: str, version: str) -> dict[str, Any]:
    resources = [_discovered_resource(type_) for type_ in types_in(catalog, group_name, version)]
    return {"version": version, "resources": resources, "freshness": "Current"}


def _discovered_resource(type_: ResourceType) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "resource": type_.plural,
        "responseKind": _response_kind(type_, type_),
        "scope": "Namespaced" if type_.namespaced else "Cluster",
        "singularResource": type_.singular,
        "verbs": list(type_.verbs),
    }
    if type_.short_names:
        entry["shortNames"] = list(type_.short_names)
    if type_.categories:
        entry["categories"] = list(type_.categories)
    if type_.subresources:
        entry["subresources"] = [
            {
                "subresource": subresource.name,
                "responseKind": _response_kind(type_, subresource),
                "verbs": list(subresource.verbs),
            }
            for subresource in type_.subresources
        ]
    return entry


def _response_kind(type_: ResourceType, answered: ResourceType | Subresource) -> dict[str, str]:
    """The kind that is answered; group and version of a built-in kind are said only where they differ."""
    foreign = (answered.group, answered.version) != (type_.group, type_.version)
    said = type_.custom or foreign
    return {
        "group": answered.group if said else "",
        "version": answered.version if said else "",
        "kind": answered.kind,
    }
