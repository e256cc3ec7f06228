"""The functions that every Go template has."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote_from_bytes

from landform.gotemplate import comparisons
from landform.gotemplate.errors import GoError
from landform.gotemplate.formatting import sprint, sprintln
from landform.gotemplate.functions import Function, function
from landform.gotemplate.printf import sprintf
from landform.gotemplate.quoting import is_print
from landform.gotemplate.values import (
    MISSING,
    Int,
    TypedList,
    TypedMap,
    Uint8,
    byte_length,
    decoded,
    encoded,
    type_name,
)

_HTML = str.maketrans({"\0": "\ufffd", '"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;"})
_JS = {"\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D"}


def _position(index: Any, limit: int) -> int:
    if isinstance(index, bool) or not isinstance(index, int):
        if index is None or index is MISSING:
            raise GoError("cannot index slice/array with nil")
        raise GoError(f"cannot index slice/array with type {type_name(index)}")
    if not 0 <= index <= limit:
        raise GoError(f"index out of range: {int(index)}")
    return int(index)


def _pointed(item: Any) -> str:
    """The type of a value, or of what it points to."""
    return type_name(item).removeprefix("*")


def index(item: Any, *indexes: Any) -> Any:
    """An element of a list, map or string, or of one inside it."""
    if item is None or item is MISSING:
        raise GoError("index of untyped nil")
    for key in indexes:
        if item is None:
            raise GoError("index of nil pointer")
        item = _element(item, key)
    return item


def _element(item: Any, key: Any) -> Any:
    if isinstance(item, dict):
        if key is None or key is MISSING:
            raise GoError("value is nil; should be of type string")
        if not isinstance(key, str):
            raise GoError(f"value has type {type_name(key)}; should be string")
        return item.get(key, item.zero() if isinstance(item, TypedMap) else None)
    if isinstance(item, str | bytes):
        content = encoded(item) if isinstance(item, str) else item
        position = _position(key, len(content))
        if position == len(content):
            raise GoError(f"reflect: {'string' if isinstance(item, str) else 'slice'} index out of range")
        return Uint8(content[position])
    if isinstance(item, list):
        position = _position(key, len(item))
        if position == len(item):
            raise GoError("reflect: slice index out of range")
        return item[position]
    raise GoError(f"can't index item of type {_pointed(item)}")


def cut(item: Any, *indexes: Any) -> Any:
    """A stretch of a list or string."""
    if item is None or item is MISSING:
        raise GoError("slice of untyped nil")
    if len(indexes) > 3:
        raise GoError(f"too many slice indexes: {len(indexes)}")
    if isinstance(item, str) and len(indexes) == 3:
        raise GoError("cannot 3-index slice a string")
    if not isinstance(item, str | bytes | list):
        raise GoError(f"can't slice item of type {_pointed(item)}")
    whole: Any = encoded(item) if isinstance(item, str) else item
    places = [_position(index, len(whole)) for index in indexes]
    start, end = places[0] if places else 0, places[1] if len(places) > 1 else len(whole)
    if start > end:
        raise GoError(f"invalid slice index: {start} > {end}")
    if len(places) == 3 and end > places[2]:
        raise GoError(f"invalid slice index: {end} > {places[2]}")
    if isinstance(item, str):
        return decoded(whole[start:end])
    return TypedList(item.go_type, item[start:end]) if isinstance(item, TypedList) else item[start:end]


def length(item: Any) -> Int:
    """The number of elements or bytes."""
    if isinstance(item, str):
        return Int(byte_length(item))
    if isinstance(item, list | dict | bytes):
        return Int(len(item))
    if item is None:
        raise GoError("len of nil pointer")
    if item is MISSING:
        raise GoError("reflect: call of reflect.Value.Type on zero Value")
    raise GoError(f"len of type {_pointed(item)}")


def call(name: str | None, callee: Any, *arguments: Any) -> Any:
    """Calls a function value; templates have none, so it only complains."""
    if callee is None or callee is MISSING:
        raise GoError("call of nil")
    if name is None:
        name = callee if isinstance(callee, str) else f"<{type_name(callee)} Value>"
    raise GoError(f"non-function {name} of type {type_name(callee)}")


def _text(values: tuple[Any, ...]) -> str:
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return sprint(["<no value>" if value is None else value for value in values])


def html(*values: Any) -> str:
    """The values as text, safe inside HTML."""
    return _text(values).translate(_HTML)


def js(*values: Any) -> str:
    """The values as text, safe inside a JavaScript string."""
    return "".join(map(_js_char, _text(values)))


def _js_char(char: str) -> str:
    if char in _JS:
        return _JS[char]
    if char < " ":
        return f"\\u00{ord(char):02X}"
    if char < "\x80" or is_print(char):
        return char
    code = ord(char)
    return "\\uFFFD" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04X}"


def urlquery(*values: Any) -> str:
    """The values as text, safe inside the query of a URL."""
    return quote_from_bytes(encoded(_text(values)), safe=" ").replace(" ", "+")


def _junction(*_values: Any) -> Any:
    """Stands for `and` and `or`, which are compiled in place."""
    raise AssertionError


BUILTINS: dict[str, Function] = {
    "and": function("value, ...value", _junction),
    "or": function("value, ...value", _junction),
    "not": function("value", lambda value: not value),
    "call": function("value, ...value", call),
    "html": function("...any", html),
    "index": function("value, ...value", index),
    "slice": function("value, ...value", cut),
    "js": function("...any", js),
    "len": function("value", length),
    "print": function("...any", lambda *values: sprint(values)),
    "printf": function("string, ...any", lambda text, *values: sprintf(text, values)),
    "println": function("...any", lambda *values: sprintln(values)),
    "urlquery": function("...any", urlquery),
    "eq": function("value, ...value", comparisons.equal),
    "ne": function("value, value", comparisons.unequal),
    "lt": function("value, value", comparisons.less),
    "le": function("value, value", comparisons.less_or_equal),
    "gt": function("value, value", comparisons.greater),
    "ge": function("value, value", comparisons.greater_or_equal),
}
"""The functions by name."""
