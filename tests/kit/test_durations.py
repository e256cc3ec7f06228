"""Durations in Go's syntax: what real Go says, there and back, and what is below it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landform.kit import durations
from landform.kit.durations import Duration, DurationError

GOLDEN = Path(__file__).parents[1] / "golden" / "durations"
EXPECTED: list[dict[str, Any]] = json.loads((GOLDEN / "expected.json").read_text("utf-8"))

nanoseconds = st.integers(-(2**63), 2**63 - 1)


def test_every_golden_case_has_an_expectation() -> None:
    assert [case["text"] for case in EXPECTED] == json.loads((GOLDEN / "cases.json").read_text("utf-8"))
    assert len(EXPECTED) >= 150


@pytest.mark.parametrize("case", EXPECTED, ids=lambda case: ascii(case["text"])[:40])
def test_a_text_is_read_and_written_as_go_does(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(DurationError) as caught:
            durations.parse(case["text"])
        assert str(caught.value) == case["error"]
    else:
        duration = durations.parse(case["text"])
        assert (duration.nanoseconds, str(duration)) == (case["nanoseconds"], case["string"])


def test_none_is_zero_in_both_directions() -> None:
    assert durations.parse("none") == durations.ZERO
    assert durations.format(durations.ZERO) == "none"
    assert str(durations.ZERO) == "0s"
    assert durations.format(durations.parse("0s")) == "none"


@pytest.mark.parametrize(
    ("text", "canonical"), [("90m", "1h30m0s"), ("1500ms", "1.5s"), ("1us", "1µs"), ("-90s", "-1m30s")]
)
def test_a_duration_is_written_in_its_shortest_form(text: str, canonical: str) -> None:
    assert durations.format(durations.parse(text)) == canonical


@settings(deadline=None)
@given(nanoseconds)
def test_each_duration_survives_being_written_and_read(value: int) -> None:
    duration = Duration(value)
    assert durations.parse(durations.format(duration)) == duration
    assert durations.parse(str(duration)) == duration


@settings(deadline=None)
@given(st.text() | st.from_regex(r"[-+]?([0-9]{0,20}(\.[0-9]{0,20})?(ns|us|µs|ms|s|m|h|d)?){1,4}", fullmatch=True))
def test_no_text_causes_anything_but_a_duration_error(text: str) -> None:
    try:
        duration = durations.parse(text)
    except DurationError:
        return
    assert durations.parse(durations.format(duration)) == duration


def test_seconds_and_timedelta_are_offered() -> None:
    duration = durations.parse("1m0.25s")
    assert duration.seconds == 60.25
    assert duration.timedelta == timedelta(minutes=1, milliseconds=250)
    assert Duration.of(duration.timedelta) == duration


def test_less_than_a_microsecond_is_dropped_towards_zero_in_a_timedelta() -> None:
    assert Duration(1999).timedelta == timedelta(microseconds=1)
    assert Duration(-1999).timedelta == timedelta(microseconds=-1)


def test_durations_are_ordered_and_zero_is_false() -> None:
    assert durations.parse("59s") < durations.parse("1m")
    assert not durations.ZERO
    assert durations.parse("1ns")


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1])
def test_what_does_not_fit_into_64_bits_is_refused(value: int) -> None:
    with pytest.raises(DurationError, match="does not fit into 64 bits"):
        Duration(value)


@pytest.mark.timeout(10)
@pytest.mark.parametrize("text", ["9" * 10_000_000 + "s", "0." + "0" * 10_000_000 + "1s", "1" + "é" * 10_000_000])
def test_a_huge_text_is_refused_at_once(text: str) -> None:
    with pytest.raises(DurationError, match="longer than 100000"):
        durations.parse(text)


@pytest.mark.timeout(10)
def test_many_leading_zeros_are_read_in_linear_time() -> None:
    assert durations.parse("0" * 90_000 + "1s") == durations.parse("1s")
