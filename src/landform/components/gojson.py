"""JSON text as Go's encoding/json writes it: compact, and with the characters escaped that HTML would mind."""

from __future__ import annotations

import decimal
import json
import math
from typing import Any

_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})
"""These characters occur in JSON text only inside strings, so they can be replaced in the finished text."""


def compact(value: Any) -> str:
    """The value without white space, keys in their own order."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{compact(key)}:{compact(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(compact, value)) + "]"
    return number(value) if isinstance(value, float) else escape(json.dumps(value, ensure_ascii=False))


def escape(text: str) -> str:
    """JSON text with the characters escaped that Go escapes and others do not."""
    return text.translate(_ESCAPES)


def number(value: float) -> str:
    """A number with as few digits as tell it apart, and an exponent only where ECMAScript has one."""
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    sign, digits, exponent = decimal.Decimal(repr(value)).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + int(exponent)
    if 0 < point <= 21:
        body = text.ljust(point, "0") if len(text) <= point else f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        body = f"0.{'0' * -point}{text}"
    else:
        mantissa = text if len(text) == 1 else f"{text[0]}.{text[1:]}"
        body = f"{mantissa}e{point - 1:+d}"
    return f"-{body}" if sign else body
