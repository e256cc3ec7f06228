"""OpenAPI v2 (Swagger): one document for everything, for clients that know nothing newer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded.kinds.library import library
from landform.embedded.openapi.operations import Operation, list_definition_of, operations_of
from landform.embedded.openapi.v3 import list_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.embedded.catalog import Catalog

_DEFINITIONS = "#/definitions/"
_NOT_IN_V2 = {"allOf", "oneOf", "anyOf", "not", "nullable", "default"}


def document(catalog: Catalog) -> dict[str, Any]:
    """``/openapi/v2``"""
    paths: dict[str, Any] = {}
    for type_ in catalog:
        for operation in operations_of(type_):
            item = paths.setdefault(operation.path, {"parameters": _path_parameters(operation)})
            item[operation.method] = _operation(operation)
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": library().kubernetes},
        "paths": dict(sorted(paths.items())),
        "definitions": _definitions(catalog),
    }


def _definitions(catalog: Catalog) -> dict[str, Any]:
    known = library()
    found = {name: schema_in_v2(known[name]) for name in known}
    for type_ in catalog:
        if type_.custom:
            found[type_.definition_name] = _custom_schema(type_.openapi)
            found[list_definition_of(type_)] = schema_in_v2(list_schema(type_))
    return dict(sorted(found.items()))


def _custom_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A custom kind; one that takes anything has no properties, else kubectl would refuse all others."""
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        key = "x-kubernetes-group-version-kind"
        return {"type": "object", key: schema[key]}
    return schema_in_v2(schema)


def schema_in_v2(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without what v2 cannot say, and so that kubectl understands it.

    kubectl cannot cope with properties or items where anything or null is allowed, nor with a list of unknown items.
    """
    written = {key: value for key, value in schema.items() if key not in _NOT_IN_V2}
    if reference := _reference_in(schema):
        return {**written, "$ref": _DEFINITIONS + reference}
    if schema.get("format") == "int-or-string" or (schema.get("oneOf") and "type" not in schema):
        written["type"] = "string"
    vague = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    if schema.get("nullable") or vague:
        for key in ("items", "properties"):
            written.pop(key, None)
    if schema.get("nullable") or (vague and schema.get("type") == "object"):
        written.pop("type", None)
    if written.get("type") == "array" and "items" not in written:
        del written["type"]
    _convert_inside(written)
    return written


def _convert_inside(written: dict[str, Any]) -> None:
    """Convert the schemas inside a schema; a field that may be null is not required."""
    if properties := written.get("properties"):
        written["properties"] = {name: schema_in_v2(inner) for name, inner in properties.items()}
        required = [name for name in written.get("required", ()) if not properties.get(name, {}).get("nullable")]
        written.pop("required", None)
        if required:
            written["required"] = required
    for key in ("items", "additionalProperties"):
        if isinstance(written.get(key), dict):
            written[key] = schema_in_v2(written[key])


def _reference_in(schema: Mapping[str, Any]) -> str:
    """The definition a schema refers to, directly or as its only ``allOf``."""
    alternatives: list[Mapping[str, Any]] = schema.get("allOf") or []
    alone = alternatives[0] if len(alternatives) == 1 else {}
    reference: str = schema.get("$ref") or alone.get("$ref", "")
    return reference.rpartition("/")[2]


def _operation(operation: Operation) -> dict[str, Any]:
    parameters = [_parameter("query", name, type_) for name, type_ in (operation.query or {}).items()]
    if operation.body:
        body = {"$ref": _DEFINITIONS + operation.body}
        parameters.insert(0, {"name": "body", "in": "body", "required": True, "schema": body})
    return {
        "operationId": operation.id,
        "consumes": list(operation.consumes),
        "produces": ["application/json"],
        "parameters": parameters,
        "responses": {
            "200": {"description": "OK", "schema": {"$ref": _DEFINITIONS + operation.answer}},
            "401": {"description": "Unauthorized"},
        },
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": {
            "group": operation.group,
            "kind": operation.kind,
            "version": operation.version,
        },
    }


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    return [{**_parameter("path", name, "string"), "required": True} for name in operation.path_parameters]


def _parameter(place: str, name: str, type_: str) -> dict[str, Any]:
    return {"name": name, "in": place, "type": type_, "uniqueItems": True}
