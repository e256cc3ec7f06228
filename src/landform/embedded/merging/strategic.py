"""Strategic merge patch: a patch of a built-in kind that knows which lists are merged, and by which key.

Besides plain values a patch may hold directives: ``$patch`` (replace or delete), ``$retainKeys``,
``$setElementOrder/LIST`` and ``$deleteFromPrimitiveList/LIST``; `null` deletes a field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded.merging import gotexts, shapes
from landform.embedded.merging.ordering import in_order, partition

if TYPE_CHECKING:
    from landform.embedded.schemas.nodes import Node

Map = dict[str, Any]

PATCH = "$patch"
RETAIN_KEYS = "$retainKeys"
SET_ORDER = "$setElementOrder"
DELETE_FROM = "$deleteFromPrimitiveList"


class PatchError(ValueError):
    """The patch cannot be applied; `code` is the status that the API server answers with."""

    def __init__(self, message: str, code: int = 500) -> None:
        super().__init__(message)
        self.code = code


def strategic_merge(current: Map, patch: Map, node: Node) -> Map:
    """`current` with the patch applied; neither is changed."""
    if PATCH in patch:
        return _directed(patch)
    result = _retained(current, patch)
    rest = {key: value for key, value in patch.items() if key != RETAIN_KEYS}
    for key in [key for key in rest if key.startswith(SET_ORDER)]:
        _merge_ordered(result, rest, key, node)
    for key, value in rest.items():
        if key.startswith(DELETE_FROM):
            _delete_from(result, _list_name(key, DELETE_FROM), value)
        elif value is None:
            result.pop(key, None)
        else:
            _merge_field(result, key, value, node)
    return result


def _directed(patch: Map) -> Map:
    """What a map with a ``$patch`` directive stands for."""
    directive = patch[PATCH]
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != PATCH}
    if directive == "delete":
        return {}
    raise _unknown_directive(patch)


def _retained(current: Map, patch: Map) -> Map:
    """The current map without what ``$retainKeys`` does not name."""
    if RETAIN_KEYS not in patch:
        return dict(current)
    keys = patch[RETAIN_KEYS]
    named = [key for key in patch if patch[key] is not None and key != RETAIN_KEYS]
    fields = [key for key in named if not key.startswith((SET_ORDER, DELETE_FROM))]
    if not isinstance(keys, list) or any(key not in keys for key in fields):
        raise PatchError("invalid patch format of retainKeys", 400)
    return {key: value for key, value in current.items() if key in keys}


def _merge_field(result: Map, key: str, value: Any, node: Node) -> None:
    """Merge one field of the patch into the map."""
    current = result.get(key)
    child = shapes.child(node, key)
    if isinstance(current, dict) and isinstance(value, dict):
        result[key] = value if "replace" in child.patch_strategies else strategic_merge(current, value, child)
    elif isinstance(current, list) and isinstance(value, list):
        result[key] = _merge_list(current, value, child)
    else:
        kept, cleaned = _plain(_without_nulls(value))
        if kept:
            result[key] = cleaned
        else:
            result.pop(key, None)


def _merge_list(current: list[Any], patch: list[Any], node: Node) -> list[Any]:
    if "merge" not in node.patch_strategies:
        return patch
    if not current and not patch:
        return current
    if not _holds_maps(current, patch):
        merged = _deduplicated([*current, *patch])
        return in_order(*partition(merged, patch, ""), patch, current, "")
    key = node.patch_merge_key
    if not key:
        raise PatchError("cannot merge lists without merge key for struct")
    current, patch = _without_special_items(current, patch, key)
    merged = _merge_items(current, patch, key, shapes.items(node))
    _require_key(merged, key)
    return in_order(*partition(merged, patch, key), patch, current, key)


def _merge_ordered(result: Map, patch: Map, directive: str, node: Node) -> None:
    """Merge the list that a ``$setElementOrder`` directive is about, and take both out of the patch."""
    order = patch.pop(directive)
    name = _list_name(directive, SET_ORDER)
    for value in (order, result.get(name, []), patch.get(name, [])):
        if not isinstance(value, list):
            raise PatchError(f"expected a []interface {{}}, but received a {gotexts.type_name(value)}")
    child = shapes.child(node, name)
    key = child.patch_merge_key
    _check_order(patch.get(name, []), order, key)
    if name in result and name in patch:
        merged = _merge_list(result[name], patch[name], child)
    elif name in patch:
        merged = _plain(patch[name])[1]
    elif name in result:
        merged = result[name]
    else:
        return
    current, changes = result.get(name, []), patch.pop(name, [])
    _holds_maps(current, changes)
    if key:
        _require_key(merged, key)
    result[name] = in_order(*partition(merged, order, key), order, _places(current, changes, key), key)


def _places(current: list[Any], patch: list[Any], key: str) -> list[Any]:
    """The current order, in which the API server lets new items take the places that deleted ones have left."""
    directives = [item.get(PATCH) for item in patch] if key else []
    if "delete" not in directives or "replace" in directives:
        return current
    deleted = [item[key] for item in patch if PATCH in item]
    kept = [item for item in current if item.get(key) not in deleted]
    known = [item.get(key) for item in kept]
    new = [item for item in patch if PATCH not in item and item[key] not in known]
    return kept + new[: len(current) - len(kept)]


def _check_order(patch: list[Any], order: list[Any], key: str) -> None:
    """The items of a patch must appear in its ``$setElementOrder`` list, in the same order."""
    if not order or not patch:
        return
    wanted = [item for item in patch if not (key and isinstance(item, dict) and PATCH in item)]
    if key:
        _require_key([*wanted, *order], key)
    rest = iter(order)
    for item in wanted:
        if not any((item[key] == other[key]) if key else (item == other) for other in rest):
            raise PatchError(
                f"The order in patch list:\n{gotexts.printed(patch)}\n"
                f" doesn't match {SET_ORDER} list:\n{gotexts.printed(order)}\n"
            )


def _without_special_items(current: list[Map], patch: list[Map], key: str) -> tuple[list[Map], list[Map]]:
    """Carry out the directives among a patch's items; what is left of both lists."""
    plain = [item for item in patch if PATCH not in item]
    replace = False
    for item in patch:
        directive = item.get(PATCH)
        if PATCH not in item:
            continue
        if directive == "delete":
            _require_key([item], key)
            current = [other for other in current if key not in other or other[key] != item[key]]
        elif directive == "merge":
            raise PatchError("merging lists cannot yet be specified in the patch")
        elif directive != "replace":
            raise _unknown_directive(item)
        replace = replace or directive == "replace"
    return (plain, []) if replace else (current, plain)


def _merge_items(current: list[Map], patch: list[Map], key: str, node: Node) -> list[Map]:
    """Merge each item into the first that has its key, or add it."""
    result = list(current)
    _require_key(patch, key)
    for item in patch:
        at = next((at for at, other in enumerate(result) if key in other and other[key] == item[key]), None)
        if at is None:
            result.append(item)
        else:
            result[at] = strategic_merge(result[at], item, node)
    return result


def _delete_from(result: Map, name: str, values: Any) -> None:
    """Carry out a ``$deleteFromPrimitiveList`` directive."""
    current = result.get(name)
    if isinstance(current, list) and isinstance(values, list) and (current or values):
        _holds_maps(current, values)
        result[name] = [item for item in current if item not in values]


def _holds_maps(*lists: list[Any]) -> bool:
    """Whether the items are maps; all must be of one type and none a list."""
    types = list(dict.fromkeys(gotexts.type_name(item) for items in lists for item in items))
    if not types:
        raise PatchError("no elements in any of the given slices")
    if types[0] == gotexts.type_name([]):
        raise PatchError("lists of lists are not supported", 422)
    if len(types) > 1:
        raise PatchError(f"list element types are not identical: {gotexts.printed(list(lists))}")
    return types[0] == gotexts.type_name({})


def _require_key(items: list[Any], key: str) -> None:
    for item in items:
        if not isinstance(item, dict):
            raise PatchError(f"expected a map[string]interface {{}}, but received a {gotexts.type_name(item)}")
        if key not in item:
            raise PatchError(f"map: {gotexts.printed(item)} does not contain declared merge key: {key}")


def _list_name(directive: str, prefix: str) -> str:
    start, separator, name = directive.partition("/")
    if start != prefix or not separator:
        kind = "primitive list" if prefix == DELETE_FROM else "setElementOrder list"
        raise PatchError(f"invalid patch format of {kind}", 400)
    return name


def _unknown_directive(patch: Map) -> PatchError:
    return PatchError(f"unknown patch type: {gotexts.printed(patch[PATCH])} in map: {gotexts.printed(patch)}")


def _deduplicated(items: list[Any]) -> list[Any]:
    result: list[Any] = []
    for item in items:
        if item not in result:
            result.append(item)
    return result


def _without_nulls(value: Any) -> Any:
    """A value that is new to the object, without the fields that it sets to null."""
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _plain(value: Any) -> tuple[bool, Any]:
    """Whether to keep a value that is new to the object, and the value without the directives in it."""
    if isinstance(value, dict):
        if PATCH in value:
            return False, None
        parts = {key: _plain(inner) for key, inner in value.items()}
        return True, {key: inner for key, (kept, inner) in parts.items() if kept}
    if isinstance(value, list):
        return True, [inner for kept, inner in map(_plain, value) if kept]
    return True, value
