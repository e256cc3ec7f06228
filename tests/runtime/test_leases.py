"""Leases: the holder's count ends first, and a last-moment renewal beats whoever takes it for dead; on both homes."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.cluster.errors import NotFound
from landform.kit.clocks import SystemClock
from landform.runtime.leases import Leases, Replica, Sightings, Tenure, Timing
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class SetClock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.shown = 0.0

    def now(self) -> Any:
        return time.START + timedelta(seconds=self.shown)

    def monotonic(self) -> float:
        return self.passed

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError


@given(
    sent=st.floats(0, 1e6),
    travel=st.floats(0, 30),
    later=st.floats(0, 30),
    timing=st.builds(Timing, duration=st.integers(2, 60), margin=st.floats(0.1, 1.9)),
)
def test_while_a_holder_counts_on_its_lease_nobody_takes_it_for_dead(
    sent: float, travel: float, later: float, timing: Timing
) -> None:
    clock = SetClock()
    clock.passed = clock.shown = sent
    tenure = Tenure.sent_now(clock, timing)
    replica = Replica("r", "u", "1", float(timing.duration), frozenset())
    sightings = Sightings()
    sightings.see([replica], sent + travel)
    clock.passed = clock.shown = sent + travel + later
    dead = sightings.is_dead(replica, clock.passed)
    assert not (dead and tenure.remaining(clock) > -timing.margin + 1e-6)


@pytest.mark.parametrize(("passed", "shown"), [(10.0, 0.0), (0.0, 10.0)], ids=["set back", "suspended"])
def test_the_clock_that_is_ahead_ends_a_tenure(passed: float, shown: float) -> None:
    clock = SetClock()
    tenure = Tenure.sent_now(clock, Timing())
    clock.passed, clock.shown = passed, shown
    assert tenure.remaining(clock) < 0


def test_a_replica_is_dead_only_after_its_whole_time_without_a_change() -> None:
    first, second = (Replica("r", "u", version, 5.0, frozenset()) for version in "12")
    sightings = Sightings()
    sightings.see([first], 0.0)
    sightings.see([second], 4.0)
    assert not sightings.is_dead(second, 8.9)
    sightings.see([second], 9.0)
    assert sightings.is_dead(second, 9.0)


@pytest.fixture(params=[homes.in_process, homes.over_https], ids=["in-process", "https"])
async def leases(request: pytest.FixtureRequest) -> AsyncIterator[Leases]:
    async with request.param() as cluster:
        yield Leases(cluster, "test", namespace="default", clock=SystemClock(), timing=Timing())


async def test_a_renewal_says_whom_the_holder_knows(leases: Leases) -> None:
    created = await leases.create("one", "pod-1")
    await leases.renew("one", {"u-2", "u-1"})
    [found], _ = await leases.list()
    assert (found.name, found.uid, found.duration) == ("one", created.uid, 5.0)
    assert found.known == {"u-1", "u-2"}
    assert found.version != created.version


async def test_who_renews_in_the_last_moment_is_not_buried(leases: Leases) -> None:
    seen = await leases.create("one", "pod-1")
    await leases.renew("one", ())
    assert not await leases.bury(seen)
    [alive], _ = await leases.list()
    assert await leases.bury(alive)
    assert await leases.bury(alive), "somebody else may have done it"


async def test_who_was_buried_finds_out_and_does_not_come_back_under_the_same_lease(leases: Leases) -> None:
    seen = await leases.create("one", "pod-1")
    assert await leases.bury(seen)
    with pytest.raises(NotFound):
        await leases.renew("one", ())
    again = await leases.create("one", "pod-1")
    assert again.uid != seen.uid
    await leases.give_back(seen)
    assert [one.uid for one in (await leases.list())[0]] == [again.uid]
