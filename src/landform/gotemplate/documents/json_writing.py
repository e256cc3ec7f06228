"""JSON as Go's encoding/json writes it."""

from __future__ import annotations

import base64
import re
from typing import Any

from landform.gotemplate import budgets
from landform.gotemplate.errors import GoError, Overspent
from landform.gotemplate.values import MISSING, Object, TypedList, TypedMap, type_name
from landform.kit.floats import json_number, special

_ESCAPES = {
    **{code: f"\\u{code:04x}" for code in range(0x20)},
    **{ord(char): f"\\{letter}" for char, letter in zip('\b\f\n\r\t"\\', 'bfnrt"\\', strict=True)},
    0x2028: "\\u2028",
    0x2029: "\\u2029",
    **dict.fromkeys(range(0xDC80, 0xDD00), "\\ufffd"),
}
_HTML_ESCAPES = {**_ESCAPES, **{ord(char): f"\\u{ord(char):04x}" for char in "<>&"}}
_SPECIAL = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029\udc80-\udcff]')
_DEEPEST = 200


def quoted(text: str, *, html: bool = True) -> str:
    """The text as a JSON string."""
    if not _SPECIAL.search(text):
        return f'"{text}"'
    return f'"{text.translate(_HTML_ESCAPES if html else _ESCAPES)}"'


def number(value: float) -> str:
    """The number as JSON: with an exponent only when it is very small or large."""
    if special(value) is not None:
        raise GoError(f"json: unsupported value: {special(value)}")
    return json_number(value)


class Writer:
    """Writes one value."""

    def __init__(self, *, html: bool = True, indent: str = "") -> None:
        self._html = html
        self._indent = indent
        self._parts: list[str] = []
        self._size = 0
        self._depth = 0

    def text(self, value: Any) -> str:
        """The value as JSON; GoError when it cannot be written."""
        self._write(value)
        return "".join(self._parts)

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._size += len(text)
        if self._size > 1 << 16:
            budgets.current().size(self._size)

    def _write(self, value: Any) -> None:
        if isinstance(value, str):
            self._add(quoted(value, html=self._html))
        elif value is None or value is MISSING:
            self._add("null")
        elif isinstance(value, bool):
            self._add("true" if value else "false")
        elif isinstance(value, int):
            self._add(int.__repr__(value))
        elif isinstance(value, float):
            self._add(number(value))
        elif isinstance(value, dict):
            self._map(value)
        elif isinstance(value, list):
            self._list(value)
        elif isinstance(value, bytes):
            self._add(f'"{base64.b64encode(value).decode()}"')
        elif isinstance(value, Object):
            self._object(value)
        else:
            raise GoError(f"json: unsupported type: {type_name(value)}")

    def _object(self, value: Object) -> None:
        marshal = value.methods.get("MarshalJSON")
        if marshal is not None:
            self._add(marshal.call(value).decode())
            return
        shown = {name: item for name, item in value.fields().items() if name[0].isupper()}
        self._items("{", [(quoted(name, html=self._html), item) for name, item in shown.items()], "}")

    def _map(self, value: dict[str, Any]) -> None:
        if isinstance(value, TypedMap) and value.is_nil:
            self._add("null")
            return
        self._items("{", [(quoted(key, html=self._html), value[key]) for key in sorted(value)], "}")

    def _list(self, value: list[Any]) -> None:
        if isinstance(value, TypedList) and value.is_nil:
            self._add("null")
            return
        self._items("[", [("", item) for item in value], "]")

    def _items(self, opening: str, items: list[tuple[str, Any]], closing: str) -> None:
        budgets.current().steps(1 + len(items) // 4)
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Overspent(f"values inside values more than {_DEEPEST} deep")
        line = "\n" + self._indent * self._depth if self._indent else ""
        colon = ": " if self._indent else ":"
        self._add(opening)
        for index, (name, item) in enumerate(items):
            self._add(("," if index else "") + line + (name + colon if name else ""))
            self._write(item)
        self._depth -= 1
        self._add(("\n" + self._indent * self._depth if self._indent and items else "") + closing)


def compact(value: Any) -> str:
    """The value on one line, safe inside HTML."""
    return Writer().text(value)


def pretty(value: Any) -> str:
    """The value with two spaces of indentation, safe inside HTML."""
    return Writer(indent="  ").text(value)


def raw(value: Any) -> str:
    """The value on one line, with HTML left as it is."""
    return Writer(html=False).text(value)
