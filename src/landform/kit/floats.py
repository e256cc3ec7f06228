"""Floating-point numbers as Go writes them: strconv.FormatFloat, and through it fmt and encoding/json."""

from __future__ import annotations

import math

_LARGE = 6  # the exponent from which the fewest digits are written with an exponent


def shortest(number: float) -> tuple[str, str, int]:
    """The sign, the fewest digits that name the number, and where its decimal point is."""
    text = repr(abs(number))
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    stripped = stripped.rstrip("0")
    sign = "-" if math.copysign(1, number) < 0 else ""
    return sign, stripped or "0", point if stripped else 1


def special(number: float) -> str | None:
    """The spelling of a number that has no digits."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "+Inf" if number > 0 else "-Inf"
    return None


def general(number: float) -> str:
    """The `%v` of a number: the fewest digits, with an exponent below 1e-4 and from 1e+06 on."""
    name = special(number)
    if name is not None:
        return name
    sign, digits, point = shortest(number)
    if point - 1 < -4 or point - 1 >= _LARGE:
        return sign + _scientific(digits, point - 1)
    return sign + _positional(digits, point)


def json_number(number: float) -> str:
    """A finite number in JSON: the fewest digits, with an exponent below 1e-6 and from 1e+21 on."""
    sign, digits, point = shortest(number)
    if -6 <= point - 1 < 21:
        return sign + _positional(digits, point)
    # Only here negative exponents of one digit have no leading zero: 1e-7, but 1e+21.
    return sign + _scientific(digits, point - 1).replace("e-0", "e-")


def _scientific(digits: str, exponent: int, letter: str = "e") -> str:
    fraction = "." + digits[1:] if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}{letter}{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _positional(digits: str, point: int) -> str:
    if point <= 0:
        return "0." + "0" * -point + digits
    if len(digits) <= point:
        return digits + "0" * (point - len(digits))
    return digits[:point] + "." + digits[point:]


def format_float(number: float, verb: str, precision: int | None) -> str:
    """The number under a verb of `beEfgGxX`; without precision, the fewest digits that name it."""
    name = special(number)
    if name is not None:
        return name
    if verb == "b":
        return _binary(number)
    if verb in "xX":
        text = _hexadecimal(number, precision)
        return text.upper() if verb == "X" else text
    if precision is not None:
        if verb in "gG" and precision == 0:
            precision = 1
        return f"%.{precision}{verb}" % number
    sign, digits, point = shortest(number)
    if verb in "eE":
        return sign + _scientific(digits, point - 1, verb)
    if verb == "f":
        return sign + _positional(digits, point)
    if point - 1 < -4 or point - 1 >= _LARGE:
        return sign + _scientific(digits, point - 1, "E" if verb == "G" else "e")
    return sign + _positional(digits, point)


def with_zeros(text: str, style: str, precision: int | None) -> str:
    """A number that was written with its sign, with the point and the zeros that the flag `#` keeps."""
    wanted = (6 if precision is None else precision) if style in "gGx" else 0
    marks = "pP" if style in "xX" else "eE"
    end = next((index for index, char in enumerate(text) if char in marks), len(text))
    number, tail = text[:end], text[end:]
    wanted -= len(number[1:].replace(".", "").lstrip("0"))  # Go counts the x of a hexadecimal number too
    if "." not in number:
        if number[1:] == "0":
            wanted -= 1
        number += "."
    return number + "0" * max(0, wanted) + tail


def _binary(number: float) -> str:
    fraction, exponent = math.frexp(number)
    if number == 0:
        return ("-" if math.copysign(1, number) < 0 else "") + "0p-1074"
    exponent = max(exponent - 53, -1074)
    mantissa = int(math.ldexp(fraction, math.frexp(number)[1] - exponent))
    return f"{mantissa}p{exponent:+d}"


def _hexadecimal(number: float, precision: int | None) -> str:
    sign = "-" if math.copysign(1, number) < 0 else ""
    if number == 0:
        tail = "." + "0" * precision if precision else ""
        return f"{sign}0x0{tail}p+00"
    fraction, exponent = math.frexp(abs(number))
    mantissa, exponent = int(math.ldexp(fraction, 53)), exponent - 1
    if precision is not None and precision < 13:
        drop = 52 - 4 * precision
        half, rest = 1 << (drop - 1), mantissa & ((1 << drop) - 1)
        mantissa >>= drop
        if rest > half or (rest == half and mantissa & 1):
            mantissa += 1
        if mantissa >> (4 * precision + 1):
            mantissa, exponent = mantissa >> 1, exponent + 1
        digits = f"{mantissa & ((1 << 4 * precision) - 1):0{precision}x}" if precision else ""
    else:
        digits = f"{mantissa & ((1 << 52) - 1):013x}"
        digits = digits.rstrip("0") if precision is None else digits.ljust(precision, "0")
    tail = "." + digits if digits else ""
    return f"{sign}0x1{tail}p{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
