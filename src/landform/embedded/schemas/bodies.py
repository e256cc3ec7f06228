"""Bodies of requests: JSON that is decoded with its limits made explicit, and the keys that occur twice in it."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from landform.cluster.errors import BadRequest

DEEPEST: Final = 200
"""How deep objects and lists may be nested in a body.

Everything behind this walks down by recursion. Schemas of large CRDs stay below 100, and Python's own limit is 1000
calls, so this leaves room on both sides.
"""

_STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_STRINGS = re.compile(_STRING, re.DOTALL)
_TOKENS = re.compile(_STRING + rb"|[\[\]{}:,]", re.DOTALL)
_INNERMOST = re.compile(rb"\{\}|\[\]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_TEXT = msgspec.json.Decoder(str)
_POSITION = re.compile(r"\(byte (\d+)\)\Z")


def decode_body(raw: bytes) -> Any:
    """The value of a body; BadRequest that says what is wrong and where, whatever is sent."""
    if exceeds_depth(raw, DEEPEST):
        raise BadRequest(f"the body is nested more than {DEEPEST} levels deep")
    try:
        return msgspec.json.decode(raw)
    except UnicodeDecodeError:
        raise BadRequest(f"the body is not UTF-8: a bad byte {_place(raw, _first_bad_byte(raw))}") from None
    except msgspec.MsgspecError as error:
        raise BadRequest(f"the body is not valid JSON: {_reason(raw, str(error))}") from None


def _reason(raw: bytes, text: str) -> str:
    """The decoder's words with line and column instead of a count of bytes."""
    if not raw.strip():
        return "it is empty"
    found = _POSITION.search(text)
    if found is None:
        return text
    return text[: found.start()].removeprefix("JSON is malformed: ") + _place(raw, int(found[1]))


def _place(raw: bytes, offset: int) -> str:
    *lines, last = raw[:offset].split(b"\n")
    return f"at line {len(lines) + 1}, column {len(last) + 1}"


def _first_bad_byte(raw: bytes) -> int:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return error.start
    return 0


def exceeds_depth(raw: bytes, limit: int = DEEPEST) -> bool:
    """Whether JSON text nests deeper than the limit, found without a stack of our own.

    Most bodies are cleared by counting their brackets. Of the others only the brackets are kept, and the innermost
    pairs are removed from them level by level.
    """
    if raw.count(b"{") + raw.count(b"[") <= limit:
        return False
    left = _STRINGS.sub(b"", raw).translate(None, _NO_BRACKETS)
    for _ in range(limit):
        before, left = left, _INNERMOST.sub(b"", left)
        if len(left) == len(before):  # nothing closes any more: empty, or no JSON
            return left.count(b"{") + left.count(b"[") > limit
    return bool(left)


def duplicate_fields(raw: bytes) -> list[str]:
    """What the API server says of keys that occur twice in one object, for ``fieldValidation`` Warn and Strict.

    The text must be JSON that `decode_body` takes.
    """
    return [f'duplicate field "{path}"' for path in _Keys().duplicates(raw)]


class _Keys:
    """Walks over the tokens of JSON text and remembers the keys of each open object."""

    def __init__(self) -> None:
        self._open: list[tuple[str, set[str] | None]] = []
        """For each open object or list: its path, and the keys seen in it (None for a list)."""
        self._index: list[int] = []
        self._found: dict[str, None] = {}
        self._last = b""
        self._key = ""

    def duplicates(self, raw: bytes) -> list[str]:
        """The paths of keys that occur again, each once, in order."""
        for found in _TOKENS.finditer(raw):
            self._take(found[0])
        return list(self._found)

    def _take(self, token: bytes) -> None:
        if token in b"{[":
            self._open.append((self._path(), set() if token == b"{" else None))
            self._index.append(0)
        elif token in b"}]":
            self._open.pop()
            self._index.pop()
        elif token == b":":
            self._see_key(_TEXT.decode(self._last))
        elif token == b"," and self._open[-1][1] is None:
            self._index[-1] += 1
        self._last = token

    def _path(self) -> str:
        """Where a value that begins now is."""
        if not self._open:
            return ""
        path, keys = self._open[-1]
        if keys is None:
            return f"{path}[{self._index[-1]}]"
        return f"{path}.{self._key}" if path else self._key

    def _see_key(self, key: str) -> None:
        path, keys = self._open[-1]
        self._key = key
        if keys is not None and key in keys:
            self._found[f"{path}.{key}" if path else key] = None
        elif keys is not None:
            keys.add(key)
