"""Arithmetic on whole and floating-point numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from landform.gotemplate import budgets
from landform.gotemplate.errors import GoError
from landform.gotemplate.formatting import sprint
from landform.gotemplate.functions import Function, function
from landform.gotemplate.numbers import INT64_MAX, INT64_MIN
from landform.gotemplate.sprig.casting import to_float64, to_int64
from landform.gotemplate.values import Int, TypedList, wrap64
from landform.kit.floats import special

if TYPE_CHECKING:
    from collections.abc import Callable

_DIVISION_DIGITS = 16
_OCTAL = frozenset("01234567")


def add(*values: Any) -> int:
    """The sum."""
    return wrap64(sum(map(to_int64, values)))


def multiply(first: Any, *values: Any) -> int:
    """The product."""
    product = to_int64(first)
    for value in values:
        product = wrap64(product * to_int64(value))
    return product


def divide(first: Any, other: Any) -> int:
    """The quotient without its fraction."""
    left, right = to_int64(first), to_int64(other)
    if right == 0:
        raise GoError("runtime error: integer divide by zero")
    quotient = abs(left) // abs(right)
    return wrap64(quotient if (left < 0) == (right < 0) else -quotient)


def modulo(first: Any, other: Any) -> int:
    """The rest of a division, with the sign of the first number."""
    left, right = to_int64(first), to_int64(other)
    if right == 0:
        raise GoError("runtime error: integer divide by zero")
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _decimal(value: float) -> Fraction:
    name = special(value)
    if name is not None:
        raise GoError(f"Cannot create a Decimal from {name}")
    return Fraction(repr(value))


def _decimals(operation: Callable[[Fraction, Fraction], Fraction], first: Any, values: tuple[Any, ...]) -> float:
    """An operation on exact decimal numbers, one after the other."""
    result = _decimal(to_float64(first))
    for value in values:
        result = operation(result, _decimal(to_float64(value)))
    try:
        return float(result)
    except OverflowError:
        return math.inf if result > 0 else -math.inf


def _divide_decimals(left: Fraction, right: Fraction) -> Fraction:
    if right == 0:
        raise GoError("decimal division by 0")
    scale = 10**_DIVISION_DIGITS
    quotient = abs(left / right) * scale
    whole = quotient.numerator // quotient.denominator
    if (quotient - whole) * 2 >= 1:
        whole += 1
    return Fraction(whole if (left < 0) == (right < 0) else -whole, scale)


def _largest(first: Any, *values: Any) -> int:
    return max(map(to_int64, (first, *values)))


def _smallest(first: Any, *values: Any) -> int:
    return min(map(to_int64, (first, *values)))


def _extreme(pick: Callable[[float, float], float], first: Any, values: tuple[Any, ...]) -> float:
    result = to_float64(first)
    for value in values:
        number = to_float64(value)
        result = math.nan if math.isnan(result) or math.isnan(number) else pick(result, number)
    return result


def _rounded(number: float, way: Callable[[float], int]) -> float:
    return number if special(number) is not None else math.copysign(float(way(number)), number)


def round_to(value: Any, places: int, *options: float) -> float:
    """The number with so many places after the point; the option says from which fraction it is rounded up."""
    threshold = options[0] if options else 0.5
    number = to_float64(value)
    try:
        power = 10.0**places
    except OverflowError:
        power = math.inf
    digit = power * number
    if special(digit) is not None:
        return math.nan if math.isinf(power) or math.isnan(digit) else digit
    fraction = math.modf(digit)[0]
    rounded = _rounded(digit, math.ceil if fraction >= threshold else math.floor)
    return rounded / power if power else math.nan


def until_step(start: int, stop: int, step: int) -> TypedList:
    """The numbers from one to before another, in steps."""
    if (stop < start and step >= 0) or (stop >= start and step <= 0):
        return TypedList("[]int")
    numbers = range(start, stop, step)
    budgets.current().steps(len(numbers) if len(numbers) > 64 else 0)
    return TypedList("[]int", map(Int, numbers))


def sequence(*numbers: int) -> str:
    """Numbers as the shell's seq writes them."""
    if len(numbers) == 1:
        end = numbers[0]
        step = -1 if end < 1 else 1
        return _spaced(until_step(1, end + step, step))
    if len(numbers) == 2:
        start, end = numbers
        step = -1 if end < start else 1
        return _spaced(until_step(start, end + step, step))
    if len(numbers) == 3:
        start, step, end = numbers
        if end < start and step > 0:
            return ""
        return _spaced(until_step(start, end + (-1 if end < start else 1), step))
    return ""


def _spaced(numbers: list[Any]) -> str:
    return " ".join(map(str, map(int, numbers)))


def to_decimal(value: Any) -> int:
    """An octal number, such as a file mode, as a number."""
    text = sprint([value])
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits or not _OCTAL.issuperset(digits) or len(digits) > 200:
        return 0
    number = int(text, 8)
    return number if INT64_MIN <= number <= INT64_MAX else 0


def atoi(text: str) -> Int:
    """The whole number that the text writes, or zero."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()):
        return Int(0)
    if len(digits.lstrip("0")) > 19:
        return Int(INT64_MIN if text[0] == "-" else INT64_MAX)
    return Int(min(max(int(text), INT64_MIN), INT64_MAX))


FUNCTIONS: dict[str, Function] = {
    "atoi": function("string -> int", atoi),
    "int64": function("any", to_int64),
    "int": function("any -> int", lambda value: Int(to_int64(value))),
    "float64": function("any -> float64", to_float64),
    "seq": function("...int -> string", sequence),
    "toDecimal": function("any", to_decimal),
    "until": function("int -> []int", lambda count: until_step(0, count, -1 if count < 0 else 1)),
    "untilStep": function("int, int, int -> []int", until_step),
    "add1": function("any", lambda value: wrap64(to_int64(value) + 1)),
    "add": function("...any", add),
    "sub": function("any, any", lambda first, other: wrap64(to_int64(first) - to_int64(other))),
    "div": function("any, any", divide),
    "mod": function("any, any", modulo),
    "mul": function("any, ...any", multiply),
    "add1f": function("any", lambda value: _decimals(lambda left, right: left + right, value, (1.0,))),
    "addf": function("...any", lambda *values: _decimals(lambda left, right: left + right, 0.0, values)),
    "subf": function("any, ...any", lambda first, *values: _decimals(lambda left, right: left - right, first, values)),
    "divf": function("any, ...any", lambda first, *values: _decimals(_divide_decimals, first, values)),
    "mulf": function("any, ...any", lambda first, *values: _decimals(lambda left, right: left * right, first, values)),
    "biggest": function("any, ...any", _largest),
    "max": function("any, ...any", _largest),
    "min": function("any, ...any", _smallest),
    "maxf": function("any, ...any", lambda first, *values: _extreme(max, first, values)),
    "minf": function("any, ...any", lambda first, *values: _extreme(min, first, values)),
    "ceil": function("any", lambda value: _rounded(to_float64(value), math.ceil)),
    "floor": function("any", lambda value: _rounded(to_float64(value), math.floor)),
    "round": function("any, int, ...float64", round_to),
}
