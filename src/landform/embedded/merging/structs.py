"""What objects of the API server's own types can hold; custom resources hold exactly what was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded.schemas.nodes import ANYTHING

if TYPE_CHECKING:
    from landform.embedded.schemas.nodes import Node


def held(value: Any, node: Node) -> Any:
    """The value as a built-in type keeps it: without nulls, and without empty lists and maps that need not be there."""
    if isinstance(value, dict):
        result = {}
        for name, inner in value.items():
            if isinstance(inner, dict | list):
                child = node.child(name) or ANYTHING
                kept = held(inner, child)
                if kept or name in node.required or not _is_collection(child):
                    result[name] = kept
            elif inner is not None:
                result[name] = inner
        return result
    if isinstance(value, list):
        return [held(item, node.items or ANYTHING) for item in value]
    return value


def _is_collection(node: Node) -> bool:
    """A list or a map, other than a struct."""
    return node.type == "array" or node.additional is not None
