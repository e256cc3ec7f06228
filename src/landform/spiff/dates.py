"""Dates as certificates write them: `Jan 2 15:04:05 2006`, always UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from landform.kit.quoting import quote

_LAYOUT = "Jan 2 15:04:05 2006"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_PARTS = (
    ("Jan", re.compile("(?i:" + "|".join(_MONTHS) + ")")),
    (" ", re.compile(" +|$")),
    ("2", re.compile("[0-9]{1,2}")),
    (" ", re.compile(" +|$")),
    ("15", re.compile("[0-9]{1,2}")),
    (":", re.compile(":")),
    ("04", re.compile("[0-9]{2}")),
    (":", re.compile(":")),
    ("05", re.compile("[0-9]{2}(?:[.,][0-9]+)?")),
    (" ", re.compile(" +|$")),
    ("2006", re.compile("[0-9]{4}")),
)
_LIMITS = {"15": (24, "hour"), "04": (60, "minute"), "05": (60, "second")}


def date_text(date: datetime) -> str:
    """A date as text."""
    return f"{_MONTHS[date.month - 1]} {date.day} {date:%H:%M:%S} {date.year:04}"


def parse_date(text: str) -> datetime:
    """The date that a text writes; ValueError in the words of the original. Parts of a second are left out."""
    found: dict[str, str] = {}
    rest = text
    for part, pattern in _PARTS:
        match = pattern.match(rest)
        if match is None:
            raise ValueError(_fault(text, rest, part))
        found[part], rest = match[0], rest[match.end() :]
        if part in _LIMITS and int(found[part][:2]) >= _LIMITS[part][0]:
            raise ValueError(f"parsing time {quote(text)}: {_LIMITS[part][1]} out of range")
    if rest:
        raise ValueError(f"parsing time {quote(text)}: extra text: {quote(rest)}")
    return _date(text, found)


def _fault(text: str, rest: str, part: str) -> str:
    return f"parsing time {quote(text)} as {quote(_LAYOUT)}: cannot parse {quote(rest)} as {quote(part)}"


def _date(text: str, found: dict[str, str]) -> datetime:
    month = _MONTHS.index(found["Jan"].capitalize()) + 1
    try:
        return datetime(
            int(found["2006"]),
            month,
            int(found["2"]),
            int(found["15"]),
            int(found["04"]),
            int(found["05"][:2]),
            tzinfo=UTC,
        )
    except ValueError:
        raise ValueError(f"parsing time {quote(text)}: day out of range") from None
