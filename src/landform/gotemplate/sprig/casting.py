"""Conversions between kinds, as the cast library makes them: what cannot be converted is zero."""

from __future__ import annotations

import math
import re
from typing import Any

from landform.gotemplate.formatting import text_of
from landform.gotemplate.numbers import INT64_MAX, INT64_MIN, parse_float, parse_whole
from landform.gotemplate.values import Integer, NamedInteger, Object, decoded, wrap64

_ZERO_DECIMAL = re.compile(r"\.0+\Z")
_INFINITE = re.compile(r"([+-]?)inf(?:inity)?\Z", re.IGNORECASE)


def to_int64(value: Any) -> int:
    """The value as a whole number."""
    if type(value) is int:
        return value
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, Integer):
        if isinstance(value, NamedInteger) and value.go_kind == "int64":
            return 0  # a duration is none of the types that cast knows
        return wrap64(int(value))
    if isinstance(value, float):
        return float_to_int(value)
    if isinstance(value, str):
        number = parse_whole(_ZERO_DECIMAL.sub("", value) if value.endswith("0") else value)
        return number if number is not None and INT64_MIN <= number <= INT64_MAX else 0
    return 0


def float_to_int(value: float) -> int:
    """The number without its fraction, as Go's amd64 conversion leaves it."""
    if math.isnan(value) or not INT64_MIN <= value < INT64_MAX:
        return INT64_MIN
    return int(value)


def to_float64(value: Any) -> float:
    """The value as a floating-point number."""
    if isinstance(value, float):
        return value
    if isinstance(value, NamedInteger) and value.go_kind == "int64":
        return 0.0
    if isinstance(value, int):
        return float(value)
    if isinstance(value, str):
        return text_to_float(value) or 0.0
    return 0.0


def text_to_float(text: str) -> float | None:
    """The number that the text writes, as strconv.ParseFloat reads it."""
    match = _INFINITE.match(text)
    if match:
        return -math.inf if match[1] == "-" else math.inf
    if text.lower().lstrip("+-") == "nan" and text[0] not in "+-":
        return math.nan
    return parse_float(text)


def to_string(value: Any) -> str:
    """The value as text: a string is itself, bytes are read, all else is printed."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return decoded(value)
    if isinstance(value, Object):
        return value.string() or text_of(value)
    return text_of(value)
