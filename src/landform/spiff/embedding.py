"""Expressions inside texts: `(( ... ))` as a whole, `((! ... ))` escaped, and `a (( b )) c` where that is enabled."""

from __future__ import annotations

import json

from landform.spiff.nodes import MERGE_KEYS, Map, Node
from landform.spiff.texts import printable


def expression_text(text: str, interpolate: bool = False) -> str | None:
    """The expression that a text stands for, or None if it is plain text."""
    if text.startswith("((") and text.endswith("))"):
        inner = text[2:-2]
        return None if inner.startswith("!") else inner
    return interpolation(text, unescape=False)[1] if interpolate else None


def unescaped(node: Node, interpolate: bool) -> Node:
    """The node with one level of escaping removed from its text or its keys."""
    value = node.value
    if type(value) is str:
        text = _unescaped_text(value, interpolate)
        return node if text == value else Node(text, node.source)
    if type(value) is dict and any(key.startswith(("<<!", "<<<!")) for key in value):
        return Node(_unescaped_keys(value), node.source)
    return node


def _unescaped_text(text: str, interpolate: bool) -> str:
    if text.startswith("((") and text.endswith("))"):
        inner = text[2:-2]
        return f"(({inner[1:]}))" if inner.startswith("!") else text
    if interpolate:
        plain, _ = interpolation(text, unescape=True)
        return text if plain is None else plain
    return text


def _unescaped_keys(entries: Map) -> Map:
    renamed: Map = {}
    for key, node in entries.items():
        for merge_key in MERGE_KEYS:
            if key.startswith(merge_key + "!"):
                key = merge_key + key[len(merge_key) + 1 :]
                break
        renamed[key] = node
    return renamed


def interpolation(text: str, unescape: bool) -> tuple[str | None, str | None]:
    """A text with `(( ... ))` inside as one expression that joins its parts; else the text itself, perhaps unescaped.

    Exactly one of the two results is None.
    """
    if "((" not in text:
        return text, None
    parts = _Parts(unescape)
    position = 0
    while (start := _opening(text, position)) is not None:
        end = _closing(text, start)
        if end is None:
            break
        parts.text += text[position : start - 2]
        parts.close(text[start:end])
        position = end + 2
    parts.text += text[position:]
    return parts.finish()


def _opening(text: str, position: int) -> int | None:
    """Where the next expression begins, behind its brackets."""
    found = text.find("((", position)
    if found < 0:
        return None
    while text.startswith("(", found + 2):  # of many brackets the last two count
        found += 1
    return found + 2 if found + 2 < len(text) else None


def _closing(text: str, position: int) -> int | None:
    """Where the expression that begins here ends: at the first `))` outside of quotes and brackets."""
    level = 0
    quoted = False
    index = position
    while index < len(text):
        char = text[index]
        if quoted:
            if char == "\\":
                index += 1
            elif char == '"':
                quoted = False
        elif char == '"':
            quoted = index > position  # the first character only opens the expression
        elif char == "(":
            level += index > position
        elif char == ")" and index > position:
            if level:
                level -= 1
            elif text.startswith("))", index):
                return index
        index += 1
    return None


class _Parts:
    """The pieces of an interpolated text, joined to one expression."""

    def __init__(self, unescape: bool) -> None:
        self.text = ""
        self._unescape = unescape
        self._joined: list[str] = []

    def close(self, expression: str) -> None:
        """Takes an expression that has ended; an escaped one is text."""
        if expression.startswith("!"):
            self.text += f"(({expression[1:] if self._unescape else expression}))"
            return
        self._take_text()
        self._joined.append(f"( {expression.strip()} )")

    def _take_text(self) -> None:
        if self.text:
            self._joined.append(_go_json_text(self.text))
            self.text = ""

    def finish(self) -> tuple[str | None, str | None]:
        """The plain text, or the expression."""
        if not self._joined:
            return self.text, None
        self._take_text()
        return None, " ".join(self._joined)


def _go_json_text(text: str) -> str:
    quoted = json.dumps(printable(text), ensure_ascii=False)
    for char in "<>&\u2028\u2029":
        quoted = quoted.replace(char, f"\\u{ord(char):04x}")
    return quoted
