"""What a cache knows, and in which order it may learn it; pure, no I/O.

Versions decide. A store has followed its resource up to `version`: whatever happened until then is in it. So

- a watch event up to that version is old news;
- the answer to a write up to that version is old news too: it is here, or something newer is, or the object was
  deleted since. An answer beyond it is ahead of the watch and is shown at once; the watch catches up later, and no
  event older than what is shown is taken;
- what a complete list of version L does not hold is gone, unless what is shown of it is newer than L.

No tombstones are needed, so nothing has to be remembered of what was deleted.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from landform.cluster import codec
from landform.cluster.errors import Unreadable
from landform.cluster.indexes import Index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from landform.cluster.resources import ObjectKey

log = logging.getLogger(__name__)

T = TypeVar("T")


class Store(Generic[T]):
    """Objects by namespace and name, with indexes; tells `changed(old, new)` after each change."""

    def __init__(self, changed: Callable[[T | None, T | None], None] = lambda old, new: None) -> None:
        self.version = 0
        """How far the resource has been followed."""

        self._changed = changed
        self._objects: dict[str, dict[ObjectKey, T]] = {}
        self._indexes: dict[str, Index[T]] = {}
        self._found: dict[ObjectKey, None] = {}
        self._rewriting = False

    def get(self, key: ObjectKey) -> T | None:
        """The object, if it is known."""
        objects = self._objects.get(key.namespace)
        return objects.get(key) if objects else None

    def list(self, namespace: str | None = None) -> list[T]:
        """The objects of a namespace, or of all; costs what is found."""
        if namespace is not None:
            return [*self._objects.get(namespace, {}).values()]
        return [obj for objects in self._objects.values() for obj in objects.values()]

    def __len__(self) -> int:
        return sum(map(len, self._objects.values()))

    def add_index(self, name: str, values: Callable[[T], Iterable[str]]) -> None:
        """Find objects by any of the values that the function gives for them."""
        if name in self._indexes:
            if self._indexes[name].values is not values:
                raise ValueError(f"there is another index of the name {name!r}")
            return
        index = self._indexes[name] = Index(values)
        for key, obj in self._items():
            index.update(key, None, obj)

    def by_index(self, name: str, value: str) -> Sequence[T]:
        """The objects that have the value; costs what is found."""
        return [self._objects[key.namespace][key] for key in self._indexes[name].keys(value)]

    def observe(self, obj: T) -> None:
        """The answer to a write: shown at once if it is ahead of the watch."""
        if number(obj) > self.version:
            self._put(obj)

    def apply(self, obj: T) -> None:
        """A watch reports that the object was created or changed."""
        if (version := number(obj)) > self.version:
            self.version = version
            self._put(obj)

    def remove(self, obj: T) -> None:
        """A watch reports that the object is gone; a newer one of the same name stays."""
        if (version := number(obj)) > self.version:
            self.version = version
            key = codec.key_of(obj)
            current = self.get(key)
            if current is not None and number(current) <= version:
                self._drop(key)

    def progress(self, version: str) -> None:
        """A watch reports that nothing else happened up to the version."""
        self.version = max(self.version, parse_version(version))

    def begin(self) -> None:
        """A list begins."""
        self._found.clear()
        self._rewriting = False

    def found(self, items: Iterable[T], version: str) -> None:
        """A part of a list of that version."""
        if parse_version(version) < self.version:
            # Lists are never older than what was seen before. Unless the cluster was put back to an older state:
            # then that is what counts from now on, whatever we knew.
            log.warning("the cluster went back from version %d to %s: a backup?", self.version, version)
            self.version, self._rewriting = 0, True
        for obj in items:
            self._found[codec.key_of(obj)] = None
            self._put(obj)

    def finish(self, version: str) -> None:
        """The list of that version is complete."""
        listed = parse_version(version)
        for key, obj in list(self._items()):
            if key not in self._found and (self._rewriting or number(obj) <= listed):
                self._drop(key)
        self.begin()
        self.version = max(self.version, listed)

    def _items(self) -> Iterator[tuple[ObjectKey, T]]:
        for objects in self._objects.values():
            yield from objects.items()

    def _put(self, obj: T) -> None:
        key = codec.key_of(obj)
        objects = self._objects.setdefault(key.namespace, {})
        old = objects.get(key)
        if old is not None and not self._rewriting and number(obj) <= number(old):
            return
        objects[key] = obj
        self._tell(key, old, obj)

    def _drop(self, key: ObjectKey) -> None:
        objects = self._objects[key.namespace]
        old = objects.pop(key)
        if not objects:
            del self._objects[key.namespace]
        self._tell(key, old, None)

    def _tell(self, key: ObjectKey, old: T | None, new: T | None) -> None:
        for index in self._indexes.values():
            index.update(key, old, new)
        self._changed(old, new)


def number(obj: Any) -> int:
    """The object's version as a number."""
    return parse_version(codec.metadata(obj).resource_version)


def parse_version(version: str) -> int:
    """A version as a number: Kubernetes' versions of one resource grow, and only those can be cached."""
    if version.isascii() and version.isdecimal():
        return int(version)
    raise Unreadable(f"the resourceVersion {version!r} is not a number, so it cannot be said what is newer")
