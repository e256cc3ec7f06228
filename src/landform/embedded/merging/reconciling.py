"""Field sets after a change of the schema: what was divided among owners may have become one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.embedded.merging import shapes
from landform.embedded.merging.fieldsets import LEAF, FieldSet

if TYPE_CHECKING:
    from landform.embedded.schemas.nodes import Node


def reconciled(fields: FieldSet, node: Node) -> FieldSet:
    """The set with fields below an atomic map or list replaced by that map or list; the same set if there are none."""
    result = fields
    named, other = node.properties, node.additional
    for element, below in fields.items():
        if not below:
            continue
        inner = (named.get(element[2:]) or other) if element[0] == "f" else node.items
        if inner is None:
            continue
        settled = LEAF if _is_one_value(inner) else reconciled(below, inner)
        if settled is not below:
            if result is fields:
                result = dict(fields)
            result[element] = settled
    return result


def _is_one_value(node: Node) -> bool:
    if node.type == "object":
        return shapes.is_atomic_map(node)
    return node.type == "array" and shapes.list_keys(node) is None
