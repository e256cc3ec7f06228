"""Values in the words of Go: the API server's messages show them as ``%q``, ``%v`` and ``json.Marshal`` do."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

from landform.kit.quoting import quote

_JSON_ESCAPES = {"<": r"\u003c", ">": r"\u003e", "&": r"\u0026", "\u2028": r"\u2028", "\u2029": r"\u2029"}
_INT64 = range(-(2**63), 2**63)


def number(value: float) -> str:
    """A number as ``%v`` writes it: shortest digits, exponent only for the very large and the very small."""
    if is_integer(value):
        return str(value)
    return _float(as_float(value), plain=(1e-4, 1e6), exponent_digits=2)


def is_integer(value: float) -> bool:
    """Whether Go would hold the number as an int64; larger ones become a float64 there."""
    return isinstance(value, int) and value in _INT64


def as_float(value: float) -> float:
    """The number as a float64; integers that no float64 can hold become infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _float(value: float, *, plain: tuple[float, float], exponent_digits: int) -> str:
    """The shortest digits that mean this float64, without an exponent if its size lies in the `plain` range."""
    if value == 0:
        return "-0" if str(value).startswith("-") else "0"
    if not math.isfinite(value):
        return "-Inf" if value < 0 else "+Inf"
    exact = Decimal(repr(value)).normalize()
    if plain[0] <= abs(value) < plain[1]:
        return f"{exact:f}"
    mantissa, _, exponent = f"{exact:e}".partition("e")
    return f"{mantissa}e{exponent[0]}{exponent[1:]:0>{exponent_digits}}"


def as_json(value: Any) -> str:
    """The value as Go's ``json.Marshal`` writes it: sorted keys, no spaces, HTML characters escaped."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{as_json(name)}:{as_json(value[name])}" for name in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(as_json, value)) + "]"
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        return "".join(_JSON_ESCAPES.get(char, char) for char in text)
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if is_integer(value):
        return str(value)
    return _float(as_float(value), plain=(1e-6, 1e21), exponent_digits=1)


def bad_value(value: Any) -> str:
    """A value as the API server's field errors show it."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    return as_json(value)
