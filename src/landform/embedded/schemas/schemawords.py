"""The words a CRD's schema is written with: their types, and how to walk from a schema to those inside of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from landform.embedded.schemas import causes, values

if TYPE_CHECKING:
    from landform.cluster.errors import Cause

Schema = Mapping[str, Any]

BRANCHES = ("allOf", "anyOf", "oneOf")
"""Words that hold a list of schemas for the same value."""

_TEXTS = ("$ref", "$schema", "description", "format", "id", "pattern", "title", "type")
_EXTENSION_TEXTS = ("x-kubernetes-list-type", "x-kubernetes-map-type")
_NUMBERS = ("maximum", "minimum", "multipleOf")
_COUNTS = ("maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties")
_FLAGS = (
    "exclusiveMaximum", "exclusiveMinimum", "nullable", "uniqueItems", "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields",
)  # fmt: skip
_EXPECTED = {
    **dict.fromkeys((*_TEXTS, *_EXTENSION_TEXTS), ("string",)),
    **dict.fromkeys(_NUMBERS, ("number", "integer")),
    **dict.fromkeys(_COUNTS, ("integer",)),
    **dict.fromkeys(_FLAGS, ("boolean",)),
    **dict.fromkeys(
        (*BRANCHES, "enum", "required", "x-kubernetes-list-map-keys", "x-kubernetes-validations"), ("array",)
    ),
    **dict.fromkeys(("properties", "patternProperties", "definitions", "dependencies", "not"), ("object",)),
    "items": ("object", "array"),
    "additionalProperties": ("object", "boolean"),
    "additionalItems": ("object", "boolean"),
}
_FOREIGN = ("id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions")
_LISTS_OF_TEXTS = ("required", "x-kubernetes-list-map-keys")


def inner_schemas(schema: Schema, path: str) -> Iterator[tuple[str, Any]]:
    """Path and schema of each schema directly inside of one."""
    for word in ("properties", "patternProperties", "definitions"):
        for name, inner in (schema.get(word) or {}).items():
            yield f"{path}.{word}[{name}]", inner
    for word in ("additionalProperties", "additionalItems"):
        if not isinstance(schema.get(word), bool | None):
            yield f"{path}.{word}", schema[word]
    items = schema.get("items")
    if isinstance(items, list):
        yield from ((f"{path}.items[{index}]", inner) for index, inner in enumerate(items))
    elif items is not None:
        yield f"{path}.items", items
    if schema.get("not") is not None:
        yield f"{path}.not", schema["not"]
    for word in BRANCHES:
        yield from ((f"{path}.{word}[{index}]", inner) for index, inner in enumerate(schema.get(word) or ()))


def type_faults(schema: Any, path: str) -> list[Cause]:
    """Words of the wrong type anywhere in a schema. All other checks rely on there being none."""
    if not isinstance(schema, Mapping):
        return [causes.wrong_type(path, values.type_name(schema), "must be an object")]
    found = []
    for word, expected in _EXPECTED.items():
        value = schema.get(word)
        if value is not None and values.type_name(value) not in expected:
            found.append(_wrong(f"{path}.{word}", value, " or ".join(expected)))
    if found:
        return found
    for word in _LISTS_OF_TEXTS:
        for index, value in enumerate(schema.get(word) or ()):
            if not isinstance(value, str):
                found.append(_wrong(f"{path}.{word}[{index}]", value, "string"))
    for index, rule in enumerate(schema.get("x-kubernetes-validations") or ()):
        if not isinstance(rule, Mapping):
            found.append(_wrong(f"{path}.x-kubernetes-validations[{index}]", rule, "object"))
    for inner_path, inner in inner_schemas(schema, path):
        found += type_faults(inner, inner_path)
    return found


def _wrong(path: str, value: Any, expected: str) -> Cause:
    return causes.wrong_type(path, values.type_name(value), f"must be of type {expected}")


def foreign_word(schema: Schema) -> str | None:
    """What keeps a schema, or one inside of it, from being read as a structural one at all; None if nothing does."""
    for word in _FOREIGN:
        if schema.get(word) not in (None, "", {}):
            return f"OpenAPIV3Schema '{word.removeprefix('$') if word == '$schema' else word}' is not supported"
    if isinstance(schema.get("items"), list):
        return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    return next(filter(None, (foreign_word(inner) for _, inner in inner_schemas(schema, ""))), None)


def has_default(schema: Schema) -> bool:
    """Whether a default stands in a schema or in one inside of it."""
    return schema.get("default") is not None or any(has_default(inner) for _, inner in inner_schemas(schema, ""))
