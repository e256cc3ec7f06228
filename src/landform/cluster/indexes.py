"""Named ways to find objects by what they say: children by owner, items by target, and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from landform.cluster.resources import ObjectKey

T = TypeVar("T")

_SMALL = 8
"""Up to so many keys a tuple is smaller than a dict and as fast; most values have one or a few."""


class Index(Generic[T]):
    """For each value, the keys of the objects that have it, in the order in which they got it.

    Finding costs what is found, whatever else there is. The order does not depend on hashes, so that a simulated run
    can be repeated exactly.
    """

    def __init__(self, values: Callable[[T], Iterable[str]]) -> None:
        self.values = values
        self._keys: dict[str, tuple[ObjectKey, ...] | dict[ObjectKey, None]] = {}

    def keys(self, value: str) -> Iterable[ObjectKey]:
        """Which objects have the value."""
        return self._keys.get(value, ())

    def update(self, key: ObjectKey, old: T | None, new: T | None) -> None:
        """The object with this key changed, appeared or went."""
        before = dict.fromkeys(self.values(old)) if old is not None else {}
        after = dict.fromkeys(self.values(new)) if new is not None else {}
        for value in before:
            if value not in after:
                self._remove(value, key)
        for value in after:
            if value not in before:
                self._add(value, key)

    def _add(self, value: str, key: ObjectKey) -> None:
        keys = self._keys.get(value, ())
        if isinstance(keys, dict):
            keys[key] = None
        elif len(keys) < _SMALL:
            self._keys[value] = (*keys, key)
        else:
            self._keys[value] = dict.fromkeys((*keys, key))

    def _remove(self, value: str, key: ObjectKey) -> None:
        keys = self._keys[value]
        if isinstance(keys, dict):
            del keys[key]
        else:
            keys = self._keys[value] = tuple(each for each in keys if each != key)
        if not keys:
            del self._keys[value]
