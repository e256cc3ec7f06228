"""A fast reader for YAML as programs write it: blocks of plain keys and values, one on each line.

Texts of a megabyte are read many times faster than by a real YAML parser: line by line, and each line that occurred
before is known already. Whatever this reader is not certain about, it leaves to that parser: comments, several
documents, texts over several lines, anchors, flow style, tabs, empty lines.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import Any

from landform.kit.yamls import documents

_UNUSUAL = re.compile(r"[^\x20-\x7e\n\xa1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_LINE = re.compile(r"( *)((?:- )*)(?:([A-Za-z_][A-Za-z0-9_./-]*):(?: +(\S.*))?|(\S.*))", re.ASCII)
_PLAIN = re.compile(r"(?:-[0-9]|[A-Za-z0-9_/.(+$~])[^\n]*")
_MAYBE_NUMBER = re.compile(r"[-+]?(?:0[xob].*|[0-9_.]+(?:e[-+]?[0-9]+)?|\.(?:inf|nan))", re.IGNORECASE)
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"})
_LONGEST_WORD = max(map(len, _WORDS))
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\["\\/bfnrt])*"')
_DEEPEST = 50
_LONGEST_KEY = 500


class NotPlain(Exception):
    """The text is left to a real parser."""


class _Kind(IntEnum):
    """What a line has after its indentation and dashes."""

    ENTRY = 0
    """A key and a value."""

    OPEN = 1
    """A key whose value is in the next lines, if there is any."""

    LONE = 2
    """A value without a key."""


@dataclass(slots=True)
class _Line:
    column: int
    dashes: int
    kind: _Kind
    key: str
    value: Any

    entry_column: int = field(init=False)
    """The column of a key with a value and nothing else; of all other lines it is one that no map has."""

    def __post_init__(self) -> None:
        self.entry_column = self.column if self.kind is _Kind.ENTRY and not self.dashes else -2


def load(text: str) -> Any:
    """The value of a plain text, as the real parser would read it; NotPlain if it is not plain enough."""
    if _UNUSUAL.search(text):
        raise NotPlain
    building = _Building()
    known: dict[str, _Line] = {}
    for written in text.removesuffix("\n").split("\n"):
        line = known.get(written)
        if line is None:
            line = _parse(written)
            if line.value.__class__ is not list and line.value.__class__ is not dict:
                known[written] = line  # but an empty list or map must be another one each time
        if line.entry_column == building.map_column:
            # Two lines of three are one more entry of the same map: no call for these.
            building.top[line.key] = line.value
            building.pending = None
        else:
            building.add(line)
    return building.value


class _Building:
    """A value that grows line by line."""

    def __init__(self) -> None:
        self._root: list[Any] = []
        self.top: Any = self._root
        """The list or the map that the last line belongs to."""

        self.map_column = -1
        """The column of the map on top; if it is a list, one that no line has."""

        self.pending: str | None = None
        """The key of the map on top that waits for a value in the next line."""

        self._column = -1
        self._above: list[tuple[int, Any]] = []
        self._is_new_item = True
        """Whether the list on top has got a dash, and no value yet."""

    @property
    def value(self) -> Any:
        return self._root[0]

    def add(self, line: _Line) -> None:
        """Go on with a line."""
        column = line.column
        for _ in range(line.dashes):
            self._begin_item(column)
            column += 2
        if line.kind is _Kind.LONE:
            if not line.dashes:
                raise NotPlain  # it may belong to the line before
            self.top.append(line.value)
            self._is_new_item = False
            return
        if column != self.map_column:
            self._enter_map(column)
        self.top[line.key] = line.value
        self.pending = line.key if line.kind is _Kind.OPEN else None

    def _begin_item(self, column: int) -> None:
        """A dash: an item of the list in this column, which may be a new list."""
        self._leave(column)
        if self._column < column or self.pending is not None:
            # A list may begin in the column of its key.
            self._open(column, [])
        elif self.top.__class__ is not list:
            raise NotPlain
        self._is_new_item = True

    def _enter_map(self, column: int) -> None:
        """A key: an entry of the map in this column, which may be a new map."""
        self._leave(column)
        if self._column == column and self.top.__class__ is list:
            self._close()
        if self._column < column:
            self._open(column, {})
        elif not isinstance(self.top, dict):
            raise NotPlain

    def _leave(self, column: int) -> None:
        while self._column > column:
            self._close()

    def _close(self) -> None:
        self._column, self.top = self._above.pop()
        self.map_column = self._column if self.top.__class__ is dict else -1
        self.pending = None

    def _open(self, column: int, container: Any) -> None:
        """A new list or map where a value is expected."""
        if len(self._above) > _DEEPEST:
            raise NotPlain
        if self.pending is not None:
            self.top[self.pending] = container
            self.pending = None
        elif self._is_new_item and self.top.__class__ is list:
            self.top.append(container)
            self._is_new_item = False
        else:
            raise NotPlain
        self._above.append((self._column, self.top))
        self._column, self.top = column, container
        self.map_column = column if container.__class__ is dict else -1


def _parse(written: str) -> _Line:
    found = _LINE.fullmatch(written)
    if found is None:
        raise NotPlain
    spaces, dashes, key, value, lone = found.groups()
    column, count = len(spaces), len(dashes) // 2
    if key is None:
        if lone.startswith("..."):
            raise NotPlain
        return _Line(column, count, _Kind.LONE, "", _meaning(lone.rstrip(" ")))
    if (len(key) <= _LONGEST_WORD and key.lower() in _WORDS) or len(key) > _LONGEST_KEY:
        raise NotPlain
    if value is None:
        return _Line(column, count, _Kind.OPEN, key, None)
    return _Line(column, count, _Kind.ENTRY, key, _meaning(value.rstrip(" ")))


def _meaning(text: str) -> Any:
    """What a text on its own means."""
    if text in ("[]", "{}"):
        return [] if text == "[]" else {}
    if text[0] == "'":
        if not _SINGLE_QUOTED.fullmatch(text):
            raise NotPlain
        return text[1:-1].replace("''", "'")
    if text[0] == '"':
        if not _DOUBLE_QUOTED.fullmatch(text):
            raise NotPlain
        return json.loads(text)
    if not _PLAIN.fullmatch(text) or ": " in text or " #" in text or text[-1] == ":":
        raise NotPlain
    if text.lower() in _WORDS or _MAYBE_NUMBER.fullmatch(text):
        return _scalar(text)
    return text


_scalar = lru_cache(4096)(documents.load)
"""What words and numbers mean; the real parser takes long to say so, and mostly the same is asked."""
