"""OpenAPI v3: an index, and one document per group version."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec

from landform.embedded import discovery
from landform.embedded.kinds.library import META, library
from landform.embedded.openapi.operations import Operation, list_definition_of, operations_of, prefix_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.embedded.catalog import Catalog, ResourceType

_SCHEMAS = "#/components/schemas/"


def index(catalog: Catalog) -> dict[str, Any]:
    """``/openapi/v3``: where the documents are. The hash in an address changes with the document."""
    paths = {}
    for group, versions in discovery.groups_in(catalog).items():
        for version in versions:
            path = prefix_of(group, version)
            digest = fingerprint(discovery.types_in(catalog, group, version))
            paths[path[1:]] = {"serverRelativeURL": f"/openapi/v3{path}?hash={digest}"}
    return {"paths": paths}


def fingerprint(types: list[ResourceType]) -> str:
    """Changes whenever the document of these types does; far cheaper than making the document."""
    digest = hashlib.sha256(library().kubernetes.encode())
    for type_ in types:
        facts = (type_.definition_name, type_.plural, type_.namespaced, [sub.name for sub in type_.subresources])
        digest.update(msgspec.json.encode((facts, type_.openapi), order="sorted"))
    return digest.hexdigest()[:40].upper()


def document(catalog: Catalog, group: str, version: str) -> dict[str, Any] | None:
    """``/openapi/v3/apis/GROUP/VERSION``; None if nothing of it is served."""
    types = discovery.types_in(catalog, group, version)
    if not types:
        return None
    paths: dict[str, Any] = {}
    for type_ in types:
        for operation in operations_of(type_):
            item = paths.setdefault(operation.path, {"parameters": _path_parameters(operation)})
            item[operation.method] = _operation(operation)
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": library().kubernetes},
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": schemas_of(types),
            "securitySchemes": {
                "BearerToken": {
                    "description": "Bearer Token authentication",
                    "in": "header",
                    "name": "authorization",
                    "type": "apiKey",
                }
            },
        },
    }


def schemas_of(types: list[ResourceType]) -> dict[str, Any]:
    """The definitions that the documents of these types need: texts of built-in ones, data of custom ones."""
    own: dict[str, Any] = {}
    for type_ in types:
        if type_.custom:
            own[type_.definition_name] = type_.openapi
            own[list_definition_of(type_)] = list_schema(type_)
    named = {
        name
        for type_ in types
        for operation in operations_of(type_)
        for name in (operation.answer, operation.body)
        if name
    }
    # Every custom kind has metadata; a watch answers WatchEvents.
    built_in = (named - own.keys()) | {META + "ObjectMeta", META + "ListMeta", META + "WatchEvent"}
    known = library()
    return {**own, **{name: known.raw(name) for name in known.closure(built_in)}}


def list_schema(type_: ResourceType) -> dict[str, Any]:
    """The definition of a custom type's list."""
    described = library()["io.k8s.api.core.v1.ConfigMapList"]["properties"]
    items = {"type": "array", "items": {"$ref": _SCHEMAS + type_.definition_name}}
    gvk = {"group": type_.group, "kind": type_.list_kind, "version": type_.version}
    return {
        "description": f"{type_.list_kind} is a list of {type_.kind}",
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": described["apiVersion"],
            "items": {"description": f"List of {type_.plural}.", **items},
            "kind": described["kind"],
            "metadata": described["metadata"],
        },
        "x-kubernetes-group-version-kind": [gvk],
    }


def _operation(operation: Operation) -> dict[str, Any]:
    answer = {"schema": {"$ref": _SCHEMAS + operation.answer}}
    written: dict[str, Any] = {
        "operationId": operation.id,
        "tags": [_tag(operation)],
        "responses": {
            "200": {"description": "OK", "content": {"application/json": answer}},
            "401": {"description": "Unauthorized"},
        },
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": {
            "group": operation.group,
            "kind": operation.kind,
            "version": operation.version,
        },
    }
    if operation.query:
        written["parameters"] = [_parameter("query", name, type_) for name, type_ in operation.query.items()]
    if operation.body:
        body = {"schema": {"$ref": _SCHEMAS + operation.body}}
        written["requestBody"] = {"content": dict.fromkeys(operation.consumes, body)}
    return written


def _tag(operation: Operation) -> str:
    group = operation.group.removesuffix(".k8s.io").replace(".", "_") or "core"
    return f"{group}_{operation.version}"


def _path_parameters(operation: Operation) -> list[Mapping[str, Any]]:
    names = operation.path_parameters
    return [{**_parameter("path", name, "string"), "required": True} for name in names]


def _parameter(place: str, name: str, type_: str) -> dict[str, Any]:
    return {"name": name, "in": place, "schema": {"type": type_, "uniqueItems": True}}
