"""The fields by which two versions of an object differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from landform.embedded.merging import shapes
from landform.embedded.merging.fieldsets import LEAF, SELF, FieldSet, put, recursive_difference, union
from landform.embedded.schemas.nodes import ANYTHING

if TYPE_CHECKING:
    from landform.embedded.schemas.nodes import Node

_encode = msgspec.json.Encoder().encode


@dataclass(slots=True)
class Comparison:
    """What changed from one object to another. No field is in more than one of the sets."""

    added: FieldSet = field(default_factory=dict)
    modified: FieldSet = field(default_factory=dict)
    removed: FieldSet = field(default_factory=dict)

    def without(self, ignored: FieldSet) -> Comparison:
        """The comparison with some fields, and all below them, left out."""
        if not ignored:
            return self
        return Comparison(
            recursive_difference(self.added, ignored),
            recursive_difference(self.modified, ignored),
            recursive_difference(self.removed, ignored),
        )

    @property
    def written(self) -> FieldSet:
        """The fields that the new object sets: those added and those modified."""
        return union(self.added, self.modified)


def compare(old: dict[str, Any], new: dict[str, Any], node: Node) -> Comparison:
    """How `new` differs from `old`; ShapeError if an item of a keyed list has no key."""
    return _compare_maps(old, new, node)


def everything(value: Any, node: Node) -> FieldSet:
    """A value's own field and all below it, as the set that stands under its path element."""
    kind = value.__class__
    if kind is dict:
        if not value or shapes.is_atomic_map(node):
            return LEAF
        named, other = node.properties, node.additional or ANYTHING
        result: FieldSet = {SELF: LEAF}
        for name, inner in value.items():
            inner_kind = inner.__class__
            if inner_kind is dict or inner_kind is list:
                result["f:" + name] = everything(inner, named.get(name) or other)
            else:
                result["f:" + name] = LEAF
        return result
    if kind is list and value:
        keys = shapes.list_keys(node)
        if keys is not None:
            return _every_item(value, node, keys)
    return LEAF


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal, where `true` is not `1`."""
    if left is right:
        return True
    if left != right:
        return False
    if isinstance(left, dict):
        return all(same(value, right[name]) for name, value in left.items())
    if isinstance(left, list):
        return all(same(*pair) for pair in zip(left, right, strict=True))
    return isinstance(left, bool) is isinstance(right, bool)


def _every_item(value: list[Any], node: Node, keys: tuple[str, ...]) -> FieldSet:
    item_node = shapes.items(node)
    result: FieldSet = {SELF: LEAF}
    for item in value:
        element = shapes.item_element(item, keys, item_node)
        result[element] = LEAF if element in result else everything(item, item_node)
    return result


def _compare_maps(old: dict[str, Any], new: dict[str, Any], node: Node) -> Comparison:
    result = Comparison()
    named, other = node.properties, node.additional or ANYTHING
    for name, value in new.items():
        if name not in old:
            result.added["f:" + name] = everything(value, named.get(name) or other)
            continue
        before = old[name]
        if before is not value:
            kind = value.__class__
            if kind is dict or kind is list or before.__class__ is not kind:
                _enter(result, "f:" + name, before, value, named.get(name) or other)
            elif before != value:
                result.modified["f:" + name] = LEAF
    for name, before in old.items():
        if name not in new:
            result.removed["f:" + name] = everything(before, named.get(name) or other)
    return result


def _enter(result: Comparison, element: str, old: Any, new: Any, node: Node) -> None:
    """Compare two present values and enter what differs under their element."""
    if old.__class__ is not new.__class__:
        _enter_mixed(result, element, old, new, node)
    elif old == new and _encode(old) == _encode(new):
        return  # the texts differ where Python's equality is too kind: true is not 1
    elif _is_divided(old, node) or _is_divided(new, node):
        if old.__class__ is dict:
            below = _compare_maps(old, new, node)
        else:
            below = _compare_lists(old, new, node, shapes.list_keys(node) or ())
        _enter_below(result, element, below)
    elif not same(old, new):
        put(result.modified, element, LEAF, member=True)


def _enter_mixed(result: Comparison, element: str, old: Any, new: Any, node: Node) -> None:
    """Values of different kinds: the fields below each are gone or new; a leaf on either side means modified."""
    old_divided, new_divided = _is_divided(old, node), _is_divided(new, node)
    removed = _below(old, node) if old_divided else LEAF
    added = _below(new, node) if new_divided else LEAF
    put(result.removed, element, removed, member=False)
    put(result.added, element, added, member=False)
    # null stands for whatever kind the other side has, so it is no change of its own beside fields
    quiet = (old is None and new_divided) or (new is None and old_divided)
    if not quiet and not (old_divided and new_divided) and not _equal_numbers(old, new):
        put(result.modified, element, LEAF, member=True)


def _equal_numbers(old: Any, new: Any) -> bool:
    return old == new and not isinstance(old, bool) and not isinstance(new, bool)


def _below(value: Any, node: Node) -> FieldSet:
    return {element: inner for element, inner in everything(value, node).items() if element != SELF}


def _is_divided(value: Any, node: Node) -> bool:
    """Whether the parts of a value have owners of their own."""
    if value.__class__ is dict:
        return bool(value) and not shapes.is_atomic_map(node)
    return value.__class__ is list and bool(value) and shapes.list_keys(node) is not None


def _enter_below(result: Comparison, element: str, below: Comparison) -> None:
    if below.added:
        result.added[element] = below.added
    if below.modified:
        result.modified[element] = below.modified
    if below.removed:
        result.removed[element] = below.removed


def _compare_lists(old: list[Any], new: list[Any], node: Node, keys: tuple[str, ...]) -> Comparison:
    result = Comparison()
    item_node = shapes.items(node)
    before, after = _by_element(old, keys, item_node), _by_element(new, keys, item_node)
    for element, items in after.items():
        _compare_items(result, element, before.get(element, []), items, item_node)
    for element, items in before.items():
        if element not in after:
            _compare_items(result, element, items, [], item_node)
    return result


def _by_element(items: list[Any], keys: tuple[str, ...], node: Node) -> dict[str, list[Any]]:
    result: dict[str, list[Any]] = {}
    for item in items:
        result.setdefault(shapes.item_element(item, keys, node), []).append(item)
    return result


def _compare_items(result: Comparison, element: str, old: list[Any], new: list[Any], node: Node) -> None:
    """Compare what two lists hold under one key. Items that share a key count as one leaf."""
    if len(old) == 1 and len(new) == 1:
        _enter(result, element, old[0], new[0], node)
    elif len(old) >= 2 and len(new) >= 2:
        if not same(old, new):
            result.modified[element] = LEAF
    else:
        if old:
            result.removed[element] = everything(old[0], node) if len(old) == 1 else LEAF
        if new:
            result.added[element] = everything(new[0], node) if len(new) == 1 else LEAF
