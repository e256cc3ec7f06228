"""What a plain YAML scalar means to go-yaml v2."""

from __future__ import annotations

import math
import re
from typing import Any

from landform.gotemplate.errors import GoError
from landform.gotemplate.numbers import INT64_MIN, UINT64_MAX, parse_float, parse_whole
from landform.gotemplate.times import parsing
from landform.gotemplate.times.zones import ZERO

_BOOLEANS = {
    **{word: True for base in ("y", "yes", "true", "on") for word in (base, base.capitalize(), base.upper())},
    **{word: False for base in ("n", "no", "false", "off") for word in (base, base.capitalize(), base.upper())},
}
_WORDS: dict[str, Any] = {
    **_BOOLEANS,
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_DATE = re.compile(r"[0-9]{4}-")
_BASE60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")
_TIMESTAMPS = (
    "2006-1-2T15:4:5.999999999Z07:00",
    "2006-1-2t15:4:5.999999999Z07:00",
    "2006-1-2 15:4:5.999999999",
    "2006-1-2",
)


def resolve(text: str) -> Any:
    """The value of a plain scalar: None, a boolean, a number, a Time, or the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first == ".":
        number = parse_float(text) if "_" not in text else None
        return text if number is None else number
    if first in "+-0123456789":
        return _numeric(text)
    return text


def _numeric(text: str) -> Any:
    if _DATE.match(text):
        for layout in _TIMESTAMPS:
            try:
                return parsing.parse(layout, text, ZERO)
            except GoError:
                continue
    plain = text.replace("_", "")
    whole = parse_whole(plain)
    if whole is not None and INT64_MIN <= whole <= UINT64_MAX and not (plain[0] == "+" and whole >= 1 << 63):
        return whole
    if _FLOAT.match(plain):
        number = parse_float(plain)
        if number is not None:
            return number
    return text


def needs_quotes(text: str) -> bool:
    """Whether the text, written plain, would be read as something else."""
    return not isinstance(resolve(text), str) or bool(_BASE60.match(text))
