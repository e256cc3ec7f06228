"""A fast reader for YAML as programs write it: blocks of plain keys and values, one on each line.

Texts of a megabyte are read many times faster than by a real YAML parser: line by line, and each line that occurred
before is known already. Whatever this reader is not certain about, it leaves to that parser: comments, several
documents, texts over several lines, anchors, flow style, tabs, empty lines.
"""

from __future__ import annotations

import json
import re
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

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


class _Line(NamedTuple):
    column: int
    dashes: int
    kind: _Kind
    key: str
    value: Any


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
        building.add(line)
    return building.value


class _Building:
    """A value that grows line by line. `pending` is the key that waits for a value in the next line."""

    def __init__(self) -> None:
        self._root: list[Any] = []
        self._top: Any = self._root
        self._column = -1
        self._above: list[tuple[int, Any]] = []
        self._pending: str | None = None
        self._is_new_item = True
        """Whether the list on top has got a dash, and no value yet."""

    @property
    def value(self) -> Any:
        return self._root[0]

    def add(self, line: _Line) -> None:
        """Go on with a line."""
        column, dashes, kind, key, value = line
        if dashes or column != self._column or self._top.__class__ is not dict:
            for _ in range(dashes):
                self._begin_item(column)
                column += 2
            if kind is _Kind.LONE:
                self._add_lone(value, dashes)
                return
            self._enter_map(column)
        elif kind is _Kind.LONE:
            raise NotPlain
        self._top[key] = value
        self._pending = key if kind is _Kind.OPEN else None

    def _add_lone(self, value: Any, dashes: int) -> None:
        if not dashes:
            raise NotPlain  # it may belong to the line before
        self._top.append(value)
        self._is_new_item = False

    def _begin_item(self, column: int) -> None:
        """A dash: an item of the list in this column, which may be a new list."""
        self._leave(column)
        if self._column < column or self._pending is not None:
            # A list may begin in the column of its key.
            self._open(column, [])
        elif self._top.__class__ is not list:
            raise NotPlain
        self._is_new_item = True

    def _enter_map(self, column: int) -> None:
        """A key: an entry of the map in this column, which may be a new map."""
        self._leave(column)
        if self._column == column and self._top.__class__ is list:
            self._close()
        if self._column < column:
            self._open(column, {})
        elif not isinstance(self._top, dict):
            raise NotPlain

    def _leave(self, column: int) -> None:
        while self._column > column:
            self._close()

    def _close(self) -> None:
        self._column, self._top = self._above.pop()
        self._pending = None

    def _open(self, column: int, container: Any) -> None:
        """A new list or map where a value is expected."""
        if len(self._above) > _DEEPEST:
            raise NotPlain
        if self._pending is not None:
            self._top[self._pending] = container
            self._pending = None
        elif self._is_new_item and self._top.__class__ is list:
            self._top.append(container)
            self._is_new_item = False
        else:
            raise NotPlain
        self._above.append((self._column, self._top))
        self._column, self._top = column, container


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
