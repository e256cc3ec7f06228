"""What a CRD's schema may say beyond being structural: no foreign words, and ``x-kubernetes-`` words that fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from landform.embedded.schemas import causes
from landform.embedded.schemas.objectmeta import META_FIELDS
from landform.embedded.schemas.schemawords import BRANCHES, Schema

if TYPE_CHECKING:
    from landform.cluster.errors import Cause

_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_UNSUPPORTED = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_LINE_BREAK = re.compile(r"[\n\r]")


@dataclass(frozen=True)
class _Place:
    """What holds where we are in the schema."""

    inside_metadata: bool = False
    no_defaults: str | None = None
    """Why there may be no defaults, if so."""


def check_rules(schema: Schema, path: str) -> list[Cause]:
    """All faults of a schema that is known to use its words with the right types."""
    return list(_check(schema, path, _Place(), is_root=True))


def _check(schema: Schema, path: str, place: _Place, *, is_root: bool = False) -> Iterable[Cause]:
    yield from _check_words(schema, path, place)
    yield from _check_inner(schema, path, place, is_root=is_root)
    yield from _check_map_type(schema, path)
    yield from _check_list_type(schema, path)
    if schema.get("x-kubernetes-list-type") == "map":
        yield from _check_list_map(schema, path)
    if schema.get("x-kubernetes-list-type") in ("map", "set"):
        yield from _check_list_items(schema, path)
    for index, rule in enumerate(schema.get("x-kubernetes-validations") or ()):
        yield from _check_validation(rule, f"{path}.x-kubernetes-validations[{index}]")


def _check_words(schema: Schema, path: str, place: _Place) -> Iterable[Cause]:
    type_ = schema.get("type") or ""
    if type_ and type_ not in _TYPES:
        yield causes.not_supported(f"{path}.type", type_, _TYPES)
    if schema.get("default") is not None and place.no_defaults is not None:
        yield causes.forbidden(f"{path}.default", f"must not be set {place.no_defaults}")
    for word in _UNSUPPORTED:
        if schema.get(word) not in (None, "", {}):
            yield causes.forbidden(f"{path}.{word}", f"{word} is not supported")
    if type_ == "null":
        yield causes.forbidden(f"{path}.type", "type cannot be set to null, use nullable as an alternative")
    if isinstance(schema.get("items"), list):
        yield causes.forbidden(f"{path}.items", "items must be a schema object and not an array")
    if place.inside_metadata and schema.get("x-kubernetes-embedded-resource"):
        yield causes.forbidden(f"{path}.x-kubernetes-embedded-resource", "must not be used inside of resource meta")
    if schema.get("uniqueItems"):
        detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        yield causes.forbidden(f"{path}.uniqueItems", detail)
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        yield causes.invalid(f"{path}.x-kubernetes-preserve-unknown-fields", False, "must be true or undefined")


def _check_inner(schema: Schema, path: str, place: _Place, *, is_root: bool) -> Iterable[Cause]:
    additional, properties = schema.get("additionalProperties"), schema.get("properties") or {}
    if additional is not None:
        if properties and additional is not True:
            detail = "additionalProperties and properties are mutual exclusive"
            yield causes.forbidden(f"{path}.additionalProperties", detail)
        if isinstance(additional, Mapping):
            inner = place
            if place.inside_metadata:
                inner = replace(place, no_defaults="inside additionalProperties applying to object metadata")
            yield from _check(additional, f"{path}.additionalProperties", inner)
    for name, property_ in properties.items():
        inner = place
        if (is_root or schema.get("x-kubernetes-embedded-resource")) and name in META_FIELDS:
            inner = replace(place, inside_metadata=True)
            if is_root:
                inner = replace(inner, no_defaults=f"in top-level {name}")
        yield from _check(property_, f"{path}.properties[{name}]", inner)
    if schema.get("not") is not None:
        yield from _check(schema["not"], f"{path}.not", place)
    for word in BRANCHES:
        for index, branch in enumerate(schema.get(word) or ()):
            yield from _check(branch, f"{path}.{word}[{index}]", place)
    for name, definition in (schema.get("definitions") or {}).items():
        yield from _check(definition, f"{path}.definitions[{name}]", place)
    items = schema.get("items")
    if isinstance(items, Mapping):
        yield from _check(items, f"{path}.items", place)
    for index, item in enumerate(items if isinstance(items, list) else ()):
        yield from _check(item, f"{path}.items[{index}]", place)


def _check_map_type(schema: Schema, path: str) -> Iterable[Cause]:
    map_type, type_ = schema.get("x-kubernetes-map-type"), schema.get("type") or ""
    if map_type is None:
        return
    if type_ != "object":
        detail = "must be object if x-kubernetes-map-type is specified"
        yield causes.invalid(f"{path}.type", type_, detail) if type_ else causes.required(f"{path}.type", detail)
    if map_type not in ("atomic", "granular"):
        yield causes.not_supported(f"{path}.x-kubernetes-map-type", map_type, ("atomic", "granular"))


def _check_list_type(schema: Schema, path: str) -> Iterable[Cause]:
    list_type, type_, where = schema.get("x-kubernetes-list-type"), schema.get("type") or "", f"{path}.type"
    if list_type is not None and type_ != "array":
        detail = "must be array if x-kubernetes-list-type is specified"
        yield causes.invalid(where, type_, detail) if type_ else causes.required(where, detail)
    elif list_type == "set" and isinstance(schema.get("items"), Mapping):
        yield from _check_set_items(schema["items"], f"{path}.items")
    where = f"{path}.x-kubernetes-list-type"
    if list_type is not None and list_type not in ("atomic", "set", "map"):
        yield causes.not_supported(where, list_type, ("atomic", "set", "map"))
    if schema.get("x-kubernetes-list-map-keys") and list_type != "map":
        detail = "must be map if x-kubernetes-list-map-keys is non-empty"
        yield causes.required(where, detail) if list_type is None else causes.invalid(where, list_type, detail)


def _check_set_items(items: Schema, path: str) -> Iterable[Cause]:
    detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
    list_type = items.get("x-kubernetes-list-type")
    if items.get("type") == "array" and list_type not in (None, "atomic"):
        yield causes.invalid(f"{path}.x-kubernetes-list-type", list_type, detail)
    if items.get("type") == "object" and items.get("x-kubernetes-map-type") != "atomic":
        # the API server shows the list type here, whatever the map type is
        yield causes.invalid(f"{path}.x-kubernetes-map-type", list_type, detail)


def _check_list_map(schema: Schema, path: str) -> Iterable[Cause]:
    keys, items, where = schema.get("x-kubernetes-list-map-keys") or [], schema.get("items"), f"{path}.items"
    if not keys:
        detail = "must not be empty if x-kubernetes-list-type is map"
        yield causes.required(f"{path}.x-kubernetes-list-map-keys", detail)
    if items is None:
        yield causes.required(where, "must have a schema if x-kubernetes-list-type is map")
    if not isinstance(items, Mapping):
        return
    type_ = items.get("type") or ""
    if type_ != "object":
        yield causes.invalid(f"{where}.type", type_, "must be object if parent array's x-kubernetes-list-type is map")
        return
    for index, key in enumerate(keys):
        known = (items.get("properties") or {}).get(key)
        if known is None:
            detail = "entries must all be names of item properties"
            yield causes.invalid(f"{path}.x-kubernetes-list-map-keys", keys, detail)
        elif known.get("type") in ("array", "object"):
            detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            yield causes.invalid(f"{where}.properties[{key}].type", type_, detail)
        if key in keys[:index]:
            yield causes.invalid(f"{path}.x-kubernetes-list-map-keys", keys, "must not contain duplicate entries")


def _check_list_items(schema: Schema, path: str) -> Iterable[Cause]:
    """What identifies an item must be there."""
    items, list_type = schema.get("items"), schema["x-kubernetes-list-type"]
    if not isinstance(items, Mapping):
        return
    if items.get("nullable"):
        detail = f"cannot be nullable when x-kubernetes-list-type is {list_type}"
        yield causes.forbidden(f"{path}.items.nullable", detail)
    if list_type != "map":
        return
    for key in schema.get("x-kubernetes-list-map-keys") or ():
        known, where = (items.get("properties") or {}).get(key), f"{path}.items.properties[{key}]"
        if known is None:
            continue
        this = "this property is in x-kubernetes-list-map-keys, so it"
        if key not in (items.get("required") or ()) and known.get("default") is None:
            yield causes.required(f"{where}.default", f"{this} must have a default or be a required property")
        if known.get("nullable"):
            yield causes.forbidden(f"{where}.nullable", f"{this} cannot be nullable")


def _check_validation(rule: Mapping[str, Any], path: str) -> Iterable[Cause]:
    """The outside of a CEL rule; what it says is not understood here."""
    text, message = str(rule.get("rule") or "").strip(), str(rule.get("message") or "")
    if not text:
        yield causes.required(f"{path}.rule", "rule is not specified")
    elif message and not message.strip():
        yield causes.invalid(f"{path}.message", message, "must be non-empty if specified")
    elif _LINE_BREAK.search(message.strip()):
        yield causes.invalid(f"{path}.message", message, "must not contain line breaks")
    elif _LINE_BREAK.search(text) and not message.strip():
        yield causes.required(f"{path}.message", "message must be specified if rule contains line breaks")
    expression = str(rule.get("messageExpression") or "")
    if expression and not expression.strip():
        yield causes.required(f"{path}.messageExpression", "messageExpression must be non-empty if specified")
    if rule.get("reason") is not None and rule["reason"] not in _REASONS:
        yield causes.not_supported(f"{path}.reason", rule["reason"], _REASONS)
