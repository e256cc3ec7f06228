"""YAML as sigs.k8s.io/yaml writes it: by way of JSON, then as go-yaml v2 emits it."""

from __future__ import annotations

import base64
import functools
import re
import unicodedata
from typing import Any

from landform.gotemplate import budgets
from landform.gotemplate.documents import json_writing
from landform.gotemplate.documents.yaml_scalars import needs_quotes
from landform.gotemplate.errors import GoError, Overspent
from landform.gotemplate.numbers import INT64_MIN, UINT64_MAX
from landform.gotemplate.values import MISSING, Object, TypedList, TypedMap
from landform.kit.floats import general

_WIDTH = 80
_LONGEST_KEY = 128
_DEEPEST = 200
_BREAKS = "\r\n\x85\u2028\u2029"
_CONTROL = re.compile("[\x7f-\x84\x86-\x9f\ufffe\uffff]")
# Only from the first blank of a run: trying each of a million blanks would take for ever.
_NEXT_LINE = re.compile("(?<![ \t])[ \t]*+\x85(?:[ \t]*+\x85)*[ \t]*")
_PLAIN = re.compile(r"[A-Za-z0-9_/.()=+$;<^~\\-]+(?: [A-Za-z0-9_/.()=+$;<^~\\-]+)*\Z")
_FIRST_INDICATORS = "#,[]{}&*!|>'\"%@`"
_ESCAPES = {
    "\0": "0",
    "\a": "a",
    "\b": "b",
    "\t": "t",
    "\n": "n",
    "\v": "v",
    "\f": "f",
    "\r": "r",
    "\x1b": "e",
    '"': '"',
    "\\": "\\",
    "\x85": "N",
    "\xa0": "_",
    "\u2028": "L",
    "\u2029": "P",
}


def write(value: Any) -> str:
    """The value as a YAML document; GoError when it cannot be written."""
    writer = _Writer()
    try:
        writer.node(value, -2, in_sequence=False, root=True)
    except GoError as error:
        raise GoError(f"error marshaling into JSON: {error}" if str(error).startswith("json") else str(error)) from None
    return "".join(writer.parts)


class _Writer:
    """Writes one document, and knows the column where it stands."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._column = 0
        self._size = 0
        self._depth = 0

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self._size += len(text)
        if self._size > 1 << 16:
            budgets.current().size(self._size)
        end = text.rfind("\n")
        self._column = self._column + len(text) if end < 0 else len(text) - end - 1

    def node(self, value: Any, indent: int, *, in_sequence: bool, root: bool = False) -> None:
        """A value after a key, a dash or nothing; it ends with a new line."""
        if isinstance(value, Object):
            value = _plain_object(value)
        if isinstance(value, dict) and not (isinstance(value, TypedMap) and value.is_nil):
            self._mapping(value, indent, in_sequence, root)
        elif isinstance(value, list) and not (isinstance(value, TypedList) and value.is_nil):
            self._sequence(value, indent, in_sequence, root)
        else:
            self._scalar(value, indent, root)

    def _nest(self, count: int) -> None:
        budgets.current().steps(1 + count // 4)
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Overspent(f"values inside values more than {_DEEPEST} deep")

    def _mapping(self, value: dict[str, Any], indent: int, in_sequence: bool, root: bool) -> None:
        if not value:
            self._put("{}\n" if root else " {}\n")
            return
        self._nest(len(value))
        inner = indent + 2
        for index, key in enumerate(sorted(value, key=functools.cmp_to_key(compare_keys))):
            if index or not in_sequence:
                if not (root and not index):
                    self._line(inner, first=not index)
            else:
                self._put(" ")
            self._entry(key, value[key], inner)
        self._depth -= 1

    def _line(self, indent: int, *, first: bool) -> None:
        if first and self._column:
            self._put("\n")
        self._put(" " * indent)

    def _entry(self, key: str, item: Any, indent: int) -> None:
        if len(key.encode("utf-8", "replace")) > _LONGEST_KEY or any(char in _BREAKS for char in key):
            self._put("?")
            self._text(key, indent, key=False)
            self._put(" " * indent + ":")
        else:
            self._put(self._key(key) + ":")
        if isinstance(item, list) and item:
            self.node(item, indent - 2, in_sequence=False)
        else:
            self.node(item, indent, in_sequence=False)

    def _key(self, key: str) -> str:
        key = _reread(key)
        style = _style(key, key=True)
        if style == "plain":
            return key
        return _single(key) if style == "single" else _double(key)

    def _sequence(self, value: list[Any], indent: int, in_sequence: bool, root: bool) -> None:
        if not value:
            self._put("[]\n" if root else " []\n")
            return
        self._nest(len(value))
        inner = indent + 2
        for index, item in enumerate(value):
            if index or not in_sequence:
                if not (root and not index):
                    self._line(inner, first=not index)
            else:
                self._put(" ")
            self._put("-")
            self.node(item, inner, in_sequence=True)
        self._depth -= 1

    def _scalar(self, value: Any, indent: int, root: bool) -> None:
        if isinstance(value, str):
            self._text(value, indent, key=False, root=root)
            return
        if isinstance(value, bytes):
            self._text(base64.b64encode(value).decode(), indent, key=False, root=root)
            return
        self._put(("" if root else " ") + _plain(value) + "\n")

    def _text(self, text: str, indent: int, *, key: bool, root: bool = False) -> None:
        text = _reread(text)
        space = "" if root else " "
        style = _style(text, key=key)
        if style == "literal":
            self._literal(text, indent, space)
            return
        self._put(space)
        inner = max(indent, 0) + 2
        if style == "plain":
            self._folded(text, inner)
        elif style == "single":
            self._put("'")
            self._folded(text.replace("'", "''"), inner, quoted=True)
            self._put("'")
        else:
            self._folded_double(text, inner)
        self._put("\n")

    def _folded(self, text: str, indent: int, *, quoted: bool = False) -> None:
        """Text broken at single spaces once a line is full."""
        if self._column + len(text) <= _WIDTH:
            self._put(text)
            return
        after_space = False
        run: list[str] = []
        column = self._column
        for index, char in enumerate(text):
            alone = char == " " and not after_space and text[index + 1 : index + 2] != " "
            if alone and column > _WIDTH and (not quoted or 0 < index < len(text) - 1):
                run.append("\n" + " " * indent)
                column = indent
            else:
                run.append(char)
                column += 1
            after_space = char == " "
        self._put("".join(run))

    def _folded_double(self, text: str, indent: int) -> None:
        self._put('"')
        after_space = False
        for index, char in enumerate(text):
            if _escaped(char):
                self._put(_escape(char))
                after_space = False
            elif char == " ":
                if not after_space and self._column > _WIDTH and 0 < index < len(text) - 1:
                    self._put("\n" + " " * indent + ("\\" if text[index + 1] == " " else ""))
                else:
                    self._put(" ")
                after_space = True
            else:
                self._put(char)
                after_space = False
        self._put('"')

    def _literal(self, text: str, indent: int, space: str) -> None:
        hint = "2" if text[0] in " " + _BREAKS else ""
        chomp = "-" if text[-1] not in _BREAKS else "+" if len(text) == 1 or text[-2] in _BREAKS else ""
        self._put(f"{space}|{hint}{chomp}\n")
        padding = " " * (max(indent, 0) + 2)
        at_start = True
        lines: list[str] = []
        for char in text:
            if char in _BREAKS:
                lines.append(char)
                at_start = True
            else:
                lines.append(padding + char if at_start else char)
                at_start = False
        self._put("".join(lines) if at_start else "".join(lines) + "\n")


def _reread(text: str) -> str:
    """The text after its way through JSON and back: some characters do not survive it."""
    if text.isascii() and "\x7f" not in text:
        return text
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if _CONTROL.search(text):
        raise GoError("yaml: control characters are not allowed")
    return _NEXT_LINE.sub(lambda match: "\n" * (match[0].count("\x85") - 1) or " ", text)


def _plain_object(value: Object) -> Any:
    """A struct as JSON would show it."""
    marshal = value.methods.get("MarshalJSON")
    if marshal is not None:
        return marshal.call(value).decode().strip('"')
    return {name: item for name, item in value.fields().items() if name[0].isupper()}


def _plain(value: Any) -> str:
    """A scalar other than a string."""
    if value is None or value is MISSING or isinstance(value, list | dict):
        return "null"
    if isinstance(value, float):
        shown = json_writing.number(value)
        if "e" not in shown and "." not in shown and INT64_MIN <= int(shown) <= UINT64_MAX:
            return "0" if shown == "-0" else shown
        return general(value)
    return json_writing.compact(value)


def _style(text: str, *, key: bool) -> str:
    """How a string is written: plain, single, double or literal."""
    if not text:
        return "double"
    if _PLAIN.match(text) and not needs_quotes(text) and text[:3] not in ("---", "...") and not text.startswith("- "):
        return "plain" if text != "-" else "single"
    plain, single, block = _allowed(text)
    if "\n" in text:
        return "literal" if block and not key else "double"
    if needs_quotes(text):
        return "double"
    if plain and not (key and any(char in _BREAKS for char in text)):
        return "plain"
    return "single" if single else "double"


def _allowed(text: str) -> tuple[bool, bool, bool]:
    """Whether the string may stand plain, in single quotes, and as a block."""
    plain = not (
        text[:3] in ("---", "...")
        or text[0] in _FIRST_INDICATORS
        or (text[0] in "?:-" and text[1:2] in ("", " ", "\t"))
        or text[0] == " "
        or text[-1] == " "
        or re.search(r":(?:[ \t]|\Z)|[ \t\n\r]#", text)
    )
    breaks = any(char in _BREAKS for char in text)
    special = any(not _printable(char) for char in text) or re.search(f" [{_BREAKS}]", text) is not None
    break_space = re.search(f"[{_BREAKS}] ", text) is not None
    if special:
        return False, False, False
    return plain and not breaks, not break_space, text[-1] != " "


def _printable(char: str) -> bool:
    code = ord(char)
    return (
        code == 0x0A
        or 0x20 <= code <= 0x7E
        or (0xA0 <= code < 0x10000 and not 0xD800 <= code <= 0xDFFF and code not in (0xFEFF, 0xFFFE, 0xFFFF))
    )


def _escaped(char: str) -> bool:
    return not _printable(char) or char in _BREAKS or char in '"\\' or char == "\ufeff"


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return "\\" + _ESCAPES[char]
    code = ord(char)
    return f"\\x{code:02X}" if code <= 0xFF else f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _double(text: str) -> str:
    return '"' + "".join(_escape(char) if _escaped(char) else char for char in text) + '"'


def compare_keys(first: str, other: str) -> int:
    """The order of keys: letters after all else, and numbers inside them by their size."""
    for index in range(min(len(first), len(other))):
        left, right = first[index], other[index]
        if left != right:
            return _compare_at(first, other, index)
    return len(first) - len(other)


def _compare_at(first: str, other: str, index: int) -> int:
    left, right = first[index], other[index]
    left_letter, right_letter = (unicodedata.category(char)[0] == "L" for char in (left, right))
    if left_letter and right_letter:
        return ord(left) - ord(right)
    if left_letter or right_letter:
        return -1 if right_letter else 1
    start = 0
    if "0" in (left, right):
        place = index - 1
        while place >= 0 and first[place].isdecimal():
            if first[place] != "0":
                start = 1
                break
            place -= 1
    left_number, left_end = _digits(first, index, start)
    right_number, right_end = _digits(other, index, start)
    if left_number != right_number:
        return -1 if left_number < right_number else 1
    if left_end != right_end:
        return left_end - right_end
    return ord(left) - ord(right)


def _digits(text: str, index: int, start: int) -> tuple[int, int]:
    number = start
    while index < len(text) and text[index].isdecimal():
        number = (number * 10 + ord(text[index]) - 48 + (1 << 63)) % (1 << 64) - (1 << 63)
        index += 1
    return number, index
