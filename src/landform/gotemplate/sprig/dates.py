"""Dates and durations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.numbers import INT64_MAX, INT64_MIN
from landform.gotemplate.times import parsing
from landform.gotemplate.times.moments import SECOND, Duration, Time, zero_time
from landform.gotemplate.times.zones import ZERO, load
from landform.gotemplate.values import Int, wrap64
from landform.kit import durations

if TYPE_CHECKING:
    from landform.gotemplate.sprig.surroundings import Surroundings

_UNITS = (
    ("y", 365 * 24 * durations.HOUR),
    ("mo", 30 * 24 * durations.HOUR),
    ("d", 24 * durations.HOUR),
    ("h", durations.HOUR),
    ("m", durations.MINUTE),
    ("s", SECOND),
)


def parse_duration(text: str) -> Duration:
    """A duration in Go's syntax; GoError in Go's words."""
    try:
        if text == durations.NONE:
            raise durations.DurationError(f'time: invalid duration "{text}"')
        return Duration(durations.parse(text).nanoseconds)
    except durations.DurationError as error:
        raise GoError(str(error)) from None


class Dates:
    """The functions that need a clock or a local zone."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._now = surroundings.now
        self._local = surroundings.local

    def now(self) -> Time:
        """This moment."""
        return Time(self._now(), self._local)

    def _moment(self, value: Any) -> Time:
        if isinstance(value, Time):
            return value
        if type(value) in (int, Int):
            return Time(value * SECOND, self._local)
        return self.now()

    def in_zone(self, layout: str, value: Any, zone: str) -> str:
        """A moment in a layout and a zone; in UTC when there is no such zone."""
        try:
            location = load(zone, self._local)
        except GoError:
            location = ZERO
        return Time(self._moment(value).nanoseconds, location).format(layout)

    def ago(self, value: Any) -> str:
        """The time since a moment, in seconds."""
        span = self._now() - self._moment(value).nanoseconds
        return Duration(min(max(span, INT64_MIN), INT64_MAX)).rounded(SECOND).string()

    def must_to_date(self, layout: str, value: str) -> Time:
        """The moment that a text shows."""
        return parsing.parse(layout, value, self._local)

    def to_date(self, layout: str, value: str) -> Time:
        """The moment that a text shows, or the zero time."""
        try:
            return self.must_to_date(layout, value)
        except GoError:
            return zero_time()

    def round_duration(self, value: Any) -> str:
        """A duration in its largest unit."""
        span = 0
        if isinstance(value, str):
            try:
                span = parse_duration(value)
            except GoError:
                span = 0
        elif isinstance(value, Time):
            span = self._now() - value.nanoseconds
        elif type(value) is int:
            span = value
        size = abs(span)
        return next((f"{size // unit}{name}" for name, unit in _UNITS if size > unit), "0s")


def must_modify(text: str, time: Time) -> Time:
    """The moment a duration later."""
    return Time(time.nanoseconds + parse_duration(text), time.zone)


def modify(text: str, time: Time) -> Time:
    """The moment a duration later, or the same when the text is no duration."""
    try:
        return must_modify(text, time)
    except GoError:
        return time


def duration(value: Any) -> str:
    """Seconds as a duration."""
    seconds = 0
    if isinstance(value, str):
        digits = value[1:] if value[:1] in ("+", "-") else value
        if digits.isascii() and digits.isdigit():
            seconds = min(max(int(value[:25]), INT64_MIN), INT64_MAX)
    elif type(value) is int:
        seconds = value
    return Duration(wrap64(seconds * SECOND)).string()


def dates(surroundings: Surroundings) -> dict[str, Function]:
    """The functions by name."""
    own = Dates(surroundings)
    in_zone = function("string, any, string -> string", own.in_zone)
    return {
        "now": function("", own.now),
        "ago": function("any -> string", own.ago),
        "date": function("string, any -> string", lambda layout, value: own.in_zone(layout, value, "Local")),
        "date_in_zone": in_zone,
        "dateInZone": in_zone,
        "htmlDate": function("any -> string", lambda value: own.in_zone("2006-01-02", value, "Local")),
        "htmlDateInZone": function("any, string -> string", lambda value, zone: own.in_zone("2006-01-02", value, zone)),
        "date_modify": function("string, time.Time", modify),
        "dateModify": function("string, time.Time", modify),
        "must_date_modify": function("string, time.Time", must_modify),
        "mustDateModify": function("string, time.Time", must_modify),
        "duration": function("any -> string", duration),
        "durationRound": function("any -> string", own.round_duration),
        "toDate": function("string, string", own.to_date),
        "mustToDate": function("string, string", own.must_to_date),
        "unixEpoch": function("time.Time -> string", lambda time: str(time.seconds)),
    }
