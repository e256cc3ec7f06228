"""Schedules in the cron syntax of robfig/cron v3 (`ParseStandard`), with its exact next times and error texts.

>>> from datetime import UTC, datetime
>>> str(parse("CRON_TZ=Europe/Berlin 30 2 * * *").next(datetime(2024, 7, 1, tzinfo=UTC)))
'2024-07-01 00:30:00+00:00'

Five fields (minute, hour, day of month, month, day of week), descriptors such as `@daily`, `@every 1h30m`, and a zone
in front (`CRON_TZ=` or `TZ=`). Where clocks change, the original has habits of its own (some days are left out, some
hours come late); they are kept, because a schedule must fire at the same moment as before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol
from zoneinfo import ZoneInfo

from landform.kit import durations, quoting

MAX_LENGTH = 100_000
"""How many characters a schedule may have; longer texts are hostile."""


class CronError(ValueError):
    """The text is not a schedule; the message is the original's."""


class Schedule(Protocol):
    """Something that happens again and again."""

    def next(self, after: datetime) -> datetime | None:
        """The first time strictly after an aware moment, in that moment's zone; None if there is none in sight."""
        ...


@dataclass(frozen=True)
class _Bounds:
    """The values that a field may have, and their names."""

    low: int
    high: int
    names: tuple[str, ...] = ()
    """Lower-case names of the values from `low` on."""


_MINUTES = _Bounds(0, 59)
_HOURS = _Bounds(0, 23)
_DAYS = _Bounds(1, 31)
_MONTHS = _Bounds(1, 12, ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"))
_WEEKDAYS = _Bounds(0, 6, ("sun", "mon", "tue", "wed", "thu", "fri", "sat"))
_FIELDS = (_MINUTES, _HOURS, _DAYS, _MONTHS, _WEEKDAYS)

# Set in a field that was written with a star: it decides how the two day fields combine.
_STAR = 1 << 63
_DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_EVERY = "@every "
_ZONE_PREFIXES = ("TZ=", "CRON_TZ=")
_ZONE_NAME = re.compile(r"[A-Za-z0-9_+\-]+(/[A-Za-z0-9_+\-]+)*\Z")
# What Go's unicode.IsSpace accepts; Python's own idea of white space has four control characters more.
_SPACES = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
_SPACE_RUN = re.compile(f"[{_SPACES}]+")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
_YEARS_IN_SIGHT = 5


def parse(text: str, zone: tzinfo | None = UTC) -> Schedule:
    """The schedule that the text describes; CronError if it is none.

    Fields are read in the zone of the prefix; without one in `zone`. None stands for the zone of each moment that is
    asked about, which is what the original does when it is not told a zone.
    """
    if not text:
        raise CronError("empty spec string")
    if len(text) > MAX_LENGTH:
        raise CronError(f"a schedule of {len(text)} characters is longer than {MAX_LENGTH}")
    if text.startswith(_ZONE_PREFIXES):
        name, space, rest = text.partition("=")[2].partition(" ")
        if not space:
            raise CronError(f"provided bad location {name}: a schedule must follow, behind a space")
        zone = _location(name, zone)
        text = rest.strip(_SPACES)
    if text.startswith("@"):
        return _descriptor(text, zone)
    return _spec(text, zone)


def _location(name: str, default: tzinfo | None) -> tzinfo | None:
    if name in ("", "UTC"):
        return UTC
    if name == "Local":
        return default
    if ".." in name or name[0] in "/\\":
        raise CronError(f"provided bad location {name}: time: invalid location name")
    if _ZONE_NAME.match(name):
        try:
            return ZoneInfo(name)
        except (KeyError, ValueError, OSError):  # not there, not a zone file, a folder of zones
            pass
    raise CronError(f"provided bad location {name}: unknown time zone {name}")


def _descriptor(text: str, zone: tzinfo | None) -> Schedule:
    fields = _DESCRIPTORS.get(text)
    if fields is not None:
        return _spec(fields, zone)
    if not text.startswith(_EVERY):
        raise CronError(f"unrecognized descriptor: {text}")
    length = text.removeprefix(_EVERY)
    if length == durations.NONE:  # the word is Landscaper's, not Go's
        raise CronError(f'failed to parse duration {text}: time: invalid duration "none"')
    try:
        return ConstantDelaySchedule.every(durations.parse(length))
    except durations.DurationError as error:
        raise CronError(f"failed to parse duration {text}: {error}") from error


def _spec(text: str, zone: tzinfo | None) -> SpecSchedule:
    texts = [field for field in _SPACE_RUN.split(text) if field]
    if len(texts) != len(_FIELDS):
        raise CronError(f"expected exactly {len(_FIELDS)} fields, found {len(texts)}: [{' '.join(texts)}]")
    minutes, hours, days, months, weekdays = map(_field, texts, _FIELDS)
    return SpecSchedule(minutes, hours, days, months, weekdays, zone)


def _field(text: str, bounds: _Bounds) -> int:
    """The bits of the values in a list of ranges. A list of nothing but commas is empty and never matches."""
    bits = 0
    for expression in text.split(","):
        if expression:
            bits |= _range(expression, bounds)
    return bits


def _range(expression: str, bounds: _Bounds) -> int:
    """The bits of `*`, `?`, `N` or `N-M` with an optional `/STEP`. The order of checks decides which error is told."""
    ends, *steps = expression.split("/")
    low, *highs = ends.split("-")
    star = 0
    if low in ("*", "?"):
        start, end, star = bounds.low, bounds.high, _STAR
    else:
        start = end = _value(low, bounds)
        if len(highs) > 1:
            raise CronError(f"too many hyphens: {expression}")
        if highs:
            end = _value(highs[0], bounds)
    step = 1
    if len(steps) > 1:
        raise CronError(f"too many slashes: {expression}")
    if steps:
        step = _number(steps[0])
        if not highs:  # N/STEP goes on to the end
            end = bounds.high
        if step > 1:
            star = 0
    _check(expression, bounds, start, end, step)
    return sum(1 << value for value in range(start, end + 1, step)) | star


def _check(expression: str, bounds: _Bounds, start: int, end: int, step: int) -> None:
    if start < bounds.low:
        raise CronError(f"beginning of range ({start}) below minimum ({bounds.low}): {expression}")
    if end > bounds.high:
        raise CronError(f"end of range ({end}) above maximum ({bounds.high}): {expression}")
    if start > end:
        raise CronError(f"beginning of range ({start}) beyond end of range ({end}): {expression}")
    if step == 0:
        raise CronError(f"step of range should be a positive number: {expression}")


def _value(text: str, bounds: _Bounds) -> int:
    name = text.lower()
    return bounds.low + bounds.names.index(name) if name in bounds.names else _number(text)


def _number(text: str) -> int:
    try:
        number = quoting.atoi(text)
    except ValueError as error:
        raise CronError(f"failed to parse int from {text}: {error}") from error
    if number < 0:
        raise CronError(f"negative number ({number}) not allowed: {text}")
    return number


@dataclass(frozen=True)
class ConstantDelaySchedule:
    """`@every`: always the same delay after the moment that is asked about, on a whole second."""

    delay: timedelta
    """Whole seconds, at least one."""

    @classmethod
    def every(cls, duration: durations.Duration) -> ConstantDelaySchedule:
        """The schedule of a duration: what is below a second is dropped, less than one second becomes one."""
        return cls(timedelta(seconds=max(duration.nanoseconds // durations.SECOND, 1)))

    def next(self, after: datetime) -> datetime | None:
        """The moment plus the delay, without the fraction of its second; None beyond the year 9999."""
        try:
            moment = _aware(after).astimezone(UTC) + self.delay
            return moment.replace(microsecond=0).astimezone(after.tzinfo)
        except OverflowError:
            return None


@dataclass(frozen=True)
class SpecSchedule:
    """Five fields as sets of bits, and the zone in which they are meant.

    A day must match both day fields if one of them was written with a star, otherwise either of them.
    """

    minutes: int
    hours: int
    days: int
    months: int
    weekdays: int
    zone: tzinfo | None

    def next(self, after: datetime) -> datetime | None:
        """The first matching minute strictly after the moment, in the moment's zone.

        None if there is none within five years (30 February), or none before the year 10000.
        """
        zone = self.zone or _aware(after).tzinfo or UTC
        if not (self.minutes and self.hours and self.months):
            return None
        try:
            epoch = self._search(_Cursor((_aware(after) - _EPOCH) // _SECOND + 1, zone))
            return None if epoch is None else (_EPOCH + timedelta(seconds=epoch)).astimezone(after.tzinfo)
        except OverflowError:
            return None

    def _search(self, cursor: _Cursor) -> int | None:
        """Settle the fields from the largest to the smallest; when one wraps around, begin again with the largest."""
        last_year = cursor.wall.year + _YEARS_IN_SIGHT
        while cursor.wall.year <= last_year:
            settled = self._to_month(cursor) and self._to_day(cursor) and self._to_hour(cursor)
            if settled and self._to_minute(cursor) and self._to_second(cursor):
                return cursor.epoch
        return None

    def _to_month(self, cursor: _Cursor) -> bool:
        while not self.months >> cursor.wall.month & 1:
            cursor.begin(day=1, hour=0, minute=0)
            cursor.go_on(months=1)
            if cursor.wall.month == 1:
                return False
        return True

    def _to_day(self, cursor: _Cursor) -> bool:
        while not self._day_matches(cursor.wall):
            cursor.begin(hour=0, minute=0)
            before = cursor.epoch
            cursor.go_on(days=1)
            if cursor.epoch <= before:
                # The next day does not exist: Samoa left out 30 December 2011. The original never returns from here.
                cursor.add(24 * 3600)
            hour = cursor.wall.hour
            if hour:  # midnight does not exist on this day
                cursor.add((24 - hour if hour > 12 else -hour) * 3600)
            if cursor.wall.day == 1:
                return False
        return True

    def _to_hour(self, cursor: _Cursor) -> bool:
        while not self.hours >> cursor.wall.hour & 1:
            cursor.begin(minute=0)
            cursor.add(3600)
            if cursor.wall.hour == 0:
                return False
        return True

    def _to_minute(self, cursor: _Cursor) -> bool:
        while not self.minutes >> cursor.wall.minute & 1:
            cursor.begin_minute()
            cursor.add(60)
            if cursor.wall.minute == 0:
                return False
        return True

    def _to_second(self, cursor: _Cursor) -> bool:
        """Every schedule fires at second 0, so any other second wraps to the next minute."""
        if cursor.wall.second == 0:
            return True
        cursor.begun = True
        cursor.add(60 - cursor.wall.second)
        return False

    def _day_matches(self, wall: datetime) -> bool:
        day = bool(self.days >> wall.day & 1)
        weekday = bool(self.weekdays >> wall.isoweekday() % 7 & 1)
        if (self.days | self.weekdays) & _STAR:
            return day and weekday
        return day or weekday


class _Cursor:
    """A moment that moves on, with Go's arithmetic: as an instant (`add`) or on the calendar of its zone (`go_on`)."""

    def __init__(self, epoch: int, zone: tzinfo) -> None:
        self.epoch = epoch
        self.zone = zone
        self.wall = _wall(epoch, zone)
        """What a clock in the zone shows."""
        self.begun = False
        """Whether the smaller fields were set back to their beginning: once, when the first field moves."""

    def add(self, seconds: int) -> None:
        self._move(self.epoch + seconds)

    def begin(self, day: int | None = None, hour: int | None = None, *, minute: int) -> None:
        """Set the given fields and the seconds back on the clock, once."""
        if not self.begun:
            self.begun = True
            wall = self.wall
            naive = datetime(wall.year, wall.month, day or wall.day, wall.hour if hour is None else hour, minute)
            self._move(_instant(naive, self.zone))

    def begin_minute(self) -> None:
        """Set the seconds back, counted in UTC as Go does, once."""
        if not self.begun:
            self.begun = True
            self._move(self.epoch - self.epoch % 60)

    def go_on(self, *, months: int = 0, days: int = 0) -> None:
        """The same time of day on a later date; a date that is not in the calendar flows into the next month."""
        years, month = divmod(self.wall.month - 1 + months, 12)
        first = self.wall.replace(year=self.wall.year + years, month=month + 1, day=1, tzinfo=None)
        self._move(_instant(first + timedelta(days=self.wall.day - 1 + days), self.zone))

    def _move(self, epoch: int) -> None:
        self.epoch = epoch
        self.wall = _wall(epoch, self.zone)


def _aware(moment: datetime) -> datetime:
    if moment.utcoffset() is None:
        raise ValueError(f"{moment} names no time zone; a schedule needs an aware datetime")
    return moment


def _wall(epoch: int, zone: tzinfo) -> datetime:
    return (_EPOCH + timedelta(seconds=epoch)).astimezone(zone)


def _instant(naive: datetime, zone: tzinfo) -> int:
    """The instant of a time on the clock, as Go's `time.Date` decides it where the clock skips or repeats.

    Go looks up the offset as if the clock showed UTC, and a second time at the instant that this gives.
    """
    local = (naive.replace(tzinfo=UTC) - _EPOCH) // _SECOND
    return local - _offset(local - _offset(local, zone), zone)


def _offset(epoch: int, zone: tzinfo) -> int:
    offset = _wall(epoch, zone).utcoffset()
    return 0 if offset is None else offset // _SECOND
