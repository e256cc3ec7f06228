"""Path elements: how one step into an object is written in a field set, sorted, and shown to people.

``f:name`` is a field, ``k:{"name":"x"}`` an item of a keyed list, ``v:"x"`` an item of a set, ``i:0`` an index.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode

# Go's JSON encoder writes these so, even inside the text of a path element.
_HTML = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}

_SCALARS = (str, int, float, bool, type(None))

_KIND_ORDER = {"f": 0, "k": 1, "v": 2, "i": 3}


class ElementError(ValueError):
    """A text is not a path element."""


@lru_cache(maxsize=4096, typed=True)
def of_value(value: Any) -> str:
    """The element of an item of a set."""
    return "v:" + _text(value)


def of_key(key: dict[str, Any]) -> str:
    """The element of an item of a keyed list; `key` holds the key fields that the item has."""
    if len(key) == 1:
        [(name, value)] = key.items()
        return "k:{" + _pair(name, value) + "}"
    return "k:{" + ",".join([_pair(name, key[name]) for name in sorted(key)]) + "}"


def canonical(element: str) -> str | None:
    """The element as we would write it; nothing if it is of a kind that we do not know."""
    if len(element) < 2:
        raise ElementError("key must be 2 characters long:")
    kind, separator, rest = element[0], element[1], element[2:]
    if separator != ":":
        raise ElementError(f"missing colon: {element}")
    if kind == "f":
        return element
    if kind not in _KIND_ORDER:
        return None
    try:
        value = msgspec.json.decode(rest)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise ElementError(str(error)) from error
    if kind == "k":
        if not isinstance(value, dict):
            raise ElementError(f"not a key: {element}")
        return of_key(value)
    if isinstance(value, dict | list) or (kind == "i" and not isinstance(value, int)):
        raise ElementError(f"not a value: {element}")
    return of_value(value) if kind == "v" else f"i:{value}"


def sort_key(element: str) -> tuple[Any, ...]:
    """Sorts elements as the API server does: fields, keys, values, indexes; numbers by size, not by text."""
    kind = element[0]
    if kind in ".f":
        return (0, element)
    value = json.loads(element[2:])
    if kind == "k":
        return (1, tuple((name, _rank(inner)) for name, inner in value.items()))
    return (_KIND_ORDER.get(kind, 4), _rank(value))


def shown(element: str) -> str:
    """The element as it appears in the path of a conflict: ``.name``, ``[name="x"]``, ``[="x"]`` or ``[0]``."""
    kind, rest = element[0], element[2:]
    if kind == "f":
        return "." + rest
    if kind == "k":
        return "[" + ",".join(f"{name}={_shown(value)}" for name, value in json.loads(rest).items()) + "]"
    return f"[={_shown(json.loads(rest))}]" if kind == "v" else f"[{rest}]"


def quoted(text: str) -> str:
    """The text in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def compact(value: Any) -> str:
    """The value as JSON in Go's spelling."""
    return _encode(value).decode().translate(_HTML)


def _pair(name: str, value: Any) -> str:
    return _hashed_pair(name, value) if value.__class__ in _SCALARS else f'"{name}":{_text(value)}'


@lru_cache(maxsize=4096, typed=True)
def _hashed_pair(name: str, value: Any) -> str:
    """A part of a key; most objects of a kind use the same few."""
    return f'"{name}":{_text(value)}'


def _text(value: Any) -> str:
    text = _encode(value).decode()
    return text.translate(_HTML) if value.__class__ is str else text


def _rank(value: Any) -> tuple[int, Any]:
    """Orders values of different types: numbers, strings, booleans, everything else."""
    if isinstance(value, bool):
        return (2, value)
    if isinstance(value, int | float):
        return (0, value)
    if isinstance(value, str):
        return (1, value)
    return (3, _text(value))


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return quoted(value) if isinstance(value, str) else _text(value)
