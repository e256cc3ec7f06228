"""Moments, durations, months and weekdays, with the methods that templates may call."""

from __future__ import annotations

from typing import Any

from landform.gotemplate.errors import Fault, GoError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.quoting import quote
from landform.gotemplate.runtime import NAMED_INTEGERS
from landform.gotemplate.times import calendar, layouts
from landform.gotemplate.times.zones import ZERO, Location
from landform.gotemplate.values import Int, NamedInteger, NilPointer, Object, Uint64, wrap64
from landform.kit import durations

SECOND = 1_000_000_000
_FIRST = calendar.to_days(1, 1, 1) * 86_400 * SECOND  # Go's zero time


class Duration(NamedInteger):
    """A time.Duration in nanoseconds."""

    __slots__ = ()
    go_type = "time.Duration"
    go_kind = "int64"

    def string(self) -> str:
        return str(durations.Duration(int(self)))

    def rounded(self, unit: int) -> Duration:
        """The nearest multiple of the unit."""
        if unit <= 0:
            return self
        rest = abs(self) % unit
        size = abs(self) - rest + (unit if rest * 2 >= unit else 0)
        return Duration(min(max(size if self >= 0 else -size, -(1 << 63)), (1 << 63) - 1))

    def truncated(self, unit: int) -> Duration:
        """The multiple of the unit towards zero."""
        if unit <= 0:
            return self
        size = abs(self) - abs(self) % unit
        return Duration(size if self >= 0 else -size)


class Month(NamedInteger):
    """A time.Month."""

    __slots__ = ()
    go_type = "time.Month"
    go_kind = "int"

    def string(self) -> str:
        return calendar.MONTHS[self - 1]


class Weekday(NamedInteger):
    """A time.Weekday."""

    __slots__ = ()
    go_type = "time.Weekday"
    go_kind = "int"

    def string(self) -> str:
        return calendar.WEEKDAYS[self]


class Time(Object):
    """A time.Time: nanoseconds since 1970 and a zone."""

    __slots__ = ("nanoseconds", "zone")
    go_type = "time.Time"

    def __init__(self, nanoseconds: int, zone: Location) -> None:
        self.nanoseconds = nanoseconds
        self.zone = zone

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time) and (self.nanoseconds, self.zone) == (other.nanoseconds, other.zone)

    def __hash__(self) -> int:
        return hash(self.nanoseconds)

    @property
    def seconds(self) -> int:
        """Whole seconds since 1970."""
        return self.nanoseconds // SECOND

    def parts(self) -> layouts.Fields:
        """The moment in its zone, taken apart."""
        name, offset, _ = self.zone.at(self.seconds)
        days, clock = divmod(self.seconds + offset, 86_400)
        year, month, day = calendar.to_date(days)
        return layouts.Fields(
            year,
            month,
            day,
            clock // 3600,
            clock // 60 % 60,
            clock % 60,
            self.nanoseconds % SECOND,
            (days + 4) % 7,
            days - calendar.to_days(year, 1, 1) + 1,
            name,
            offset,
        )

    def format(self, layout: str) -> str:
        """The moment in a layout."""
        return layouts.write(layout, self.parts())

    def string(self) -> str:
        return self.format("2006-01-02 15:04:05.999999999 -0700 MST")

    def fields(self) -> dict[str, Any]:
        zone = NilPointer("*time.Location") if self.zone is ZERO else self.zone
        return {"wall": Uint64(0), "ext": self.seconds - _FIRST // SECOND, "loc": zone}

    def go_string(self) -> str:
        parts = self.parts()
        zone = "time.UTC" if self.zone is ZERO else f"time.Location({quote(self.zone.name)})"
        if self.zone.name == "Local":
            zone = "time.Local"
        date = f"{parts.year}, time.{calendar.MONTHS[parts.month - 1]}, {parts.day}"
        return f"time.Date({date}, {parts.hour}, {parts.minute}, {parts.second}, {parts.nanosecond}, {zone})"

    def rfc3339(self) -> str:
        """The moment as JSON writes it."""
        year = self.parts().year
        if not 0 <= year <= 9999:
            raise GoError("Time.MarshalJSON: year outside of range [0,9999]")
        return self.format("2006-01-02T15:04:05.999999999Z07:00")


def zero_time() -> Time:
    """Go's zero time."""
    return Time(_FIRST, ZERO)


def moment(fields: tuple[int, int, int, int, int, int, int], zone: Location) -> Time:
    """The moment when the clocks of a zone show a date and time; parts beyond their range carry over."""
    year, month, day, hour, minute, second, nanosecond = fields
    days = calendar.to_days(year, month, day)
    shown = days * 86_400 + hour * 3600 + minute * 60 + second
    offset = zone.at(shown - zone.at(shown)[1])[1]
    for candidate in (zone.at(shown)[1], *zone.offsets(shown)):
        if zone.at(shown - candidate)[1] == candidate:
            offset = candidate
            break
    return Time((shown - offset) * SECOND + nanosecond, zone)


def _add_date(time: Time, years: int, months: int, days: int) -> Time:
    parts = time.parts()
    return moment(
        (
            parts.year + years,
            parts.month + months,
            parts.day + days,
            parts.hour,
            parts.minute,
            parts.second,
            parts.nanosecond,
        ),
        time.zone,
    )


def _difference(first: Time, other: Time) -> Duration:
    span = first.nanoseconds - other.nanoseconds
    return Duration(min(max(span, -(1 << 63)), (1 << 63) - 1))


def _truncated(time: Time, unit: int) -> Time:
    return time if unit <= 0 else Time(time.nanoseconds - (time.nanoseconds - _FIRST) % unit, time.zone)


def _rounded(time: Time, unit: int) -> Time:
    if unit <= 0:
        return time
    rest = (time.nanoseconds - _FIRST) % unit
    return Time(time.nanoseconds - rest + (unit if rest * 2 >= unit else 0), time.zone)


def _refused(message: str) -> Function:
    """A method whose results templates cannot take."""

    def call(*_given: Any) -> Any:
        raise Fault(message)

    return Function(call, ())


def _several(name: str, count: int) -> Function:
    return _refused(f"function {name} has {count} return values; should be 1 or 2")


def _second(name: str, kind: str) -> Function:
    return _refused(f"invalid function signature for {name}: second return value should be error; is {kind}")


Time.methods = {
    "Format": function("string", Time.format),
    "String": function("", Time.string),
    "GoString": function("", Time.go_string),
    "Unix": function("", lambda time: time.seconds),
    "UnixMilli": function("", lambda time: time.nanoseconds // 1_000_000),
    "UnixMicro": function("", lambda time: time.nanoseconds // 1_000),
    "UnixNano": function("", lambda time: wrap64(time.nanoseconds)),
    "Year": function("", lambda time: Int(time.parts().year)),
    "Month": function("", lambda time: Month(time.parts().month)),
    "Day": function("", lambda time: Int(time.parts().day)),
    "Hour": function("", lambda time: Int(time.parts().hour)),
    "Minute": function("", lambda time: Int(time.parts().minute)),
    "Second": function("", lambda time: Int(time.parts().second)),
    "Nanosecond": function("", lambda time: Int(time.parts().nanosecond)),
    "Weekday": function("", lambda time: Weekday(time.parts().weekday)),
    "YearDay": function("", lambda time: Int(time.parts().yearday)),
    "UTC": function("", lambda time: Time(time.nanoseconds, ZERO)),
    "In": function("*time.Location", lambda time, zone: Time(time.nanoseconds, zone)),
    "Location": function("", lambda time: time.zone),
    "Add": function("time.Duration", lambda time, span: Time(time.nanoseconds + span, time.zone)),
    "AddDate": function("int, int, int", _add_date),
    "Sub": function("time.Time", _difference),
    "Truncate": function("time.Duration", _truncated),
    "Round": function("time.Duration", _rounded),
    "Before": function("time.Time", lambda time, other: time.nanoseconds < other.nanoseconds),
    "After": function("time.Time", lambda time, other: time.nanoseconds > other.nanoseconds),
    "Equal": function("time.Time", lambda time, other: time.nanoseconds == other.nanoseconds),
    "Compare": function(
        "time.Time",
        lambda time, other: Int((time.nanoseconds > other.nanoseconds) - (time.nanoseconds < other.nanoseconds)),
    ),
    "IsZero": function("", lambda time: time.nanoseconds == _FIRST),
    "IsDST": function("", lambda time: time.zone.at(time.seconds)[2]),
    "MarshalJSON": function("", lambda time: f'"{time.rfc3339()}"'.encode()),
    "MarshalText": function("", lambda time: time.rfc3339().encode()),
    "Date": _several("Date", 3),
    "Clock": _several("Clock", 3),
    "ISOWeek": _second("ISOWeek", "int"),
    "Zone": _second("Zone", "int"),
}
Duration.methods = {
    "String": function("", Duration.string),
    "Hours": function("", lambda span: int(span) / durations.HOUR),
    "Minutes": function("", lambda span: int(span) / durations.MINUTE),
    "Seconds": function("", lambda span: int(span) / SECOND),
    "Milliseconds": function("", lambda span: int(abs(span) // 1_000_000) * (-1 if span < 0 else 1)),
    "Microseconds": function("", lambda span: int(abs(span) // 1_000) * (-1 if span < 0 else 1)),
    "Nanoseconds": function("", int),
    "Abs": function("", lambda span: Duration(min(abs(span), (1 << 63) - 1))),
    "Round": function("time.Duration", Duration.rounded),
    "Truncate": function("time.Duration", Duration.truncated),
}
Month.methods = {"String": function("", Month.string)}
Weekday.methods = {"String": function("", Weekday.string)}
NAMED_INTEGERS.update({"time.Duration": Duration})
