"""What objects of the API server's own types can hold: their structs are always there, and nothing in them is null.

All is read off their OpenAPI schemas. Not for custom resources, which hold exactly what was written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded.schemas.nodes import ANYTHING

if TYPE_CHECKING:
    from landform.embedded.schemas.nodes import Node


def zero_object(node: Node) -> dict[str, Any]:
    """What an object of a built-in kind holds before anything is set.

    Structs that are no pointers have the default ``{}``; fields that are always written are required, and hold their
    type's zero value.
    """
    result: dict[str, Any] = {}
    for name, child in node.properties.items():
        if child.has_default and child.default == {}:
            result[name] = zero_object(child)
        elif name in node.required:
            result[name] = child.default
    return result


def held(value: Any, node: Node) -> Any:
    """The value as a built-in type keeps it: without nulls, and without empty lists and maps that need not be there."""
    if isinstance(value, dict):
        result = {}
        for name, inner in value.items():
            child = node.child(name) or ANYTHING
            kept = held(inner, child) if isinstance(inner, dict | list) else inner
            if kept is not None and (kept not in ({}, []) or name in node.required or not _is_collection(child)):
                result[name] = kept
        return result
    if isinstance(value, list):
        return [held(item, node.items or ANYTHING) for item in value]
    return value


def _is_collection(node: Node) -> bool:
    """A list or a map, other than a struct."""
    return node.type == "array" or node.additional is not None
