"""Lengths of time in Go's syntax (`1h30m`, `-1.5s`), to the nanosecond, with the word `none` for zero.

>>> parse("1h30m").seconds
5400.0
>>> format(parse("90m")), format(parse("none"))
('1h30m0s', 'none')
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from landform.kit.quoting import INT64_MAX, INT64_MIN

NONE = "none"
"""How Landscaper writes a duration of zero."""

MAX_LENGTH = 100_000
"""How many characters a duration may have; longer texts are hostile."""

NANOSECOND = 1
MICROSECOND = 1_000 * NANOSECOND
MILLISECOND = 1_000 * MICROSECOND
SECOND = 1_000 * MILLISECOND
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE

_UNITS = {
    "ns": NANOSECOND,
    "us": MICROSECOND,
    "\u00b5s": MICROSECOND,  # the micro sign
    "\u03bcs": MICROSECOND,  # the Greek letter mu
    "ms": MILLISECOND,
    "s": SECOND,
    "m": MINUTE,
    "h": HOUR,
}
_PART = re.compile(r"(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?(?P<unit>[^.0-9]*)")
_LIMIT = 1 << 63
# More digits than this change nothing: either the number is full or its scale is beyond every float.
_FRACTION_DIGITS = 400


class DurationError(ValueError):
    """The text is not a duration, or it does not fit into 64 bits of nanoseconds."""


@dataclass(frozen=True, order=True, slots=True)
class Duration:
    """A length of time in whole nanoseconds, within Go's 64 bits (about 292 years)."""

    nanoseconds: int = 0

    def __post_init__(self) -> None:
        if not INT64_MIN <= self.nanoseconds <= INT64_MAX:
            raise DurationError(f"a duration of {self.nanoseconds} ns does not fit into 64 bits")

    @classmethod
    def of(cls, span: timedelta) -> Duration:
        """The same length as a timedelta; exact, for its microseconds are whole nanoseconds."""
        return cls(span // timedelta(microseconds=1) * MICROSECOND)

    @property
    def seconds(self) -> float:
        """The length in seconds, for sleeping and for deadlines."""
        return self.nanoseconds / SECOND

    @property
    def timedelta(self) -> timedelta:
        """The length as a timedelta; what is below a microsecond is dropped, towards zero."""
        micros = abs(self.nanoseconds) // MICROSECOND
        return timedelta(microseconds=micros if self.nanoseconds >= 0 else -micros)

    def __bool__(self) -> bool:
        return self.nanoseconds != 0

    def __str__(self) -> str:
        """As Go's `Duration.String` writes it: `1h30m0s`, `1.5ms`, `0s`."""
        size = abs(self.nanoseconds)
        sign = "-" if self.nanoseconds < 0 else ""
        if size == 0:
            return "0s"
        if size < SECOND:
            return sign + _small(size)
        minutes, rest = divmod(size, MINUTE)
        text = _decimal(rest, SECOND) + "s"
        if minutes:
            hours, minutes = divmod(minutes, 60)
            text = f"{hours}h{minutes}m{text}" if hours else f"{minutes}m{text}"
        return sign + text


ZERO = Duration(0)


def parse(text: str) -> Duration:
    """The duration that the text names: Go's `time.ParseDuration`, and `none` for zero. Otherwise DurationError.

    The error's text is Go's, such as ``time: unknown unit "d" in duration "3d"``.
    """
    if text == NONE:
        return ZERO
    if len(text) > MAX_LENGTH:
        raise DurationError(f"a duration of {len(text)} characters is longer than {MAX_LENGTH}")
    unsigned = text[1:] if text[:1] in ("-", "+") else text
    if unsigned == "0":
        return ZERO
    size = _total(unsigned, text)
    if text[0] == "-":
        return Duration(-size)
    if size > INT64_MAX:
        raise _invalid(text)
    return Duration(size)


def format(duration: Duration) -> str:
    """The duration as Landscaper serialises it: zero is `none`, the rest is as Go writes it."""
    return str(duration) if duration else NONE


def _total(unsigned: str, text: str) -> int:
    """The sum of the parts in nanoseconds, at most 2**63."""
    if not unsigned:
        raise _invalid(text)
    total = position = 0
    while position < len(unsigned):
        match = _PART.match(unsigned, position)
        if match is None or match.end() == position:
            raise _invalid(text)
        total += _part(match, text)
        if total > _LIMIT:
            raise _invalid(text)
        position = match.end()
    return total


def _part(match: re.Match[str], text: str) -> int:
    """One number with its unit, in nanoseconds. The order of the checks decides which error Go reports."""
    digits, fraction, unit = match["whole"], match["fraction"], match["unit"]
    whole = _leading_int(digits, text)
    if not digits and not fraction:
        raise _invalid(text)
    if not unit:
        raise DurationError(f"time: missing unit in duration {_quote(text)}")
    scale = _UNITS.get(unit)
    if scale is None:
        raise DurationError(f"time: unknown unit {_quote(unit)} in duration {_quote(text)}")
    size = whole * scale + _leading_fraction(fraction or "", scale)
    if size > _LIMIT:
        raise _invalid(text)
    return size


def _leading_int(digits: str, text: str) -> int:
    # Checked by length first: a number of millions of digits must not be converted.
    significant = digits.lstrip("0")
    if len(significant) > len(str(_LIMIT)) or int(significant or "0") > _LIMIT:
        raise _invalid(text)
    return int(significant or "0")


def _leading_fraction(digits: str, unit: int) -> int:
    """What the digits behind the point add, rounded as Go's float64 arithmetic rounds it."""
    number, scale = 0, 1.0
    for digit in digits[:_FRACTION_DIGITS]:
        if number > INT64_MAX // 10 or number * 10 + int(digit) > _LIMIT:
            break
        number = number * 10 + int(digit)
        scale *= 10
    return int(number * (unit / scale)) if number else 0


def _small(size: int) -> str:
    """Less than a second, in the largest unit that keeps a digit before the point."""
    if size < MICROSECOND:
        return f"{size}ns"
    if size < MILLISECOND:
        return _decimal(size, MICROSECOND) + "µs"
    return _decimal(size, MILLISECOND) + "ms"


def _decimal(size: int, unit: int) -> str:
    """The exact quotient without trailing zeros; the unit is a power of ten."""
    whole, rest = divmod(size, unit)
    fraction = f"{rest:0{len(str(unit)) - 1}d}".rstrip("0")
    return f"{whole}.{fraction}" if fraction else str(whole)


def _invalid(text: str) -> DurationError:
    return DurationError(f"time: invalid duration {_quote(text)}")


def _quote(text: str) -> str:
    """The text in quotes as Go's package time does it: simpler than strconv, bytes beyond ASCII in hexadecimal."""
    return '"' + "".join(map(_quote_char, text)) + '"'


def _quote_char(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if " " <= char < "\x80":
        return char
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
