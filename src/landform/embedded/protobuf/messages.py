"""How built-in kinds are written in protobuf: the fields of each message, as ``tools/messages`` found them."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import msgspec

FILE = "messages.json.gz"

ANY_DELETE_OPTIONS = "DeleteOptions"
"""Every group has these, all alike."""


class Field(NamedTuple):
    """One field of a message."""

    number: int
    name: str
    """Its name in JSON; empty if it is inlined."""

    type: str
    """A letter for what is no message, after a bracket for lists and maps; else the name of a message."""

    mode: str
    """How emptiness is meant: ``""`` left out, ``p`` said on purpose, ``r`` always said, ``n`` inlined."""


class _Content(msgspec.Struct):
    kinds: dict[str, str]
    messages: dict[str, msgspec.Raw]


@dataclass(frozen=True)
class Messages:
    """The messages, decoded one at a time."""

    _content: _Content
    _known: dict[str, dict[int, Field]]

    def fields(self, message: str) -> dict[int, Field]:
        """The fields of a message by their number."""
        known = self._known.get(message)
        if known is None:
            rows: list[Any] = msgspec.json.decode(self._content.messages[message])
            known = self._known[message] = {row[0]: Field(*row) for row in rows}
        return known

    def of_kind(self, api_version: str, kind: str) -> str | None:
        """The message of a kind; None if there is none."""
        if kind == ANY_DELETE_OPTIONS:
            return self._content.kinds[ANY_DELETE_OPTIONS]
        return self._content.kinds.get(f"{api_version} {kind}")


@cache
def messages() -> Messages:
    """The messages of this package, read once."""
    packed = resources.files(__package__).joinpath(FILE).read_bytes()
    return Messages(msgspec.json.decode(gzip.decompress(packed), type=_Content), {})
