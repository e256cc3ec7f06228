"""The order of a list after a strategic merge: that of the patch first, then that of the current list."""

from __future__ import annotations

from typing import Any


def partition(items: list[Any], chosen: list[Any], key: str) -> tuple[list[Any], list[Any]]:
    """The items that `chosen` has too, and the others; `key` is the merge key, or empty for plain values."""
    identities = [_identity(item, key) for item in chosen]
    inside = [item for item in items if _identity(item, key) in identities]
    outside = [item for item in items if _identity(item, key) not in identities]
    return inside, outside


def in_order(
    patched: list[Any], untouched: list[Any], patch_order: list[Any], current_order: list[Any], key: str
) -> list[Any]:
    """Both lists as one: patched items in the patch's order, the others before the first they stood before."""
    right = _sorted(patched, patch_order, key)
    result: list[Any] = []
    for item in _sorted(untouched, current_order, key):
        at = _index(current_order, item, key)
        while right and not 0 <= at < _index(current_order, right[0], key):
            result.append(right.pop(0))
        result.append(item)
    return result + right


def _sorted(items: list[Any], order: list[Any], key: str) -> list[Any]:
    return sorted(items, key=lambda item: _index(order, item, key))


def _index(items: list[Any], wanted: Any, key: str) -> int:
    """The place of the first item with the same identity; -1 if there is none."""
    identity = _identity(wanted, key)
    return next((at for at, item in enumerate(items) if _identity(item, key) == identity), -1)


def _identity(item: Any, key: str) -> Any:
    return item.get(key) if key and isinstance(item, dict) else item
