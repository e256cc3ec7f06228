"""Changes to an object that follow its schema: merging a configuration into it, and taking fields out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded.merging import shapes
from landform.embedded.merging.fieldsets import FieldSet, is_member

if TYPE_CHECKING:
    from landform.embedded.schemas.nodes import Node


def combine(live: Any, config: Any, node: Node) -> Any:
    """`live` with what `config` says on top; nothing is removed, lists follow the order of `config`.

    Parts that stay as they are stay the same objects, which makes them cheap to compare.
    """
    if isinstance(live, dict) and isinstance(config, dict):
        return _combine_maps(live, config, node)
    if isinstance(live, list) and isinstance(config, list):
        keys = shapes.list_keys(node)
        return config if keys is None or not (live or config) else _combine_lists(live, config, node, keys)
    if (config is None and _stays(live, node)) or (live.__class__ is config.__class__ and live == config):
        return live
    return config


def remove(value: Any, fields: FieldSet, node: Node) -> Any:
    """The value without the given fields; null where nothing is left of a map or a list."""
    if isinstance(value, dict):
        if not value or shapes.is_atomic_map(node):
            return None
        return _remove_from_map(value, fields, node) or None
    if isinstance(value, list):
        keys = shapes.list_keys(node)
        return None if keys is None else _remove_from_list(value, fields, node, keys) or None
    return value


def _stays(live: Any, node: Node) -> bool:
    """Whether a null in the configuration leaves the value alone: it says nothing about the parts of it."""
    if isinstance(live, dict):
        return bool(live) and not shapes.is_atomic_map(node)
    return isinstance(live, list) and bool(live) and shapes.list_keys(node) is not None


def _combine_maps(live: dict[str, Any], config: dict[str, Any], node: Node) -> dict[str, Any]:
    if shapes.is_atomic_map(node):
        return config
    result = live
    for name, value in config.items():
        merged = combine(live[name], value, shapes.child(node, name)) if name in live else value
        if name not in live or merged is not live[name]:
            if result is live:
                result = dict(live)
            result[name] = merged
    return result


def _combine_lists(live: list[Any], config: list[Any], node: Node, keys: tuple[str, ...]) -> list[Any]:
    """Merge item by item. Items that only `live` has keep their place relative to the items around them."""
    item_node = shapes.items(node)
    live_elements = [shapes.item_element(item, keys, item_node) for item in live]
    wanted_elements = [shapes.item_element(item, keys, item_node) for item in config]
    present = _unique(live_elements, live)
    result: list[Any] = []
    for kind, at in _interleave(live_elements, wanted_elements):
        if kind == "live":
            result.append(live[at])
            continue
        before = present.get(wanted_elements[at])
        result.append(config[at] if before is None else combine(before, config[at], item_node))
    same = len(result) == len(live) and all(one is other for one, other in zip(result, live, strict=True))
    return live if same else result


def _unique(item_elements: list[str], items: list[Any]) -> dict[str, Any]:
    """The items by their element; nothing where several share one, as then none of them is merged."""
    result: dict[str, Any] = {}
    for element, item in zip(item_elements, items, strict=True):
        result[element] = None if element in result else item
    return result


def _interleave(live: list[str], wanted: list[str]) -> list[tuple[str, int]]:
    """The order of a merged list: which item comes next, the n-th of `live` or the n-th of `wanted`.

    Both lists are walked together. Items only in `live` are taken as they come; a shared item that `wanted` has at
    another place is skipped in `live` and taken when its turn comes in `wanted`.
    """
    order: list[tuple[str, int]] = []
    wanted_set, live_set, taken = set(wanted), set(live), set()
    shared = iter([element for element in wanted if element in live_set])
    next_shared = next(shared, None)
    left = right = 0
    while left < len(live) or right < len(wanted):
        if left < len(live) and right < len(wanted):
            element = live[left]
            if element == wanted[right]:
                order.append(("wanted", right))
                taken.add(element)
                left, right = left + 1, right + 1
                next_shared = next(shared, None)
                continue
            if element in wanted_set and next_shared is not None and next_shared != element:
                left += 1
                continue
        if left < len(live):
            if live[left] not in wanted_set:
                order.append(("live", left))
                left += 1
                continue
            if live[left] in taken:
                left += 1
        if right < len(wanted):
            order.append(("wanted", right))
            taken.add(wanted[right])
            if next_shared == wanted[right]:
                next_shared = next(shared, None)
            right += 1
    return order


def _remove_from_map(value: dict[str, Any], fields: FieldSet, node: Node) -> dict[str, Any]:
    result = {}
    for name, inner in value.items():
        below = fields.get("f:" + name)
        if below is None:
            result[name] = inner
        elif not is_member(below):
            result[name] = remove(inner, below, shapes.child(node, name))
    return result


def _remove_from_list(value: list[Any], fields: FieldSet, node: Node, keys: tuple[str, ...]) -> list[Any]:
    result = []
    item_node = shapes.items(node)
    for item in value:
        below = fields.get(shapes.item_element(item, keys, item_node))
        if below is None:
            result.append(item)
        elif not is_member(below):
            result.append(remove(item, below, item_node))
    return result
