"""Reads moments from text by a layout, with Go's leniency and Go's complaints."""

from __future__ import annotations

from typing import NoReturn

from landform.gotemplate.errors import GoError
from landform.gotemplate.times import calendar
from landform.gotemplate.times.layouts import CHUNK
from landform.gotemplate.times.moments import SECOND, Time, moment
from landform.gotemplate.times.zones import ZERO, Fixed, Location

_RANGES = {"15": ("hour", 23), "3": ("hour", 12), "03": ("hour", 12), "4": ("minute", 59), "04": ("minute", 59)}
_OFFSET_PARTS = {
    "-07:00": ((1, 3), (4, 6), None, (3,), 6),
    "-07": ((1, 3), None, None, (), 3),
    "-07:00:00": ((1, 3), (4, 6), (7, 9), (3, 6), 9),
    "-070000": ((1, 3), (3, 5), (5, 7), (), 7),
    "-0700": ((1, 3), (3, 5), None, (), 5),
}


class _Bad(Exception):
    """The value does not fit the chunk of the layout in hand."""


class _OutOfRange(Exception):
    """The number is no hour, minute or the like; names which."""


def quote(text: str) -> str:
    """The text in quotes, as errors of the time package write it."""
    parts = []
    for byte in text.encode("utf-8", "surrogateescape"):
        char = chr(byte)
        parts.append(f"\\x{byte:02x}" if byte >= 0x80 or byte < 0x20 else "\\" + char if char in '"\\' else char)
    return '"' + "".join(parts) + '"'


def parse(layout: str, value: str, local: Location) -> Time:
    """The moment that the value shows in the layout; GoError when it shows none."""
    return _Parser(layout, value, local).run()


class _Parser:
    """One run over one value."""

    def __init__(self, layout: str, value: str, local: Location) -> None:
        self._layout = layout
        self._whole = value
        self._rest = value
        self._local = local
        self._year, self._month, self._day, self._yearday = 0, -1, -1, -1
        self._hour = self._minute = self._second = self._nanosecond = 0
        self._half = ""
        self._zone: Location | None = None
        self._offset: int | None = None
        self._zone_name = ""

    def run(self) -> Time:
        position = 0
        while True:
            match = CHUNK.search(self._layout, position)
            prefix = self._layout[position : match.start() if match else len(self._layout)]
            self._skip(prefix)
            if match is None:
                break
            position = match.end()
            self._chunk(match[0], position)
        if self._rest:
            self._fail(f": extra text: {quote(self._rest)}")
        return self._moment()

    def _fail(self, message: str) -> NoReturn:
        raise GoError(f"parsing time {quote(self._whole)}{message}")

    def _cannot(self, value: str, chunk: str) -> NoReturn:
        self._fail(f" as {quote(self._layout)}: cannot parse {quote(value)} as {quote(chunk)}")

    def _skip(self, prefix: str) -> None:
        whole = prefix
        while prefix:
            if prefix[0] == " ":
                if self._rest and self._rest[0] != " ":
                    self._cannot(self._rest, whole)
                prefix, self._rest = prefix.lstrip(" "), self._rest.lstrip(" ")
                continue
            if not self._rest or self._rest[0] != prefix[0]:
                self._cannot(self._rest, whole)
            prefix, self._rest = prefix[1:], self._rest[1:]

    def _chunk(self, chunk: str, after: int) -> None:
        held = self._rest
        try:
            if chunk[0] in "-Z":
                self._read_offset(chunk)
            elif chunk[0] in ".,":
                self._read_fraction(chunk)
            elif chunk in ("5", "05"):
                self._read_second(chunk, after)
            elif chunk in _RANGES:
                self._read_clock(chunk)
            else:
                self._read_date(chunk)
        except _Bad:
            self._cannot(held, chunk)
        except _OutOfRange as error:
            self._fail(f": {error} out of range")

    def _digits(self, fixed: bool) -> int:
        """One or two digits."""
        value = self._rest
        if not _digit(value, 0):
            raise _Bad
        if not _digit(value, 1):
            if fixed:
                raise _Bad
            self._rest = value[1:]
            return int(value[0])
        self._rest = value[2:]
        return int(value[:2])

    def _name(self, names: tuple[str, ...]) -> int:
        for index, name in enumerate(names):
            if self._rest[: len(name)].lower() == name.lower():
                self._rest = self._rest[len(name) :]
                return index
        raise _Bad

    def _take(self, count: int) -> str:
        if len(self._rest) < count:
            raise _Bad
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken

    def _read_date(self, chunk: str) -> None:
        match chunk:
            case "2006":
                if len(self._rest) < 4 or not _digit(self._rest, 0):
                    raise _Bad
                self._year = _number(self._take(4))
            case "06":
                year = _number(self._take(2))
                self._year = year + (1900 if year >= 69 else 2000)
            case "January":
                self._month = self._name(calendar.MONTHS) + 1
            case "Jan":
                self._month = self._name(tuple(name[:3] for name in calendar.MONTHS)) + 1
            case "1" | "01":
                self._month = self._digits(chunk == "01")
                if not 1 <= self._month <= 12:
                    raise _OutOfRange("month")
            case "Monday":
                self._name(calendar.WEEKDAYS)
            case "Mon":
                self._name(tuple(name[:3] for name in calendar.WEEKDAYS))
            case "2" | "_2" | "02":
                if chunk == "_2" and self._rest.startswith(" "):
                    self._rest = self._rest[1:]
                self._day = self._digits(chunk == "02")
            case "002" | "__2":
                self._read_yearday(chunk)
            case "PM" | "pm":
                self._half = self._take(2)
                if self._half not in (("PM", "AM") if chunk == "PM" else ("pm", "am")):
                    raise _Bad
            case "MST":
                self._read_zone()

    def _read_yearday(self, chunk: str) -> None:
        if chunk == "__2":
            for _ in range(2):
                self._rest = self._rest[1:] if self._rest.startswith(" ") else self._rest
        count = 0
        while count < 3 and _digit(self._rest, count):
            count += 1
        if not count or (chunk == "002" and count != 3):
            raise _Bad
        self._yearday = int(self._take(count))

    def _read_clock(self, chunk: str) -> None:
        name, largest = _RANGES[chunk]
        number = self._digits(len(chunk) == 2 and chunk != "15")
        if number > largest:
            raise _OutOfRange(name)
        if name == "hour":
            self._hour = number
        else:
            self._minute = number

    def _read_second(self, chunk: str, after: int) -> None:
        self._second = self._digits(chunk == "05")
        if self._second >= 60:
            raise _OutOfRange("second")
        if self._rest[:1] in (".", ",") and _digit(self._rest, 1):
            following = CHUNK.search(self._layout, after)
            if following is not None and following[0][0] in ".,":
                return
            self._take_fraction(_run_of_digits(self._rest))

    def _read_fraction(self, chunk: str) -> None:
        if chunk[1] == "0":
            if len(self._rest) < len(chunk):
                raise _Bad
            self._take_fraction(len(chunk))
        elif self._rest[:1] in (".", ",") and _digit(self._rest, 1):
            self._take_fraction(_run_of_digits(self._rest))

    def _take_fraction(self, size: int) -> None:
        text = self._take(size)
        if text[0] not in ".,":
            raise _Bad
        digits = text[1:10]
        number = _number(digits)
        if number < 0:
            raise _OutOfRange("fractional second")
        self._nanosecond = number * 10 ** (9 - len(digits))

    def _read_offset(self, chunk: str) -> None:
        if chunk[0] == "Z" and self._rest.startswith("Z"):
            self._rest = self._rest[1:]
            self._zone = ZERO
            return
        hour, minute, second, colons, size = _OFFSET_PARTS["-" + chunk[1:]]
        text = self._take(size)
        if any(text[place] != ":" for place in colons):
            raise _Bad
        numbers = [_two(text[part[0] : part[1]]) if part else 0 for part in (hour, minute, second)]
        for number, largest, name in zip(numbers, (24, 60, 60), ("hour", "minute", "second"), strict=True):
            if number > largest:
                raise _OutOfRange(f"time zone offset {name}")
        if text[0] not in "+-":
            raise _Bad
        total = numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
        self._offset = -total if text[0] == "-" else total

    def _read_zone(self) -> None:
        if self._rest.startswith("UTC"):
            self._rest = self._rest[3:]
            self._zone = ZERO
            return
        self._zone_name = self._take(_zone_length(self._rest))

    def _moment(self) -> Time:
        hour = self._hour
        if self._half.upper() == "PM" and hour < 12:
            hour += 12
        elif self._half.upper() == "AM" and hour == 12:
            hour = 0
        self._settle_day()
        fields = (self._year, self._month, self._day, hour, self._minute, self._second, self._nanosecond)
        if self._zone is not None:
            return moment(fields, self._zone)
        if self._offset is not None:
            time = moment(fields, ZERO)
            nanoseconds = time.nanoseconds - self._offset * SECOND
            name, offset, _ = self._local.at(nanoseconds // SECOND)
            if offset == self._offset and self._zone_name in ("", name):
                return Time(nanoseconds, self._local)
            return Time(nanoseconds, Fixed(self._zone_name, self._offset))
        if self._zone_name:
            return self._named(moment(fields, ZERO))
        return moment(fields, self._local)

    def _named(self, time: Time) -> Time:
        """A moment in a zone of which only an abbreviation is known."""
        for near in (time.seconds, time.seconds - 180 * 86_400, time.seconds + 180 * 86_400):
            name, offset, _ = self._local.at(near)
            if name == self._zone_name:
                return Time(time.nanoseconds - offset * SECOND, self._local)
        hours = int(self._zone_name[3:]) if self._zone_name.startswith("GMT") and len(self._zone_name) > 3 else 0
        return Time(time.nanoseconds, Fixed(self._zone_name, hours * 3600))

    def _settle_day(self) -> None:
        if self._yearday >= 0:
            self._use_yearday()
        self._month = 1 if self._month < 0 else self._month
        self._day = 1 if self._day < 0 else self._day
        if not 1 <= self._day <= calendar.days_in(self._month, self._year):
            self._fail(": day out of range")

    def _use_yearday(self) -> None:
        leap = calendar.is_leap(self._year)
        if not 1 <= self._yearday <= 365 + leap:
            self._fail(": day-of-year out of range")
        _, month, day = calendar.to_date(calendar.to_days(self._year, 1, 1) + self._yearday - 1)
        if self._month >= 0 and self._month != month:
            self._fail(": day-of-year does not match month")
        if self._day >= 0 and self._day != day:
            self._fail(": day-of-year does not match day")
        self._month, self._day = month, day


def _digit(text: str, index: int) -> bool:
    return "0" <= text[index : index + 1] <= "9"


def _run_of_digits(text: str) -> int:
    end = 1
    while _digit(text, end):
        end += 1
    return end


def _number(text: str) -> int:
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isascii() or (digits and not digits.isdigit()):
        raise _Bad
    return int(text) if digits else 0


def _two(text: str) -> int:
    if not (_digit(text, 0) and _digit(text, 1)):
        raise _Bad
    return int(text)


def _zone_length(text: str) -> int:
    """How much of the text looks like the abbreviation of a zone."""
    if len(text) < 3:
        raise _Bad
    if text[:4] in ("ChST", "MeST"):
        return 4
    if text.startswith("GMT"):
        return 3 + _signed_length(text[3:])
    if text[0] in "+-":
        length = _signed_length(text)
        if not length:
            raise _Bad
        return length
    capitals = 0
    while capitals < 6 and "A" <= text[capitals : capitals + 1] <= "Z":
        capitals += 1
    if (
        capitals == 3
        or (capitals == 4 and (text[3] == "T" or text[:4] == "WITA"))
        or (capitals == 5 and text[4] == "T")
    ):
        return capitals
    raise _Bad


def _signed_length(text: str) -> int:
    if text[:1] not in ("+", "-"):
        return 0
    end = _run_of_digits(text)
    return end if 1 < end < 12 and int(text[1:end]) <= 23 else 0
