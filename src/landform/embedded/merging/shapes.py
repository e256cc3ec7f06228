"""What a schema says about telling fields apart: which maps and lists have one owner, and how items are found again.

Below a place that no schema describes, maps are divided by key and lists have one owner.
"""

from __future__ import annotations

from typing import Any

from landform.embedded.merging import elements
from landform.embedded.schemas.nodes import ANYTHING, ListType, Node


class ShapeError(ValueError):
    """An item of a list cannot be told apart from the others."""


def is_atomic_map(node: Node) -> bool:
    """Whether a map at this place has one owner."""
    # An object of which not even free form is said is a RawExtension, which the API server treats as one value.
    return node.atomic_map or (
        node.type == "object" and not node.properties and node.additional is None and not node.preserve_unknown
    )


def list_keys(node: Node) -> tuple[str, ...] | None:
    """The fields that tell items apart; empty for a set of values, nothing if the list has one owner."""
    if node.list_type is ListType.MAP:
        return node.list_map_keys
    if node.list_type is ListType.SET:
        return ()
    # Older built-in kinds say it only by their patch strategy.
    if "merge" in node.patch_strategies and "x-kubernetes-list-type" not in node.schema:
        return (node.patch_merge_key,) if node.patch_merge_key else ()
    return None


def child(node: Node, name: str) -> Node:
    """The node of a field; a place without schema if the field is not declared."""
    return node.properties.get(name) or node.additional or ANYTHING


def items(node: Node) -> Node:
    """The node of a list's items."""
    return node.items or ANYTHING


def node_at(node: Node | None, element: str) -> Node | None:
    """The node one path element further down; nothing where the schema ends."""
    if node is None:
        return None
    if element[0] == "f":
        return node.child(element[2:])
    return node.items


def item_element(item: Any, keys: tuple[str, ...], node: Node) -> str:
    """The path element of a list's item; ShapeError if it has none."""
    if keys:
        return _keyed_element(item, keys, node)
    if isinstance(item, dict):
        raise ShapeError("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise ShapeError("not supported: associative list with lists as elements")
    if item is None:
        raise ShapeError("associative list without keys has an element that's an explicit null")
    return elements.of_value(item)


def _keyed_element(item: Any, keys: tuple[str, ...], node: Node) -> str:
    if item is None:
        raise ShapeError("associative list with keys may not have a null element")
    if not isinstance(item, dict):
        raise ShapeError("associative list with keys may not have non-map elements")
    key = {}
    for name in keys:
        if name in item:
            key[name] = item[name]
        elif name in node.properties and node.properties[name].default is not None:
            key[name] = node.properties[name].default
    if not key:
        quoted = " ".join(f'"{name}"' for name in keys)
        raise ShapeError(
            f"associative list with keys has an element that omits all key fields [{quoted}]"
            " (and doesn't have default values for any key fields)"
        )
    return elements.of_key(key)
