"""The empty object of a built-in kind: the structs and required fields that the API server's types always have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from landform.embedded.schemas.nodes import Node


def zero_object(node: Node) -> dict[str, Any]:
    """What an object of a built-in kind holds before anything is set, read off its OpenAPI schema.

    Structs that are no pointers have the default ``{}``; fields that are always written are required, and hold their
    type's zero value. Not for custom resources, where defaults are the author's.
    """
    result: dict[str, Any] = {}
    for name, child in node.properties.items():
        if child.has_default and child.default == {} and child.properties:
            result[name] = zero_object(child)
        elif child.has_default and child.default == {}:
            result[name] = {}
        elif name in node.required:
            result[name] = child.default
    return result
