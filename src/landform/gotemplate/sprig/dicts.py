"""Dictionaries: made, read, merged. `set`, `unset` and the merges change the first one in place, as in Go."""

from __future__ import annotations

from typing import Any

from landform.gotemplate import budgets
from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.sprig.casting import to_string
from landform.gotemplate.sprig.strings import string_list
from landform.gotemplate.values import MAP, Object, TypedList, TypedMap, type_name


def make(*values: Any) -> dict[str, Any]:
    """A dictionary of keys and values in turn; a last key without value gets an empty string."""
    keys = map(to_string, values[::2])
    pairs = list(values[1::2])
    if len(values) % 2:
        pairs.append("")
    return dict(zip(keys, pairs, strict=True))


def put(target: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """Sets a key."""
    if isinstance(target, TypedMap):
        raise GoError("assignment to entry in nil map")
    target[key] = value
    return target


def drop(target: dict[str, Any], key: str) -> dict[str, Any]:
    """Removes a key."""
    target.pop(key, None)
    return target


def pluck(key: str, *dicts: dict[str, Any]) -> list[Any]:
    """The values of a key in several dictionaries."""
    return [source[key] for source in dicts if key in source]


def keys(*dicts: dict[str, Any]) -> TypedList:
    """The keys of all dictionaries; sorted in each, where Go gives them in any order."""
    return string_list([key for source in dicts for key in sorted(source)])


def omit(source: dict[str, Any], *unwanted: str) -> dict[str, Any]:
    """The dictionary without some keys."""
    return {key: value for key, value in source.items() if key not in unwanted}


def merge(overwrite: bool, target: dict[str, Any], *sources: dict[str, Any]) -> dict[str, Any]:
    """Merges dictionaries into the first; its values win, unless they are to be overwritten."""
    for source in sources:
        if isinstance(target, TypedMap):
            if isinstance(source, TypedMap):
                continue
            target = {}
        _merge(target, source, overwrite)
    return target


def _merge(target: dict[str, Any], source: dict[str, Any], overwrite: bool) -> None:
    budgets.current().steps(1 + len(source))
    for key, value in source.items():
        known = target.get(key)
        if value is None:
            if overwrite:
                target[key] = None
            continue
        if isinstance(value, dict) and isinstance(known, dict):
            if not isinstance(known, TypedMap):
                _merge(known, value, overwrite)
        elif isinstance(value, list | bytes):
            if overwrite or not target:
                target[key] = value
            elif known is None:
                target[key] = TypedList(type_name(value))
        if known and (isinstance(value, list | bytes) or (isinstance(value, dict) and isinstance(known, dict))):
            continue
        if (overwrite and not _is_pointer(value)) or not known:
            target[key] = value


def _is_pointer(value: Any) -> bool:
    return isinstance(value, Object) and value.go_kind == "ptr"


def deep_copy(value: Any) -> Any:
    """A copy that shares nothing with the original."""
    if isinstance(value, dict):
        budgets.current().steps(1 + len(value))
        items = {key: deep_copy(item) for key, item in value.items()}
        return TypedMap(value.go_type, items, is_nil=value.is_nil) if isinstance(value, TypedMap) else items
    if isinstance(value, list):
        budgets.current().steps(1 + len(value))
        copies = [deep_copy(item) for item in value]
        return TypedList(value.go_type, copies, is_nil=value.is_nil) if isinstance(value, TypedList) else copies
    return value


def whole_copy(value: Any) -> Any:
    """A deep copy of anything but nil."""
    if value is None:
        raise GoError("reflect: call of reflect.Value.Type on zero Value")
    return deep_copy(value)


def dig(*path: Any) -> Any:
    """A value deep inside a dictionary, or a fallback."""
    if len(path) < 3:
        raise GoError("dig needs at least three arguments")
    *names, fallback, current = path
    _expect(current, MAP)
    for name in names:
        _expect(name, "string")
    for index, name in enumerate(names):
        if index:
            _expect(current, MAP)
        if name not in current:
            return fallback
        current = current[name]
    return current


def _expect(value: Any, kind: str) -> None:
    if value is None:
        raise GoError(f"interface conversion: interface {{}} is nil, not {kind}")
    if type_name(value) != kind:
        raise GoError(f"interface conversion: interface {{}} is {type_name(value)}, not {kind}")


FUNCTIONS: dict[str, Function] = {
    "dict": function("...any", make),
    "get": function("map, string", lambda source, key: source.get(key, "")),
    "set": function("map, string, any", put),
    "unset": function("map, string", drop),
    "hasKey": function("map, string -> bool", lambda source, key: key in source),
    "pluck": function("string, ...map", pluck),
    "keys": function("...map -> []string", keys),
    "pick": function("map, ...string", lambda source, *wanted: {key: source[key] for key in wanted if key in source}),
    "omit": function("map, ...string", omit),
    "merge": function("map, ...map", lambda *dicts: merge(False, *dicts)),
    "mustMerge": function("map, ...map", lambda *dicts: merge(False, *dicts)),
    "mergeOverwrite": function("map, ...map", lambda *dicts: merge(True, *dicts)),
    "mustMergeOverwrite": function("map, ...map", lambda *dicts: merge(True, *dicts)),
    "values": function("map", lambda source: [source[key] for key in sorted(source)]),
    "deepCopy": function("any", whole_copy),
    "mustDeepCopy": function("any", whole_copy),
    "dig": function("...any", dig),
}
