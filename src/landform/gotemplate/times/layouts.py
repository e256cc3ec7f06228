"""Layouts: how Go writes moments, by the example of Mon Jan 2 15:04:05 MST 2006."""

from __future__ import annotations

import re
from typing import NamedTuple

from landform.gotemplate.times.calendar import MONTHS, WEEKDAYS

CHUNK = re.compile(
    r"January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|2|__2|_2(?!006)|3|4|5|PM|pm"
    r"|-070000|-07:00:00|-0700|-07:00|-07|Z070000|Z07:00:00|Z0700|Z07:00|Z07|[.,](?:0+|9+)(?![0-9])"
)


class Fields(NamedTuple):
    """A moment in its zone, taken apart."""

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    nanosecond: int
    weekday: int
    yearday: int
    zone: str
    offset: int


def padded(number: int, width: int) -> str:
    """The number with zeros in front, after its sign."""
    return f"-{-number:0{width}d}" if number < 0 else f"{number:0{width}d}"


def write(layout: str, fields: Fields) -> str:
    """The moment in the layout."""
    return CHUNK.sub(lambda match: _chunk(match[0], fields), layout)


def _chunk(chunk: str, fields: Fields) -> str:
    if chunk[0] in "-Z":
        return zone_offset(chunk, fields.offset)
    if chunk[0] in ".,":
        return _fraction(chunk, fields.nanosecond)
    hour = fields.hour % 12 or 12
    match chunk:
        case "2006":
            return padded(fields.year, 4)
        case "06":
            return f"{abs(fields.year) % 100:02d}"
        case "January":
            return MONTHS[fields.month - 1]
        case "Jan":
            return MONTHS[fields.month - 1][:3]
        case "Monday":
            return WEEKDAYS[fields.weekday]
        case "Mon":
            return WEEKDAYS[fields.weekday][:3]
        case "PM":
            return "PM" if fields.hour >= 12 else "AM"
        case "pm":
            return "pm" if fields.hour >= 12 else "am"
        case "MST":
            return fields.zone or zone_offset("-0700", fields.offset)
        case "002":
            return f"{fields.yearday:03d}"
        case "__2":
            return f"{fields.yearday:3d}"
        case "_2":
            return f"{fields.day:2d}"
        case "15":
            return f"{fields.hour:02d}"
    number = {"1": fields.month, "2": fields.day, "3": hour, "4": fields.minute, "5": fields.second}[chunk[-1]]
    return f"{number:02d}" if chunk[0] == "0" else str(number)


def zone_offset(chunk: str, offset: int) -> str:
    """The offset of a zone in the way of the chunk."""
    if chunk[0] == "Z" and offset == 0:
        return "Z"
    minutes = int(offset / 60)
    sign, minutes, size = ("-", -minutes, -offset) if minutes < 0 else ("+", minutes, offset)
    colon = ":" if ":" in chunk else ""
    text = f"{sign}{minutes // 60:02d}"
    if len(chunk) > 3:
        text += f"{colon}{minutes % 60:02d}"
    if len(chunk) in (7, 9):
        text += f"{colon}{abs(size) % 60:02d}"
    return text


def _fraction(chunk: str, nanosecond: int) -> str:
    text = chunk[0] + f"{nanosecond:09d}"[: len(chunk) - 1].ljust(
        len(chunk) - 1 if chunk[1] == "0" and len(chunk) > 10 else 0, "0"
    )
    return text.rstrip("0").rstrip(".,") if chunk[1] == "9" else text
