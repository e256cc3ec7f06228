"""Days and dates of the Gregorian calendar in any year."""

from __future__ import annotations

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_leap(year: int) -> bool:
    """Whether the year has 366 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in(month: int, year: int) -> int:
    """The length of a month."""
    return 29 if month == 2 and is_leap(year) else _LENGTHS[month - 1]


def to_days(year: int, month: int, day: int) -> int:
    """The days since 1970; months and days beyond their range carry over."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    shifted = year - (month <= 2)
    era, of_era = divmod(shifted, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468 + day - 1


def to_date(days: int) -> tuple[int, int, int]:
    """The year, month and day that is so many days after the start of 1970."""
    era, of_era = divmod(days + 719468, 146097)
    year_of_era = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    index = (5 * of_year + 2) // 153
    month = index + 3 if index < 10 else index - 9
    return year_of_era + era * 400 + (month <= 2), month, of_year - (153 * index + 2) // 5 + 1
