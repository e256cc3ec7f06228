"""Number constants as Go reads them."""

from __future__ import annotations

import re

from landform.gotemplate.nodes import Number
from landform.gotemplate.quoting import quote, unquote_char

INT64_MIN = -(1 << 63)
INT64_MAX = (1 << 63) - 1
UINT64_MAX = (1 << 64) - 1

_PREFIXED = re.compile(r"([+-]?)0([xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)\Z")
_DECIMAL = re.compile(r"[+-]?(?:0|[1-9](?:_?[0-9])*)\Z")
_OCTAL = re.compile(r"([+-]?)0((?:_?[0-7])+)\Z")
_DIGITS = r"[0-9](?:_?[0-9])*"
_FLOAT = re.compile(rf"[+-]?(?:(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?)\Z")
_HEX = "[0-9a-fA-F](?:_?[0-9a-fA-F])*"
_HEX_FLOAT = re.compile(rf"[+-]?0[xX]_?(?:{_HEX}(?:\.(?:{_HEX})?)?|\.{_HEX})[pP][+-]?{_DIGITS}\Z")
_BASES = {"x": 16, "o": 8, "b": 2}
_LONGEST = 80  # digits beyond which no number fits into 64 bits


def parse_whole(text: str) -> int | None:
    """The whole number that the text writes in Go's syntax, of any size."""
    if len(text) > _LONGEST and len(text.lstrip("+-0_xXbBoO")) > _LONGEST:
        return None
    if _DECIMAL.match(text):
        return int(text.replace("_", ""))
    match = _PREFIXED.match(text)
    if match:
        return int(match[1] + match[2][1:].replace("_", ""), _BASES[match[2][0].lower()])
    match = _OCTAL.match(text)
    return int(match[1] + match[2].replace("_", ""), 8) if match else None


def parse_float(text: str) -> float | None:
    """The number that the text writes in Go's syntax of floats; None also when it does not fit."""
    try:
        if _FLOAT.match(text):
            number = float(text.replace("_", ""))
        elif _HEX_FLOAT.match(text):
            number = float.fromhex(text.replace("_", ""))
        else:
            return None
    except OverflowError:
        return None
    return None if number in (float("inf"), float("-inf")) else number


def character(position: int, text: str) -> Number:
    """The number of a character constant; ValueError in Go's words."""
    code = unquote_char(text)
    return Number(position, text, code, code, float(code))


def complex_pair(position: int, text: str) -> Number:
    """The number of a constant such as 1+2i; ValueError in Go's words."""
    split = max(index for index, char in enumerate(text) if char in "+-" and text[index - 1] not in "eEpP")
    real, imaginary = parse_float(text[:split]), parse_float(text[split:-1])
    if real is None:
        whole = parse_whole(text[:split])
        real = None if whole is None else float(whole)
    if real is None or imaginary is None:
        raise ValueError("syntax error scanning complex number")
    return _simplified(position, text, complex(real, imaginary))


def _simplified(position: int, text: str, value: complex) -> Number:
    number = Number(position, text, imaginary=value)
    if value.imag == 0:
        number.real = value.real
        number.whole, number.unsigned = _integers(value.real)
    return number


def _integers(real: float) -> tuple[int | None, int | None]:
    if real != int(real):
        return None, None
    whole = int(real)
    return (
        whole if INT64_MIN <= whole <= INT64_MAX else None,
        whole if 0 <= whole <= UINT64_MAX else None,
    )


def number(position: int, text: str) -> Number:
    """The number of any other constant; ValueError in Go's words."""
    if text.endswith("i"):
        imaginary = parse_float(text[:-1])
        if imaginary is not None:
            return _simplified(position, text, complex(0, imaginary))
    whole = parse_whole(text)
    if whole is not None and INT64_MIN <= whole <= UINT64_MAX:
        signed = whole if whole <= INT64_MAX else None
        unsigned = whole if whole == 0 or (whole > 0 and text[0] not in "+-") else None
        if signed is not None or unsigned is not None:
            return Number(position, text, signed, unsigned, float(whole))
    real = parse_float(text)
    if real is None:
        raise ValueError(f"illegal number syntax: {quote(text)}")
    if not any(char in ".eEpP" for char in text):
        raise ValueError(f"integer overflow: {quote(text)}")
    return Number(position, text, *_integers(real), real)
