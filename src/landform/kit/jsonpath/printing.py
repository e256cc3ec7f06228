"""Values as text: as Go's fmt prints them, and as its encoding/json does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.kit import floats
from landform.kit.jsonpath.errors import EvaluationError
from landform.kit.jsonpath.values import CONTAINERS, NOTHING, Nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from landform.kit.jsonpath.budgets import Budget

_JSON_UNSAFE = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029\ud800-\udfff]')
_JSON_SHORT = {'"': r"\"", "\\": r"\\", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t"}


def text(value: Any, budget: Budget) -> str:
    """One result as a template prints it: maps and lists in JSON, the rest as Go's fmt."""
    if isinstance(value, str):
        return value
    if isinstance(value, CONTAINERS):
        return _write(value, _JSON, budget)
    if value is None:
        return "null"
    return "<no value>" if value is NOTHING else _fmt_scalar(value)


def verb_v(value: Any, budget: Budget) -> str:
    """The value as Go's `%v` formats it, as it appears in error texts."""
    return _write(value, _FMT, budget)


@dataclass(frozen=True)
class _Style:
    """How one notation writes maps, lists and what they hold."""

    map_open: str
    map_close: str
    list_open: str
    list_close: str
    separator: str
    key: Callable[[str], str]
    scalar: Callable[[Any], str]


def _write(value: Any, style: _Style, budget: Budget) -> str:
    """The value in a style. Works off a stack, for data may be nested deeper than Python's own calls."""
    pieces: list[str] = []
    # Texts in the stack are finished, maps and lists are still to be taken apart.
    stack = [_item(value, style)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        budget.spend(len(item) + 1)
        parts = _map_parts(item, style) if isinstance(item, dict) else _list_parts(item, style)
        stack.extend(reversed(parts))
    return "".join(pieces)


def _item(value: Any, style: _Style) -> Any:
    return value if isinstance(value, CONTAINERS) else style.scalar(value)


def _map_parts(value: dict[str, Any], style: _Style) -> list[Any]:
    parts: list[Any] = []
    before = style.map_open
    for name in sorted(value):
        parts.append(before + style.key(name))
        parts.append(_item(value[name], style))
        before = style.separator
    parts.append(style.map_close if value else style.map_open + style.map_close)
    return parts


def _list_parts(value: Sequence[Any], style: _Style) -> list[Any]:
    parts: list[Any] = []
    before = style.list_open
    for item in value:
        parts.append(before)
        parts.append(_item(item, style))
        before = style.separator
    parts.append(style.list_close if value else style.list_open + style.list_close)
    return parts


def _fmt_scalar(value: Any) -> str:
    match value:
        case None:
            return "<nil>"
        case Nothing():
            return "<invalid reflect.Value>"
        case bool():
            return "true" if value else "false"
        case float():
            return floats.general(value)
    return str(value)


def _json_scalar(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return _json_string(value)
        case float():
            if name := floats.special(value):
                raise EvaluationError(f"json: unsupported value: {name}")
            return floats.json_number(value)
    return str(value)


def _json_string(value: str) -> str:
    return '"' + _JSON_UNSAFE.sub(_json_escape, value) + '"'


def _json_escape(match: re.Match[str]) -> str:
    char = match[0]
    short = _JSON_SHORT.get(char)
    if short is not None:
        return short
    code = 0xFFFD if "\ud800" <= char <= "\udfff" else ord(char)
    return f"\\u{code:04x}"


_JSON = _Style("{", "}", "[", "]", ",", lambda name: _json_string(name) + ":", _json_scalar)
_FMT = _Style("map[", "]", "[", "]", " ", lambda name: f"{name}:", _fmt_scalar)
