"""A fast reader for YAML as programs write it: blocks of plain keys and values, one on each line.

Descriptors of a megabyte are read many times faster than by a real YAML parser. Whatever this reader is not certain
about, it leaves to that parser: comments, several documents, texts over several lines, anchors, flow style, tabs, and
everything that is not ASCII.
"""

from __future__ import annotations

import json
import re
from typing import Any

from landform.kit import yamls

_UNUSUAL = re.compile(r"[^\x20-\x7e\n]")
_LINE = re.compile(r"( *)((?:- )*)(?:([A-Za-z_][A-Za-z0-9_./-]*):(?: +(\S.*))?|(\S.*))")
_PLAIN = re.compile(r"(?:-[0-9]|[A-Za-z0-9_/.(+$~])[^\n]*")
_MAYBE_NUMBER = re.compile(r"[-+]?(?:0[xob].*|[0-9_.]+(?:e[-+]?[0-9]+)?|\.(?:inf|nan))", re.IGNORECASE)
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"})
_LONGEST_WORD = max(map(len, _WORDS))
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\["\\/bfnrt])*"')
_DEEPEST = 50
_LONGEST_KEY = 500

_ITEM = "-"
Token = tuple[int, str, str | None]
"""A column, a key (or `-` for an item of a list, or nothing for a lone value), and a value if there is one."""


class NotPlain(Exception):
    """The text is left to a real parser."""


def load(text: str) -> Any:
    """The value of a plain text, as `landform.kit.yamls` would read it; NotPlain if it is not plain enough."""
    if _UNUSUAL.search(text):
        raise NotPlain
    tokens = _tokens(text)
    if not tokens or tokens[0][0] != 0:
        raise NotPlain
    value, index = _block(tokens, 0, 0, {})
    if index != len(tokens):
        raise NotPlain
    return value


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    match = _LINE.fullmatch
    for line in text.removesuffix("\n").split("\n"):
        found = match(line)
        if found is None:
            raise NotPlain
        spaces, dashes, key, value, lone = found.groups()
        column = len(spaces)
        for _ in range(len(dashes) // 2):
            tokens.append((column, _ITEM, None))
            column += 2
        if key is not None:
            if (len(key) <= _LONGEST_WORD and key.lower() in _WORDS) or len(key) > _LONGEST_KEY:
                raise NotPlain
            tokens.append((column, key, value))
        elif lone.startswith("..."):
            raise NotPlain
        else:
            tokens.append((column, "", lone))
    return tokens


def _block(tokens: list[Token], index: int, depth: int, known: dict[str, Any]) -> tuple[Any, int]:
    """The value that begins at a token, and the token after it."""
    if depth > _DEEPEST:
        raise NotPlain
    column, kind, value = tokens[index]
    if kind == _ITEM:
        return _list(tokens, index, column, depth, known)
    if kind:
        return _map(tokens, index, column, depth, known)
    index += 1
    if value is None or (index < len(tokens) and tokens[index][0] >= column):
        raise NotPlain  # the value may go on in the next line
    return _scalar(value, known), index


def _list(tokens: list[Token], index: int, column: int, depth: int, known: dict[str, Any]) -> tuple[Any, int]:
    items: list[Any] = []
    while index < len(tokens) and tokens[index][0] == column and tokens[index][1] == _ITEM:
        index += 1
        if index == len(tokens) or tokens[index][0] <= column:
            raise NotPlain
        item, index = _block(tokens, index, depth + 1, known)
        items.append(item)
    if index < len(tokens) and tokens[index][0] > column:
        raise NotPlain
    return items, index


def _map(tokens: list[Token], index: int, column: int, depth: int, known: dict[str, Any]) -> tuple[Any, int]:
    entries: dict[str, Any] = {}
    count = len(tokens)
    while index < count and tokens[index][0] == column:
        _, key, value = tokens[index]
        if not key or key == _ITEM:
            break
        index += 1
        if value is not None:
            entries[key] = _scalar(value, known)
        elif index < count and (tokens[index][0] > column or tokens[index][:2] == (column, _ITEM)):
            # A list may begin in the column of its key.
            entries[key], index = _block(tokens, index, depth + 1, known)
        else:
            entries[key] = None
        if index < count and tokens[index][0] > column:
            raise NotPlain
    return entries, index


def _scalar(text: str, known: dict[str, Any]) -> Any:
    """What a text on its own means; `known` remembers it, because most texts of a descriptor occur many times."""
    if text in known:
        return known[text]
    if text in ("[]", "{}"):
        return [] if text == "[]" else {}
    value = known[text] = _meaning(text.rstrip(" "))
    return value


def _meaning(text: str) -> Any:
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
        return yamls.load(text)
    return text
