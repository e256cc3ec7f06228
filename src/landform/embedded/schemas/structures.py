"""Whether a CRD's schema is structural: types are given at each level, value checks only narrow what is there.

The faults are those of the API server, sorted by their text as it does.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from landform.embedded.schemas import causes, patterns
from landform.embedded.schemas.schemawords import BRANCHES, Schema
from landform.kit.regex.errors import RegexError

if TYPE_CHECKING:
    from landform.cluster.errors import Cause

_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]

_EMPTY_WHEN_NESTED = {
    "type": "must be empty to be structural",
    "additionalProperties": "must be undefined to be structural",
    "default": "must be undefined to be structural",
    "title": "must be empty to be structural",
    "description": "must be empty to be structural",
    "nullable": "must be false to be structural",
    "x-kubernetes-preserve-unknown-fields": "must be false to be structural",
    "x-kubernetes-embedded-resource": "must be false to be structural",
    "x-kubernetes-int-or-string": "must be false to be structural",
    "x-kubernetes-list-map-keys": "must be empty to be structural",
    "x-kubernetes-list-type": "must be undefined to be structural",
    "x-kubernetes-map-type": "must be undefined to be structural",
    "x-kubernetes-validations": "must be empty to be structural",
}
"""What may not stand inside of allOf, anyOf, oneOf and not."""

_METADATA_WORDS = {"type", "default", "properties", "example", "externalDocs"}
"""What the schema of an object's own metadata may say."""


class _Level(enum.Enum):
    """Where in the schema we are."""

    ROOT = "must not be empty at the root"
    ITEM = "must not be empty for specified array items"
    FIELD = "must not be empty for specified object fields"


def check_structure(schema: Schema, path: str) -> list[Cause]:
    """All faults that keep a schema from being structural."""
    found = [*_check_level(schema, _Level.ROOT, path), *_check_completeness(schema, schema, path, path)]
    return sorted(found, key=lambda cause: f"{cause.field}: {cause.message}")


def _check_level(schema: Schema, level: _Level, path: str) -> Iterable[Cause]:
    items, additional = schema.get("items"), schema.get("additionalProperties")
    if schema.get("type") == "array" and items is None:
        yield causes.required(f"{path}.items", "must be specified")
    if isinstance(items, Mapping):
        yield from _check_level(items, _Level.ITEM, f"{path}.items")
    for name, inner in (schema.get("properties") or {}).items():
        yield from _check_level(inner, _Level.FIELD, f"{path}.properties[{name}]")
    if additional is not None:
        if level is _Level.ROOT:
            yield causes.forbidden(f"{path}.additionalProperties", "must not be used at the root")
        if isinstance(additional, Mapping):
            yield from _check_level(additional, _Level.FIELD, f"{path}.additionalProperties")
    yield from _check_extensions(schema, path)
    yield from _check_values(schema, path, skip_int_or_string=True)
    yield from _check_type(schema, level, path)
    yield from _check_metadata(schema, level, path)


def _check_extensions(schema: Schema, path: str) -> Iterable[Cause]:
    if not schema.get("x-kubernetes-int-or-string"):
        return
    for word in ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"):
        if schema.get(word):
            yield causes.invalid(f"{path}.{word}", True, "must be false if x-kubernetes-int-or-string is true")


def _check_type(schema: Schema, level: _Level, path: str) -> Iterable[Cause]:
    type_, where = schema.get("type") or "", f"{path}.type"
    if schema.get("x-kubernetes-embedded-resource") and type_ != "object":
        detail = "must be object if x-kubernetes-embedded-resource is true"
        yield causes.invalid(where, type_, detail) if type_ else causes.required(where, detail)
    elif not (type_ or schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")):
        yield causes.required(where, level.value)
    if level is _Level.ROOT and type_ and type_ != "object":
        yield causes.invalid(where, type_, "must be object at the root")


def _check_metadata(schema: Schema, level: _Level, path: str) -> Iterable[Cause]:
    """The fields that every object has may only be restricted a little."""
    embedded = bool(schema.get("x-kubernetes-embedded-resource"))
    properties = schema.get("properties") or {}
    if embedded and schema.get("additionalProperties") is not None:
        detail = "must not be used if x-kubernetes-embedded-resource is set"
        yield causes.forbidden(f"{path}.additionalProperties", detail)
    if embedded or level is _Level.ROOT:
        for name, expected in (("kind", "string"), ("apiVersion", "string"), ("metadata", "object")):
            type_ = properties[name].get("type") or "" if name in properties else expected
            if type_ != expected:
                yield causes.invalid(f"{path}.properties[{name}].type", type_, f"must be {expected}")
    if level is _Level.ROOT and "metadata" in properties and _says_more_than_names(properties["metadata"]):
        detail = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        yield causes.forbidden(f"{path}.properties[metadata]", detail)
    if embedded and not schema.get("x-kubernetes-preserve-unknown-fields") and not properties:
        detail = (
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        )
        yield causes.required(f"{path}.properties", detail)


def _says_more_than_names(metadata: Schema) -> bool:
    further = (value for word, value in metadata.items() if word not in _METADATA_WORDS)
    if any(value not in (None, "", False, [], {}) for value in further):
        return True
    return not set(metadata.get("properties") or {}) <= {"name", "generateName"}


def _check_values(schema: Schema, path: str, *, skip_int_or_string: bool) -> Iterable[Cause]:
    """Value checks; the two ways in which generators write "integer or string" are let through."""
    for word in BRANCHES:
        branches = schema.get(word) or ()
        if word == "anyOf" and skip_int_or_string and branches == _INT_OR_STRING:
            continue
        for index, branch in enumerate(branches):
            is_first = word == "allOf" and index == 0 and skip_int_or_string
            yield from _check_nested(branch, f"{path}.{word}[{index}]", skip_int_or_string=is_first)
    if schema.get("not") is not None:
        yield from _check_nested(schema["not"], f"{path}.not", skip_int_or_string=False)
    pattern = schema.get("pattern")
    if pattern:
        try:
            patterns.compile_pattern(pattern)
        except RegexError as error:
            detail = f"must be a valid regular expression, but isn't: {error}"
            yield causes.invalid(f"{path}.pattern", pattern, detail)


def _check_nested(schema: Schema, path: str, *, skip_int_or_string: bool) -> Iterable[Cause]:
    yield from _check_values(schema, path, skip_int_or_string=skip_int_or_string)
    if isinstance(schema.get("items"), Mapping):
        yield from _check_nested(schema["items"], f"{path}.items", skip_int_or_string=False)
    for name, inner in (schema.get("properties") or {}).items():
        yield from _check_nested(inner, f"{path}.properties[{name}]", skip_int_or_string=False)
    for word, detail in _EMPTY_WHEN_NESTED.items():
        if schema.get(word) not in (None, "", False, []):
            yield causes.forbidden(f"{path}.{word}", detail)
    if "metadata" in (schema.get("properties") or {}):
        yield causes.forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context")


def _check_completeness(nested: Schema, schema: Schema | None, path: str, nested_path: str) -> Iterable[Cause]:
    """Everything that value checks speak of must be specified outside of them too."""
    for word in BRANCHES:
        for index, branch in enumerate(nested.get(word) or ()):
            yield from _check_specified(branch, schema, path, f"{nested_path}.{word}[{index}]")
    if nested.get("not") is not None:
        yield from _check_specified(nested["not"], schema, path, f"{nested_path}.not")


def _check_specified(nested: Schema, schema: Any, path: str, nested_path: str) -> Iterable[Cause]:
    if not isinstance(schema, Mapping):
        yield causes.required(path, f"because it is defined in {nested_path}")
        return
    yield from _check_completeness(nested, schema, path, nested_path)
    if isinstance(nested.get("items"), Mapping):
        yield from _check_specified(nested["items"], schema.get("items"), f"{path}.items", f"{nested_path}.items")
    properties = schema.get("properties") or {}
    for name, inner in (nested.get("properties") or {}).items():
        step = f"properties[{name}]"
        yield from _check_specified(inner, properties.get(name), f"{path}.{step}", f"{nested_path}.{step}")
