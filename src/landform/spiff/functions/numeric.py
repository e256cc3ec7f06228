"""Functions on numbers, and conversions between simple values."""

from __future__ import annotations

import math
import secrets
from typing import TYPE_CHECKING, Any

from landform.kit import floats
from landform.kit.quoting import INT64_MAX, quote
from landform.kit.regex.errors import RegexError
from landform.kit.regex.expressions import compile_expression
from landform.spiff import gofmt
from landform.spiff.info import Result, done, fail
from landform.spiff.nodes import RawInt
from landform.spiff.numbers import parse_bool, parse_float, parse_int, truncated, wrap
from landform.spiff.values import bool_text, go_type_name, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.spiff.functions.signature import Call, Function

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _string(call: Call) -> Result:
    if not call.arguments:
        return fail("string requires one argument")
    value = call.arguments[0]
    if call.size != 1:
        if type(value) is not int:
            return fail("string requires one argument")
        if call.size != 2:
            return fail("string for integers requires one or two arguments")
    if type(value) is str:
        return done(value)
    if type(value) is int:
        return _in_base(value, call.arguments[1] if call.size == 2 else 10)
    if type(value) is float:
        return done(floats.general(value))
    return done(bool_text(value)) if type(value) is bool else fail(f"cannot convert {go_type_name(value)} to string")


def _in_base(number: int, base: Any) -> Result:
    if type(base) is not int:
        return fail("base argument for string requires integer value")
    if not 2 <= base <= 36:
        return fail("base argument for string requires integer value >=2 and <=36 ")
    digits = ""
    rest = abs(number)
    while rest:
        rest, digit = divmod(rest, base)
        digits = _DIGITS[digit] + digits
    return done(("-" if number < 0 else "") + (digits or "0"))


def _converted(call: Call, name: str, convert: dict[type, Callable[[Any], Any]]) -> Result:
    if call.size != 1:
        return fail(f"{name} requires one argument")
    value = call.arguments[0]
    conversion = convert.get(type(value))
    if conversion is None:
        return fail(f"cannot convert {go_type_name(value)} to {name}")
    try:
        return done(conversion(value))
    except ValueError as error:
        return fail(f"{quote(str(error))} is no {name} value: %!s(MISSING)")


def _integer(call: Call) -> Result:
    return _converted(call, "integer", {str: parse_int, int: int, float: truncated, bool: RawInt})


def _float(call: Call) -> Result:
    return _converted(call, "float", {str: parse_float, int: float, float: float, bool: float})


def _bool(call: Call) -> Result:
    return _converted(
        call,
        "bool",
        {
            str: _text_truth,
            int: lambda number: number != 0,
            float: lambda number: number != 0,
            bool: bool,
            type(None): bool,
        },
    )


def _text_truth(text: str) -> bool:
    return bool(text) and parse_bool(text)


def _rounding(name: str, function: Callable[[float], float]) -> Function:
    def rounded(call: Call) -> Result:
        if call.size != 1:
            return fail(f"{name} requires one argument")
        value = call.arguments[0]
        if type(value) is int:
            return done(value)
        if type(value) is bool:
            return done(RawInt(value))
        if type(value) is not float:
            return fail(f"invalid argument type for {name}: {go_type_name(value)}")
        return done(truncated(function(value) if math.isfinite(value) else value))

    return rounded


def _calculation(name: str, function: Callable[[float], float]) -> Function:
    def calculated(call: Call) -> Result:
        if call.size != 1:
            return fail(f"{name} requires one argument")
        value = call.arguments[0]
        if type(value) is int and name == "abs":
            return done(wrap(abs(value)))
        if type(value) not in (int, float):
            return fail(f"invalid argument type for {name}: {go_type_name(value)}")
        try:
            result = function(float(value))
        except OverflowError:
            result = math.inf
        except ValueError:
            result = -math.inf if name.startswith("log") and value == 0 else math.nan
        return fail(f"{name}: NaN") if math.isnan(result) else done(result)

    return calculated


def _half_away(number: float) -> float:
    whole = math.floor(abs(number))
    whole += abs(number) - whole >= 0.5
    return math.copysign(whole, number)


def _rand(call: Call) -> Result:
    if call.size > 2:
        return fail("rand takes a maximum of 2 arguments")
    if not call.arguments:
        return done(secrets.randbelow(INT64_MAX))
    value = call.arguments[0]
    if type(value) is str:
        return _random_text(call, value)
    if type(value) not in (int, bool):
        return done(None)
    if call.size > 1:
        return fail(f"rand {type_name(value)} takes only one argument")
    if type(value) is bool:
        return done(secrets.randbelow(2) == 1)
    if value == 0:
        return fail("zero range not possible for integer random values")
    number = secrets.randbelow(abs(value))
    return done(-number if value < 0 else number)


def _random_text(call: Call, characters: str) -> Result:
    try:
        pattern = compile_expression(f"^[{characters}]")
    except RegexError as error:
        return fail(f"invalid rand character set specification {quote(characters)}: {error}")
    length = call.arguments[1] if call.size == 2 else 1
    if type(length) is not int:
        return fail(f"rand length must be an integer, found {type_name(length)}")
    if length <= 0:
        return fail(f"rand length must be positive, found {length}")
    call.env.state.meter.step(length)
    allowed = [char for char in map(chr, range(128)) if pattern.search(char)]
    if not allowed:
        return fail(f"no ASCII character is in the rand character set {quote(characters)}")
    return done("".join(secrets.choice(allowed) for _ in range(length)))


def _format(call: Call) -> Result:
    return gofmt.formatted("format", call.arguments, call.env.state.meter)


def _error(call: Call) -> Result:
    text, info, ok = gofmt.formatted("error", call.arguments, call.env.state.meter)
    return info.fail(text) if ok else (text, info, ok)


FUNCTIONS: dict[str, Function] = {
    "string": _string,
    "integer": _integer,
    "float": _float,
    "bool": _bool,
    "rand": _rand,
    "format": _format,
    "error": _error,
    "floor": _rounding("floor", math.floor),
    "ceil": _rounding("ceil", math.ceil),
    "round": _rounding("round", _half_away),
    "roundtoeven": _rounding("roundtoeven", round),
    "abs": _calculation("abs", abs),
    "sqrt": _calculation("sqrt", math.sqrt),
    "exp": _calculation("exp", math.exp),
    "log": _calculation("log", math.log),
    "log10": _calculation("log10", math.log10),
    "sin": _calculation("sin", math.sin),
    "cos": _calculation("cos", math.cos),
    "sinh": _calculation("sinh", math.sinh),
    "cosh": _calculation("cosh", math.cosh),
    "asin": _calculation("asin", math.asin),
    "acos": _calculation("acos", math.acos),
    "asinh": _calculation("asinh", math.asinh),
    "acosh": _calculation("acosh", math.acosh),
}
