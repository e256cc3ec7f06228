"""Component versions that were read before, by the digest of their manifest.

A digest stands for all that a manifest leads to, its descriptor included; so what was read once, checked and decoded
need not be read again, by whichever job. What a tag stands for is never remembered here: tags may move.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from landform.components.limits import MEBIBYTE

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Remembered:
    """A descriptor that was read."""

    descriptor: Mapping[str, Any]
    """In the shape of v2."""

    schema: str
    """The schema that it is stored in."""

    size: int
    """Bytes of its text."""


@dataclass
class Memory:
    """Descriptors by the digest of their manifest; those that were not asked for longest go first."""

    limit: int = 8 * MEBIBYTE
    """Bytes of all texts together; decoded they take some ten times as much."""

    _known: OrderedDict[str, Remembered] = field(default_factory=OrderedDict, init=False)
    _size: int = field(default=0, init=False)

    def get(self, digest: str) -> Remembered | None:
        """What is known of a manifest."""
        found = self._known.get(digest)
        if found is not None:
            self._known.move_to_end(digest)
        return found

    def put(self, digest: str, read: Remembered) -> None:
        """Remember what a manifest leads to."""
        replaced = self._known.pop(digest, None)
        self._size += read.size - (replaced.size if replaced else 0)
        self._known[digest] = read
        while self._size > self.limit:
            _, oldest = self._known.popitem(last=False)
            self._size -= oldest.size
