"""Schedules: what robfig/cron says, and what must hold for all of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landform.kit import cron
from landform.kit.cron import CronError

GOLDEN = Path(__file__).parents[1] / "golden" / "cron"
EXPECTED: list[dict[str, Any]] = json.loads((GOLDEN / "expected.json").read_text("utf-8"))
BERLIN = ZoneInfo("Europe/Berlin")

moments = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))


def case_id(case: dict[str, Any]) -> str:
    return f"{ascii(case['schedule'])[:50]} {case['after']} {case['zone']}"


def rfc3339(moment: datetime | None) -> str:
    return "never" if moment is None else moment.isoformat().replace("+00:00", "Z")


def test_every_golden_case_has_an_expectation() -> None:
    cases = json.loads((GOLDEN / "cases.json").read_text("utf-8"))
    assert [{key: case[key] for key in ("schedule", "zone", "after", "count")} for case in EXPECTED] == cases
    assert sum(len(case.get("next", ())) for case in EXPECTED) >= 300


@pytest.mark.parametrize("case", EXPECTED, ids=case_id)
def test_a_schedule_behaves_as_in_go(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(CronError) as caught:
            cron.parse(case["schedule"])
        assert str(caught.value) == case["error"]
        return
    schedule = cron.parse(case["schedule"], zone=None)
    moment: datetime | None = datetime.fromisoformat(case["after"]).astimezone(ZoneInfo(case["zone"]))
    found: list[str] = []
    while moment is not None and len(found) < case["count"]:
        moment = schedule.next(moment)
        found.append(rfc3339(moment))
    assert found == case["next"]


def test_a_schedule_without_a_zone_is_read_in_utc() -> None:
    after = datetime(2024, 7, 1, 0, 30, tzinfo=BERLIN)
    assert cron.parse("0 23 * * *").next(after) == datetime(2024, 6, 30, 23, 0, tzinfo=UTC)


def test_a_zone_may_be_given_for_schedules_without_one() -> None:
    schedule = cron.parse("0 2 * * *", zone=BERLIN)
    assert schedule.next(datetime(2024, 7, 1, tzinfo=UTC)) == datetime(2024, 7, 2, 0, 0, tzinfo=UTC)


def test_the_prefix_wins_over_the_given_zone() -> None:
    schedule = cron.parse("TZ=UTC 0 2 * * *", zone=BERLIN)
    assert schedule.next(datetime(2024, 7, 1, tzinfo=UTC)) == datetime(2024, 7, 1, 2, 0, tzinfo=UTC)


def test_zone_none_reads_the_schedule_in_the_zone_of_the_moment() -> None:
    schedule = cron.parse("0 2 * * *", zone=None)
    assert schedule.next(datetime(2024, 7, 1, tzinfo=BERLIN)) == datetime(2024, 7, 1, 2, 0, tzinfo=BERLIN)


@pytest.mark.parametrize("text", ["0 2 * * *", "@every 10m"])
def test_the_answer_is_in_the_zone_of_the_question(text: str) -> None:
    zone = timezone(timedelta(hours=5, minutes=30))
    found = cron.parse(text).next(datetime(2024, 7, 1, tzinfo=zone))
    assert found is not None
    assert found.tzinfo is zone


@pytest.mark.parametrize("text", ["* * * * *", "@every 10m"])
def test_a_moment_without_a_zone_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="names no time zone"):
        cron.parse(text).next(datetime(2024, 7, 1))


def test_a_day_that_the_calendar_left_out_is_stepped_over() -> None:
    # Samoa crossed the date line: 30 December 2011 did not happen there. The original never returns on this one.
    found = cron.parse("TZ=Pacific/Apia 0 12 1 * *").next(datetime(2011, 12, 15, tzinfo=UTC))
    assert found == datetime(2011, 12, 31, 22, 0, tzinfo=UTC)


def test_a_prefix_alone_is_an_error_and_not_a_crash() -> None:
    with pytest.raises(CronError, match="a schedule must follow"):
        cron.parse("TZ=UTC")


@pytest.mark.parametrize("name", ["Europe", "a b", "a\0b", "tzdata.zi", "é", "x" * 5000])
def test_a_name_that_is_no_zone_is_an_error(name: str) -> None:
    with pytest.raises(CronError):
        cron.parse(f"TZ={name} * * * * *")


@pytest.mark.parametrize("text", ["0 0 30 2 *", ", * * * *", "* , * * *", "* * , * *", "* * * , *"])
def test_a_schedule_that_never_matches_has_no_next_time(text: str) -> None:
    assert cron.parse(text).next(datetime(2024, 1, 1, tzinfo=UTC)) is None


@pytest.mark.parametrize("text", ["* * * * *", "@every 1s", "0 0 1 1 *"])
def test_there_is_no_next_time_after_the_end_of_the_calendar(text: str) -> None:
    assert cron.parse(text).next(datetime.max.replace(tzinfo=UTC)) is None


@pytest.mark.timeout(10)
@pytest.mark.parametrize("text", ["9" * 10_000_000, "* " * 5_000_000, "TZ=" + "a/" * 5_000_000 + " @daily"])
def test_a_huge_text_is_refused_at_once(text: str) -> None:
    with pytest.raises(CronError, match="longer than 100000"):
        cron.parse(text)


def fields(low: int, high: int) -> st.SearchStrategy[str]:
    """Valid texts of one field."""
    value = st.integers(low, high)
    span = st.tuples(value, value).map(lambda pair: f"{min(pair)}-{max(pair)}")
    single = st.one_of(st.just("*"), value.map(str), span)
    stepped = st.tuples(single, st.integers(1, high)).map(lambda pair: f"{pair[0]}/{pair[1]}")
    return st.lists(single | stepped, min_size=1, max_size=3).map(",".join)


specs = st.tuples(fields(0, 59), fields(0, 23), fields(1, 31), fields(1, 12), fields(0, 6)).map(" ".join)


def values(text: str, low: int, high: int) -> set[int]:
    """The values of a valid field, written down independently of the parser."""
    found: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        if span == "*":
            first, last = low, high
        else:
            first, last = (int(end) for end in (span.split("-") * 2)[:2])
            if step and "-" not in span:
                last = high
        found.update(range(first, last + 1, int(step or 1)))
    return found


def has_star(text: str) -> bool:
    return any(part in ("*", "*/1") for part in text.split(","))


def matches(text: str, moment: datetime) -> bool:
    """Whether a minute in UTC belongs to the schedule, by definition."""
    minute, hour, day, month, weekday = text.split()
    in_days = moment.day in values(day, 1, 31)
    in_weekdays = moment.isoweekday() % 7 in values(weekday, 0, 6)
    both = has_star(day) or has_star(weekday)
    return (
        moment.minute in values(minute, 0, 59)
        and moment.hour in values(hour, 0, 23)
        and moment.month in values(month, 1, 12)
        and ((in_days and in_weekdays) if both else (in_days or in_weekdays))
    )


@settings(deadline=None)
@given(specs, moments)
def test_in_utc_the_next_time_is_the_first_matching_minute(text: str, after: datetime) -> None:
    found = cron.parse(text).next(after)
    minute = after.replace(second=0, microsecond=0) + timedelta(minutes=1)
    # Walking minute by minute is slow, so only the first two days are walked; later answers must match and be later.
    for _ in range(2 * 24 * 60):
        if matches(text, minute):
            assert found == minute
            return
        minute += timedelta(minutes=1)
    assert found is None or (found >= minute and matches(text, found))


@settings(deadline=None)
@given(specs, moments, st.sampled_from(["UTC", "Europe/Berlin", "Africa/Cairo", "Australia/Lord_Howe", "Asia/Tehran"]))
def test_next_times_rise_strictly_in_every_zone(text: str, after: datetime, zone: str) -> None:
    schedule = cron.parse(f"CRON_TZ={zone} {text}")
    found = schedule.next(after)
    for _ in range(5):
        if found is None:
            return
        assert found > after
        after, found = found, schedule.next(found)


@settings(deadline=None)
@given(st.text() | st.text("*?-/,0123456789 @everymonTZ=", max_size=30) | specs.map(lambda text: f"TZ={text}"))
def test_no_text_causes_anything_but_a_cron_error(text: str) -> None:
    try:
        schedule = cron.parse(text)
    except CronError:
        return
    schedule.next(datetime(2024, 1, 1, tzinfo=UTC))
