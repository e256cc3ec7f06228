"""What failed is tried again only where that is right, and not all at once."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.cluster.requests import Repeat
from landform.cluster.retries import Backoff, Failure, may_repeat, parse_retry_after

NOT_SENT = Failure(sent=False)
LOST = Failure()
BUSY = Failure(503, retry_after=1)

TABLE = [
    # failure, read, conditional write, other write
    (NOT_SENT, True, True, True),
    (Failure(429), True, True, True),
    (BUSY, True, True, True),
    (LOST, True, True, False),
    (Failure(502), True, True, False),
    (Failure(503), True, True, False),
    (Failure(504), True, True, False),
    (Failure(500), True, False, False),
    (Failure(500, retry_after=1), True, False, False),
    (Failure(507), True, False, False),
    (Failure(400), False, False, False),
    (Failure(401), False, False, False),
    (Failure(404), False, False, False),
    (Failure(409), False, False, False),
    (Failure(410), False, False, False),
    (Failure(302), False, False, False),
]


@pytest.mark.parametrize(("failure", "read", "conditional", "other"), TABLE, ids=[str(row[0]) for row in TABLE])
def test_what_may_be_repeated(failure: Failure, read: bool, conditional: bool, other: bool) -> None:
    assert may_repeat(Repeat.HARMLESS, failure) is read
    assert may_repeat(Repeat.CONDITIONAL, failure) is conditional
    assert may_repeat(Repeat.NEVER, failure) is other


@given(st.integers(1, 10_000), st.integers())
def test_delays_grow_to_their_bound_and_have_chance_in_them(tries: int, seed: int) -> None:
    backoff = Backoff(first=0.1, longest=5)
    bound = min(5, 0.1 * 2 ** min(tries - 1, 30))
    assert bound / 2 <= backoff.delay(tries, random.Random(seed)) <= bound


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (None, None),
        ("", None),
        ("3", 3.0),
        ("0", 0.0),
        ("-1", None),
        ("soon", None),
        ("²", None),
        ("9" * 400, 999999999.0),
        ("Tue, 01 Jan 2030 00:00:10 GMT", 10.0),
        ("Mon, 31 Dec 2029 00:00:10 GMT", 0.0),
        ("Tue, 01 Jan 2030 00:00:10 -0000", None),
    ],
)
def test_retry_after_is_a_number_or_a_moment(text: str | None, seconds: float | None) -> None:
    assert parse_retry_after(text, datetime(2030, 1, 1, tzinfo=UTC)) == seconds
