"""What a plain YAML scalar means: YAML 1.1 with the original reader's ideas of numbers, dates and truth values."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta
from typing import Any

from landform.kit.quoting import INT64_MAX, INT64_MIN
from landform.spiff.numbers import parse_float

_BOOLEANS = {"y": True, "yes": True, "on": True, "true": True, "n": False, "no": False, "off": False, "false": False}
_NULLS = {"~", "null", "Null", "NULL"}
_DIGITS = {2: "01", 8: "01234567", 10: "0123456789", 16: "0123456789abcdef"}
_TIME = re.compile(
    r"([0-9]{4})-([0-9][0-9]?)-([0-9][0-9]?)"
    r"(?:(?:[Tt]|[ \t]+)([0-9][0-9]?):([0-9][0-9]):([0-9][0-9])(?:\.[0-9]*)?"
    r"(?:[ \t]*(?:Z|[-+][0-9][0-9]?(?::(?:[0-9][0-9])?)?))?)?"
)


def scalar(text: str) -> Any:
    """The value of a plain scalar."""
    if not text:
        return None
    first = text[0]
    if first in "+-0123456789":
        return _number(text)
    if first == ".":
        number = _float(text)
        return text if number is None else number
    if text in _NULLS:
        return None
    if first in "tTfFyYnNoO":
        return _BOOLEANS.get(text.lower(), text)
    return text


def _number(text: str) -> Any:
    whole = _integer(text)
    if whole is not None:
        return whole
    number = _float(text)
    if number is not None:
        return number
    if text[0] not in "+-":
        moment = _TIME.fullmatch(text)
        if moment:
            return _odd_date(*(int(part or 0) for part in moment.groups()))
    return text


def _integer(text: str) -> int | None:
    digits = text.replace("_", "")
    sign = -1 if digits.startswith("-") else 1
    digits = digits[1:] if digits[:1] in ("-", "+") else digits
    base = 10
    prefix = digits[:2].lower()
    if prefix == "0o":
        base, digits = 8, digits[2:]
    elif prefix == "0x":
        base, digits = 16, digits[2:]
    elif prefix == "0b":
        base, digits = 2, digits[2:]
    elif len(digits) > 1 and digits.startswith("0"):
        base, digits = 8, digits[1:]
    if not digits or len(digits) > 70 or any(digit not in _DIGITS[base] for digit in digits.lower()):
        return None
    number = sign * int(digits, base)
    return number if INT64_MIN <= number <= INT64_MAX else None


def _float(text: str) -> float | None:
    digits = text.replace("_", "")
    sign = -1.0 if digits.startswith("-") else 1.0
    digits = digits[1:] if digits[:1] in ("-", "+") else digits
    if digits.lower() == ".inf":
        return sign * math.inf
    if digits.lower() == ".nan":
        return math.nan
    try:
        return sign * parse_float(digits)
    except ValueError:
        return None


def _odd_date(year: int, month: int, day: int, hour: int, minute: int, second: int) -> str:
    """A date as the original writes it: with the layout `2019-01-08T10:06:26Z`, which is a mistake.

    In Go's layout language `2` is the day, `01` and `1` the month, `06` the year; other digits stand for themselves.
    """
    years, months = divmod(month - 1, 12)
    try:
        start = datetime(year + years, months + 1, 1)
        moment = start + timedelta(days=day - 1, hours=hour, minutes=minute, seconds=second)
    except (ValueError, OverflowError):
        return f"{year:04d}-{month:02d}-{day:02d}"
    day, month, short_year = moment.day, moment.month, moment.year % 100
    return f"{day}{month:02d}9-{month:02d}-08T{month}0:{short_year:02d}:{day}6Z"
