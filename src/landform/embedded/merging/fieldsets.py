"""Sets of fields, as Kubernetes' structured merge keeps them for each manager of an object.

A set is the dict that is also its wire form, FieldsV1: keys are path elements, values the set below that element.
An empty dict says "this field is in the set"; a dict with ``"."`` says "this field and these below it"; a dict
without it says "only these below it". The empty set is the empty dict. Sets are never changed once made, so
results share what they have in common with their inputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from landform.embedded.merging import elements, shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from landform.embedded.schemas.nodes import Node

FieldSet: TypeAlias = dict[str, Any]

LEAF: FieldSet = {}
"""The field itself, and nothing below it."""

SELF = "."
"""The key that says that a field with fields below it is in the set too."""


def from_object(value: Any, node: Node) -> FieldSet:
    """The fields that an object mentions: its leaves, items of lists, and keys of maps, but not named structs."""
    _, fields = _mentioned(value, node)
    return fields


def from_paths(paths: Iterable[Iterable[str]]) -> FieldSet:
    """The set of the given paths, each a sequence of path elements such as ``("f:spec", "f:replicas")``."""
    result: FieldSet = {}
    for path in paths:
        single = LEAF
        for element in reversed(tuple(path)):
            single = {element: single}
        result = union(result, single)
    return result


def is_member(below: FieldSet) -> bool:
    """Whether the field that has `below` as its value is itself in the set."""
    return not below or SELF in below


def has(fields: FieldSet, path: Iterable[str]) -> bool:
    """Whether the field at the path is in the set."""
    below: FieldSet | None = fields
    for element in path:
        below = None if below is None else below.get(element)
    return below is not None and is_member(below)


def paths(fields: FieldSet, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every path in the set, in the API server's order: the fields of a level before those below it."""
    ordered = [element for element in _sorted(fields, by_value=True) if element != SELF]
    for element in ordered:
        if is_member(fields[element]):
            yield (*prefix, element)
    for element in ordered:
        yield from paths(fields[element], (*prefix, element))


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    """The fields of either set."""
    if not left or left is right:
        return right
    if not right:
        return left
    result = dict(left)
    for element, below in right.items():
        other = left.get(element)
        if other is None:
            result[element] = below
        elif other is not below and element != SELF:
            result[element] = _both(other, below)
    return result


def difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """The fields of `left` that are not in `right`; taking a field away leaves those below it."""
    if not left or not right:
        return left
    result: FieldSet = {}
    same = True
    for element, below in left.items():
        other = right.get(element)
        if other is None or element == SELF:
            result[element] = below
            continue
        member = is_member(below)
        left_over = difference(below, other)
        if left_over is below and not (member and is_member(other)):
            result[element] = below
            continue
        same = False
        put(result, element, _without_self(left_over), member and not is_member(other))
    return left if same else result


def recursive_difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """The fields of `left` that are neither in `right` nor below a field in `right`."""
    if not left or not right:
        return left
    result: FieldSet = {}
    for element, below in left.items():
        other = right.get(element)
        if other is None or element == SELF:
            result[element] = below
        elif not is_member(other):
            put(result, element, recursive_difference(_without_self(below), other), is_member(below))
    return result


def intersection(left: FieldSet, right: FieldSet) -> FieldSet:
    """The fields that are in both sets."""
    if len(right) < len(left):
        left, right = right, left
    result: FieldSet = {}
    for element, below in left.items():
        other = right.get(element)
        if other is not None and element != SELF:
            shared = intersection(below, other) if below and other else LEAF
            put(result, element, shared, is_member(below) and is_member(other))
    return result


def with_named_fields(fields: FieldSet, node: Node | None) -> FieldSet:
    """The set with the structs added that lie on the way to its fields; maps and items stay as they are."""
    result: FieldSet = {}
    for element, below in fields.items():
        if not below or element == SELF:
            result[element] = below
            continue
        inner = shapes.node_at(node, element)
        deeper = with_named_fields(below, inner)
        if element[0] == "f" and node is not None and element[2:] in node.properties and SELF not in deeper:
            deeper[SELF] = LEAF
        result[element] = deeper
    return result


def to_fieldsv1(fields: FieldSet, *, by_value: bool = True) -> FieldSet:
    """The set with its keys in the API server's order: by the value of keys and items, or else by their text."""
    result: FieldSet = {}
    for element in _sorted(fields, by_value) if len(fields) > 1 else fields:
        below = fields[element]
        result[element] = to_fieldsv1(below, by_value=by_value) if below else LEAF
    return result


def from_fieldsv1(raw: Mapping[str, Any]) -> FieldSet:
    """The set that somebody else wrote, in our own spelling; ElementError if a key is no path element."""
    result: FieldSet = {}
    for key, value in raw.items():
        if key == SELF:
            continue
        element = elements.canonical(key)
        if element is None:
            continue
        below = from_fieldsv1(value) if isinstance(value, dict) else LEAF
        member = not below or SELF in value
        known = result.get(element)
        if known is not None:
            below, member = union(below, _without_self(known)), member or is_member(known)
        put(result, element, below, member)
    return result


def put(fields: FieldSet, element: str, below: FieldSet, member: bool) -> None:
    """Enter a field into a set under construction, with those below it; nothing, if it is no member and has none."""
    if below:
        fields[element] = {SELF: LEAF, **below} if member else below
    elif member:
        fields[element] = LEAF


def _both(left: FieldSet, right: FieldSet) -> FieldSet:
    """The union of what two sets hold under one element, where an empty dict means the field itself."""
    if not left or not right:
        other = left or right
        return other if is_member(other) else {SELF: LEAF, **other}
    return union(left, right)


def _without_self(below: FieldSet) -> FieldSet:
    if SELF not in below:
        return below
    return {element: inner for element, inner in below.items() if element != SELF}


def _sorted(fields: FieldSet, by_value: bool) -> list[str]:
    """The elements of one level in order, the field itself first; both orders are the same where only fields are."""
    if by_value and not all(element[0] in ".f" for element in fields):
        return sorted(fields, key=elements.sort_key)
    return sorted(fields)


def _mentioned(value: Any, node: Node) -> tuple[bool, FieldSet]:
    """Whether a value is a field of its own, and the fields below it."""
    if value.__class__ is dict:
        if shapes.is_atomic_map(node):
            return True, LEAF
        return not value, _mentioned_in_map(value, node)
    if value.__class__ is list:
        keys = shapes.list_keys(node)
        if keys is None:
            return True, LEAF
        return False, _mentioned_in_list(value, node, keys)
    return True, LEAF


def _mentioned_in_map(value: dict[str, Any], node: Node) -> FieldSet:
    result: FieldSet = {}
    named = node.properties
    for name, inner in value.items():
        child = shapes.child(node, name)
        member, below = _mentioned(inner, child)
        put(result, "f:" + name, below, member or name not in named)
    return result


def _mentioned_in_list(value: list[Any], node: Node, keys: tuple[str, ...]) -> FieldSet:
    result: FieldSet = {}
    inner_node = shapes.items(node)
    for inner in value:
        element = shapes.item_element(inner, keys, inner_node)
        if element in result:
            result[element] = LEAF  # items that share a key are owned as one, without their fields
        else:
            _, below = _mentioned(inner, inner_node)
            put(result, element, below, member=True)
    return result
