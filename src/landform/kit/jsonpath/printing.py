"""Values as text: as Go's fmt prints them, and as its encoding/json does."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.kit.jsonpath.errors import EvaluationError
from landform.kit.jsonpath.values import CONTAINERS, NOTHING, Nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from landform.kit.jsonpath.budgets import Budget

_JSON_UNSAFE = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029\ud800-\udfff]')
_JSON_SHORT = {'"': r"\"", "\\": r"\\", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_JSON_PLAIN_EXPONENTS = range(-6, 21)
_FMT_PLAIN_EXPONENTS = range(-4, 6)


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
            return _fmt_float(value)
    return str(value)


def _fmt_float(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return "NaN" if math.isnan(value) else _decimal(value, _FMT_PLAIN_EXPONENTS)


def _json_scalar(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return _json_string(value)
        case float():
            if math.isinf(value) or math.isnan(value):
                raise EvaluationError(f"json: unsupported value: {_fmt_float(value)}")
            # JSON's exponents have no leading zero where they are small: 1e-7, not 1e-07.
            return re.sub(r"e-0(\d)\Z", r"e-\1", _decimal(value, _JSON_PLAIN_EXPONENTS))
    return str(value)


def _decimal(value: float, plain: range) -> str:
    """The shortest digits that name the number, with an exponent unless it lies in `plain`."""
    mantissa, _, exponent = repr(value).partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return sign + "0"
    power = int(exponent or "0") - len(fraction) + len(digits) - 1
    digits = digits.rstrip("0")
    if power not in plain:
        return f"{sign}{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}e{power:+03d}"
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    tail = digits[power + 1 :]
    return sign + digits[: power + 1].ljust(power + 1, "0") + (f".{tail}" if tail else "")


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
