"""Bindings: the names that a template sees, and the shape that its numbers have there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from landform.blueprints.errors import BlueprintError
from landform.components import descriptors
from landform.components.schemas import V2, V3

if TYPE_CHECKING:
    from landform.components.versions import ComponentVersion

SCHEMA_ANNOTATION = "ocmSchemaVersion"
"""Annotation of a blueprint that says in which schema it wants to see component descriptors."""


class SchemaVersionError(BlueprintError):
    """A blueprint asks for component descriptors in a schema that does not exist."""


def schema(annotations: Mapping[str, str], component: ComponentVersion | None) -> str:
    """The schema in which templates see component descriptors: the one asked for, else the descriptor's own."""
    wanted = annotations.get(SCHEMA_ANNOTATION) or (component.schema if component else V2)
    if wanted not in (V2, V3):
        raise SchemaVersionError(
            f"unknown schema version {wanted!r} in annotation {SCHEMA_ANNOTATION}; use {V2} or {V3}"
        )
    return wanted


def component_bindings(component: ComponentVersion | None, schema_version: str) -> dict[str, Any]:
    """`cd` and `components`; both null without a component."""
    if component is None:
        return {"cd": None, "components": None}
    if schema_version == V3:
        return {
            "cd": descriptors.to_v3(component.descriptor),
            "components": [descriptors.to_v3(descriptor) for descriptor in component.closure],
        }
    return {
        "cd": component.descriptor,
        "components": {"meta": {"schemaVersion": V2}, "components": list(component.closure)},
    }


def export_bindings(
    deployitems: Mapping[str, Any], dataobjects: Mapping[str, Any], targets: Mapping[str, Any]
) -> dict[str, Any]:
    """What export executions see besides; `values` holds the same once more, for old blueprints."""
    values = {"deployitems": deployitems, "dataobjects": dataobjects, "targets": targets}
    return {**values, "values": values}


def plain(value: Any) -> Any:
    """A value as JSON data of its own: maps and lists that can be changed without harm to anybody."""
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(inner) for inner in value]
    return value


def with_floats(value: Any) -> Any:
    """A value as Go's encoding/json gives it to templates: every number is a float64, so 1000000 prints as 1e+06."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return float(value)
    if isinstance(value, Mapping):
        return {key: with_floats(inner) for key, inner in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [with_floats(inner) for inner in value]
    return value
