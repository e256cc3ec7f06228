"""A value that keeps changing counts when it is quiet, or has waited long enough, and not too often."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from landform.deployers.manifest.debouncing import LONGEST_SECONDS, PAUSE_SECONDS, QUIET_SECONDS, Debounce


def test_what_is_as_it_should_be_needs_nothing() -> None:
    debounce = Debounce()
    assert not debounce.see("a", 0.0, differs=False)
    assert debounce.left(0.0) is None


def test_a_change_counts_after_a_quiet_moment() -> None:
    debounce = Debounce()
    assert not debounce.see("b", 5.0, differs=True)
    assert debounce.left(5.0) == QUIET_SECONDS
    assert debounce.see("b", 5.0 + QUIET_SECONDS, differs=True)


def test_a_change_that_is_taken_back_is_none() -> None:
    debounce = Debounce()
    debounce.see("b", 0.0, differs=True)
    assert not debounce.see("a", 0.5, differs=False)
    assert debounce.left(9.0) is None


def test_what_was_dealt_with_is_left_alone_until_it_is_something_else() -> None:
    debounce = Debounce()
    debounce.see("gone", 0.0, differs=True)
    assert debounce.see("gone", 2.0, differs=True)
    debounce.done()
    assert not debounce.see("gone", 100.0, differs=True)
    assert debounce.left(100.0) is None
    debounce.see("b", 101.0, differs=True)
    assert debounce.see("b", 103.0, differs=True)


def test_what_should_be_may_change_too() -> None:
    debounce = Debounce()
    debounce.see("a", 0.0, differs=False)
    assert not debounce.see("a", 50.0, differs=True)
    assert debounce.see("a", 50.0 + QUIET_SECONDS, differs=True)


def test_what_could_not_be_dealt_with_waits_as_if_it_were_new() -> None:
    debounce = Debounce()
    debounce.see("b", 0.0, differs=True)
    debounce.put_off(20.0)
    assert debounce.left(20.0) == QUIET_SECONDS


@given(st.lists(st.floats(min_value=0.01, max_value=30.0), max_size=60))
def test_however_values_change_the_newest_counts_soon_and_never_too_often(pauses: list[float]) -> None:
    """Each pause ends with a new value; whoever waits as told finds each moment at which something is due."""
    debounce, now, exported, value = Debounce(), 0.0, 0, 0
    since: float | None = None
    renewals: list[float] = []
    for pause in [*pauses, 100.0]:
        value += 1
        since = now if since is None else since
        end = now + pause
        while now < end:
            if debounce.see(value, now, differs=value != exported):
                assert since is not None
                assert now - since <= LONGEST_SECONDS + PAUSE_SECONDS + 0.001
                renewals.append(now)
                exported, since = value, None
                debounce.renewed(now)
            left = debounce.left(now)
            now = end if left is None else min(end, now + max(left, 0.0001))
    assert exported == value
    assert all(after - before >= PAUSE_SECONDS - 0.001 for before, after in itertools.pairwise(renewals))
