"""Lists whose items must be unique: sets, and lists with keys (``x-kubernetes-list-type``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster.errors import Cause
from landform.embedded.schemas import gotexts
from landform.embedded.schemas.nodes import ListType

if TYPE_CHECKING:
    from landform.embedded.schemas.rules import Rules


def has_repeated(rules: Rules, items: list[Any]) -> bool:
    """Whether an item is there twice; fast for items that are told apart by texts."""
    keys = rules.list_map_keys
    try:
        if rules.list_type is ListType.SET:
            distinct: set[Any] = set(items)
        elif len(keys) == 1:
            distinct = {item.get(keys[0]) for item in items}
        else:
            distinct = {tuple(map(item.get, keys)) for item in items}
    except (TypeError, AttributeError):  # items or keys that are objects, or no objects where they should be
        distinct = set()
    # equal in Python is not always equal in JSON (1 and true), so a repetition found here is only a suspicion
    return len(distinct) < len(items) and bool(repeated(rules, items))


def repeated(rules: Rules, items: list[Any]) -> list[tuple[int, Any]]:
    """Index and shown value of each item that was there before; the second occurrence only, as the API server does.

    Items of a keyed list that are no objects are a fault of their own, which `duplicates` reports.
    """
    if len(items) < 2 or rules.list_type is ListType.ATOMIC:
        return []
    identities = items if rules.list_type is ListType.SET else [_keys(rules, item) for item in items]
    seen: dict[str, int] = {}
    found = []
    for index, identity in enumerate(identities):
        text = f"{type(identity).__name__} {gotexts.as_json(identity)}"
        seen[text] = seen.get(text, 0) + 1
        if seen[text] == 2:
            found.append((index, identity))
    return found


def _keys(rules: Rules, item: Any) -> dict[str, Any]:
    members = item if isinstance(item, dict) else {}
    return {key: members[key] for key in rules.list_map_keys if key in members}


def duplicates(rules: Rules, value: Any, path: str = "") -> list[Cause]:
    """All duplicates in the lists of a value."""
    causes: list[Cause] = []
    if isinstance(value, dict):
        for name, inner in value.items():
            if rules.additional is not None:
                causes += duplicates(rules.additional, inner, f"{path}[{name}]")
            if name in rules.properties:
                causes += duplicates(rules.properties[name], inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        causes += _in_list(rules, value, path)
        if rules.items is not None:
            for index, item in enumerate(value):
                causes += duplicates(rules.items, item, f"{path}[{index}]")
    return causes


def _in_list(rules: Rules, items: list[Any], path: str) -> list[Cause]:
    if rules.list_type is ListType.MAP:
        for index, item in enumerate(items):
            if item is not None and not isinstance(item, dict):
                message = f"Invalid value: {gotexts.bad_value(item)}: must be an object for an array of list-type map"
                return [Cause("FieldValueInvalid", message, f"{path}[{index}]")]
    return [
        Cause("FieldValueDuplicate", f"Duplicate value: {gotexts.bad_value(shown)}", f"{path}[{index}]")
        for index, shown in repeated(rules, items)
    ]
