"""Go's `fmt.Sprintf` for the values of the language: text, whole numbers, floats, truth values and null."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from landform.kit import floats
from landform.kit.quoting import quote
from landform.spiff.emitter import to_yaml
from landform.spiff.info import Result, done, fail
from landform.spiff.nodes import Whole
from landform.spiff.texts import to_bytes
from landform.spiff.values import Special, bool_text

if TYPE_CHECKING:
    from landform.spiff.budgets import Meter

_VERB = re.compile(r"%([+\-# 0]*)(?:(\d+)|(\*))?(?:(\.)(?:(\d+)|(\*))?)?(?:\[(\d+)\])?(.)?", re.DOTALL | re.ASCII)
_MOST_WIDTH = 1_000_000
_TYPES = {str: "string", int: "int64", float: "float64", bool: "bool", Whole: "float64"}


@dataclass
class _Spec:
    """Flags, width and precision of one verb."""

    plus: bool
    minus: bool
    sharp: bool
    space: bool
    zero: bool
    width: int | None
    precision: int | None
    quotes: bool = False
    """`%#v`: texts as Go would write them."""


def formatted(name: str, arguments: list[Any], meter: Meter) -> Result:
    """The text that a format and its arguments give."""
    if not arguments:
        return fail(f"alt least one argument required for '{name}'")
    values = [_printable(argument, meter) for argument in arguments]
    if type(values[0]) is not str:
        return fail(f"{name}: format must be string")
    return done(sprintf(values[0], values[1:], meter))


def _printable(value: Any, meter: Meter) -> Any:
    """Lists, maps and templates as YAML, lambdas as text."""
    if type(value) in (list, dict):
        return to_yaml(value, meter)
    if isinstance(value, Special):
        return str(value) if value.type_name == "lambda" else to_yaml(value, meter)
    return value


def sprintf(layout: str, arguments: list[Any], meter: Meter) -> str:
    """The layout with every verb replaced by its argument."""
    state = _State(layout, arguments, meter)
    text = _VERB.sub(state.replace, layout)
    return text + state.surplus()


def quoted(value: Any) -> str:
    """A value as `%q` prints it."""
    return _verb("q", value, _PLAIN)


class _State:
    """How far the arguments are used up."""

    def __init__(self, layout: str, arguments: list[Any], meter: Meter) -> None:
        self.layout = layout
        self.arguments = arguments
        self.meter = meter
        self.next = 0
        self.reordered = False

    def replace(self, match: re.Match[str]) -> str:
        flags, width_text, width_star, point, precision_text, precision_star, index, verb = match.groups()
        bad = ""
        width = int(width_text) if width_text and len(width_text) < 8 else _MOST_WIDTH + 1 if width_text else None
        minus = "-" in flags
        if width_star:
            width, bad = self._star("%!(BADWIDTH)")
            if width is not None and width < 0:
                width, minus = -width, True
        precision: int | None = None
        if point:
            precision = int(precision_text) if precision_text and len(precision_text) < 8 else 0
            if precision_star:
                precision, fault = self._star("%!(BADPREC)")
                bad += fault
                precision = None if precision is not None and precision < 0 else precision
        if width is not None and width > _MOST_WIDTH:
            width, bad = None, bad + "%!(BADWIDTH)"
        if verb is None:
            return bad + "%!(NOVERB)"
        if verb == "%":
            return bad + "%"
        if index:
            self.reordered = True
            self.next = int(index) - 1 if len(index) < 6 else len(self.arguments)
            if not 0 <= self.next < len(self.arguments):
                return f"{bad}%!{verb}(BADINDEX)"
        if self.next >= len(self.arguments):
            return f"{bad}%!{verb}(MISSING)"
        argument = self.arguments[self.next]
        self.next += 1
        self.meter.text(width or 0)
        self.meter.text(min(precision or 0, _MOST_WIDTH))
        spec = _Spec("+" in flags, minus, "#" in flags, " " in flags, "0" in flags and not minus, width, precision)
        if verb == "v":
            spec = replace(spec, plus=False, sharp=False, quotes=spec.sharp)
        return bad + _verb(verb, argument, spec)

    def _star(self, fault: str) -> tuple[int | None, str]:
        value = self.arguments[self.next] if self.next < len(self.arguments) else None
        self.next += 1
        if type(value) is int and abs(value) <= _MOST_WIDTH:
            return value, ""
        return None, fault

    def surplus(self) -> str:
        """What is said about arguments that no verb used."""
        if self.reordered or self.next >= len(self.arguments):
            return ""
        parts = [
            "<nil>" if value is None else f"{_TYPES.get(type(value), 'int')}={_verb('v', value, _PLAIN)}"
            for value in self.arguments[self.next :]
        ]
        return f"%!(EXTRA {', '.join(parts)})"


_PLAIN = _Spec(False, False, False, False, False, None, None)


def _verb(verb: str, value: Any, spec: _Spec) -> str:
    if verb == "T":
        if value is None:
            return _pad("<nil>", spec)
        return _pad(_TYPES.get(type(value), "int")[: spec.precision], spec)
    if value is None:
        return _pad("<nil>", spec) if verb == "v" else _bad(verb, value, spec)
    kind = type(value)
    if kind is bool:
        return _pad(bool_text(value), spec) if verb in "tv" else _bad(verb, value, spec)
    if kind is str:
        return _text(verb, value, spec)
    if kind is float or (kind is Whole and verb in "eEfFgG"):
        return _float(verb, float(value), spec)
    return _integer(verb, int(value), spec)


def _bad(verb: str, value: Any, spec: _Spec) -> str:
    if value is None:
        return f"%!{verb}(<nil>)"
    return f"%!{verb}({_TYPES.get(type(value), 'int')}={_verb('v', value, spec)})"


def _pad(text: str, spec: _Spec, zero: bool = False) -> str:
    if spec.width is None or len(text) >= spec.width:
        return text
    if spec.minus:
        return text.ljust(spec.width)
    return text.rjust(spec.width, "0" if zero or spec.zero else " ")


def _text(verb: str, value: str, spec: _Spec) -> str:
    if verb in "sv" and not spec.quotes:
        return _pad(value if spec.precision is None else value[: spec.precision], spec)
    if verb == "q" or verb == "v":
        cut = value if spec.precision is None else value[: spec.precision]
        if spec.sharp and verb == "q" and "`" not in cut and cut.replace("\t", "").isprintable():
            return _pad(f"`{cut}`", spec)
        quoted = quote(cut)
        if spec.plus:
            quoted = "".join(char if char.isascii() else _escape(char) for char in quoted)
        return _pad(quoted, spec)
    if verb in "xX":
        data = to_bytes(value)[: spec.precision]
        digits = data.hex(" ") if spec.space else data.hex()
        prefix = "0x" if spec.sharp and data else ""
        text = prefix + (digits.replace(" ", " " + prefix) if spec.space else digits)
        return _pad(text.upper() if verb == "X" else text, spec)
    return _bad(verb, value, spec)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_BASES = {"d": "d", "v": "d", "b": "b", "o": "o", "O": "o", "x": "x", "X": "X"}
_PREFIXES = {"b": "0b", "o": "0", "x": "0x", "X": "0X"}


def _integer(verb: str, value: int, spec: _Spec) -> str:
    if verb in "cqU":
        return _character(verb, value, spec)
    base = _BASES.get(verb)
    if base is None:
        return _bad(verb, value, spec)
    digits = format(abs(value), base)
    if spec.precision is not None:
        digits = "" if spec.precision == 0 and value == 0 else digits.rjust(spec.precision, "0")
    sign = "-" if value < 0 else "+" if spec.plus else " " if spec.space else ""
    prefix = _PREFIXES.get("o" if verb == "O" else verb, "") if spec.sharp else ""
    if prefix == "0" and digits.startswith("0"):
        prefix = ""
    prefix = "0o" + prefix if verb == "O" else prefix
    if not digits:
        return _pad("", _Spec(False, spec.minus, False, False, False, spec.width, None))
    if spec.zero and spec.precision is None and spec.width is not None:
        digits = digits.rjust(spec.width - len(sign), "0")
    return _pad_blank(sign + prefix + digits, spec)


def _pad_blank(text: str, spec: _Spec) -> str:
    if spec.width is None or len(text) >= spec.width:
        return text
    return text.ljust(spec.width) if spec.minus else text.rjust(spec.width)


def _character(verb: str, value: int, spec: _Spec) -> str:
    char = chr(value) if 0 <= value <= 0x10FFFF and not 0xD800 <= value < 0xE000 else "�"
    if verb == "U":
        text = "U+" + f"{value & 0xFFFFFFFFFFFFFFFF:X}".rjust(max(4, spec.precision or 0), "0")
        return _pad_blank(f"{text} '{char}'" if spec.sharp and value == ord(char) else text, spec)
    if verb == "c":
        return _pad(char, spec)
    quoted = quote(char)[1:-1].replace('\\"', '"')
    if spec.plus and not quoted.isascii():
        quoted = _escape(char)
    return _pad("'\\''" if char == "'" else f"'{quoted}'", spec)


def _float(verb: str, value: float, spec: _Spec) -> str:
    if verb not in "eEfFgGvxXb":
        return _bad(verb, value, spec)
    negative = math.copysign(1, value) < 0
    sign = "-" if negative else "+" if spec.plus else " " if spec.space else ""
    if math.isnan(value):
        return _pad_blank(sign.replace("-", "") + "NaN", spec)
    if math.isinf(value):
        return _pad_blank((sign or "+") + "Inf", spec)
    magnitude = _magnitude(verb, abs(value), spec)
    if spec.zero and spec.width is not None:
        magnitude = magnitude.rjust(spec.width - len(sign), "0")
    return _pad_blank(sign + magnitude, spec)


def _magnitude(verb: str, value: float, spec: _Spec) -> str:
    style = {"v": "g", "F": "f"}.get(verb, verb)
    precision = 6 if spec.precision is None and style in "eEf" else spec.precision
    text = floats.format_float(value, style, precision)
    return floats.with_zeros("+" + text, style, precision)[1:] if spec.sharp and style != "b" else text
