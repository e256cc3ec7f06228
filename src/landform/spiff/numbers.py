"""Numbers as Go computes and prints them."""

from __future__ import annotations

import math
import re

from landform.kit.quoting import INT64_MAX, INT64_MIN, atoi, quote

# Possessive: digits before and behind a point that is not there could be shared out in every way.
_FLOAT = re.compile(r"[+-]?(?:[0-9][0-9_]*+\.?[0-9_]*+|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?")
_HEX_FLOAT = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]++\.?[0-9a-fA-F]*+|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+")
_SPECIAL = {"inf": math.inf, "infinity": math.inf, "nan": math.nan}
_TRUE = {"1", "t", "T", "TRUE", "true", "True"}
_FALSE = {"0", "f", "F", "FALSE", "false", "False"}


def wrap(number: int) -> int:
    """A whole number cut to 64 bits with its sign."""
    if INT64_MIN <= number <= INT64_MAX:
        return number
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def truncated(number: float) -> int:
    """A float cut to a whole number of 64 bits; what does not fit is the smallest one, as on common machines."""
    if math.isfinite(number) and -9.3e18 < number < 9.3e18:
        whole = int(number)
        if INT64_MIN <= whole <= INT64_MAX:
            return whole
    return INT64_MIN


def parse_float(text: str) -> float:
    """The float that a text writes, as `strconv.ParseFloat` reads it; ValueError in its words."""
    bare = text.lstrip("+-").lower() if len(text) - len(text.lstrip("+-")) <= 1 else ""
    if bare in _SPECIAL:
        return -_SPECIAL[bare] if text.startswith("-") else _SPECIAL[bare]
    if _HEX_FLOAT.fullmatch(text):
        return float.fromhex(text)
    if not _FLOAT.fullmatch(text) or "_" in text:
        raise ValueError(f"strconv.ParseFloat: parsing {quote(text)}: invalid syntax")
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"strconv.ParseFloat: parsing {quote(text)}: value out of range")
    return number


def parse_int(text: str) -> int:
    """The whole number that a text writes in decimal, as `strconv.ParseInt` reads it; ValueError in its words."""
    try:
        return atoi(text)
    except ValueError as error:
        raise ValueError(str(error).replace("strconv.Atoi", "strconv.ParseInt", 1)) from None


def parse_bool(text: str) -> bool:
    """The truth value that a text writes, as `strconv.ParseBool` reads it; ValueError in its words."""
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise ValueError(f"strconv.ParseBool: parsing {quote(text)}: invalid syntax")
