"""Replicas divide the roots, hand over without overlap, and take over from the dead within 10 seconds."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runtime.replicas import ROOTS, Process, check_single_owners, watch_owners

from landform.cluster.resources import ObjectKey
from landform.kit.surroundings import Surroundings
from landform.runtime import shards
from landform.runtime.errors import LeaseLost
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from landform.cluster.interface import Cluster

TAKE_OVER_SECONDS = 10.0


def on_a_home(scenario: Callable[[Cluster], Awaitable[None]]) -> None:
    async def main() -> None:
        async with homes.in_process(Surroundings(clock=time.VirtualClock())) as cluster:
            await scenario(cluster)

    time.run(main())


async def end(processes: list[Process]) -> None:
    for process in processes:
        await process.kill()


def test_one_replica_owns_everything_at_once() -> None:
    async def scenario(cluster: Cluster) -> None:
        alone = Process(cluster, 0)
        await asyncio.sleep(1)
        assert alone.owned() == set(ROOTS)
        assert alone.life.is_ready
        await alone.stop()

    on_a_home(scenario)


def test_three_replicas_divide_the_roots_among_them() -> None:
    async def scenario(cluster: Cluster) -> None:
        processes = [Process(cluster, number) for number in range(3)]
        await asyncio.sleep(5)
        assert check_single_owners(processes) == set(ROOTS)
        assert all(process.owned() for process in processes)
        await end(processes)

    on_a_home(scenario)


def test_what_a_dead_replica_owned_is_taken_over_within_ten_seconds() -> None:
    async def scenario(cluster: Cluster) -> None:
        processes = [Process(cluster, number) for number in range(2)]
        await asyncio.sleep(5)
        resyncs = processes[1].work.resyncs
        await processes[0].kill()
        await watch_owners(processes, TAKE_OVER_SECONDS)
        assert processes[1].owned() == set(ROOTS)
        assert processes[1].work.resyncs > resyncs
        await end(processes)

    on_a_home(scenario)


def test_a_replica_that_hangs_owns_nothing_when_others_take_over_and_nothing_when_it_wakes_up() -> None:
    async def scenario(cluster: Cluster) -> None:
        processes = [Process(cluster, number) for number in range(2)]
        await asyncio.sleep(5)
        processes[0].connection.open.clear()
        await watch_owners(processes, TAKE_OVER_SECONDS)
        assert processes[1].owned() == set(ROOTS)
        assert processes[0].owned() == set()
        with pytest.raises(LeaseLost, match="leaves default/root-0 alone"):
            processes[0].shards.remaining(ROOTS[0])
        processes[0].connection.open.set()
        await watch_owners(processes, TAKE_OVER_SECONDS)
        assert processes[0].owned()
        assert check_single_owners(processes) == set(ROOTS)
        await end(processes)

    on_a_home(scenario)


def test_a_replica_that_stops_in_good_order_is_not_waited_for() -> None:
    async def scenario(cluster: Cluster) -> None:
        processes = [Process(cluster, number) for number in range(2)]
        await asyncio.sleep(5)
        await processes[0].stop()
        await watch_owners(processes, 2)
        assert processes[1].owned() == set(ROOTS)
        await end(processes)

    on_a_home(scenario)


def test_a_newcomer_waits_until_running_work_that_will_be_its_own_has_ended() -> None:
    async def scenario(cluster: Cluster) -> None:
        old = Process(cluster, 0)
        await asyncio.sleep(1)
        old.work.roots = list(ROOTS)
        new = Process(cluster, 1)
        await watch_owners([old, new], 20)
        assert new.owned() == set()
        lost = set(ROOTS) - old.owned()
        assert lost, "the old replica must begin nothing that will be the new one's"
        old.work.roots = []
        await watch_owners([old, new], 4)
        assert new.owned() == lost
        await end([old, new])

    on_a_home(scenario)


def test_a_lease_never_promises_more_than_it_has() -> None:
    async def scenario(cluster: Cluster) -> None:
        alone = Process(cluster, 0)
        await asyncio.sleep(1)
        assert 0 < alone.shards.remaining(ROOTS[0]) <= 4.0
        alone.connection.open.clear()
        await asyncio.sleep(alone.shards.remaining(ROOTS[0]))
        assert not alone.shards.owns(ROOTS[0])
        await alone.kill()

    on_a_home(scenario)


def test_a_renewal_that_is_answered_too_late_makes_the_replica_look_at_everything_again() -> None:
    async def scenario(cluster: Cluster) -> None:
        alone = Process(cluster, 0)

        def freeze(verb: str) -> None:
            if verb == "patch":
                alone.clock.frozen += 2.0
                alone.connection.before_answer = lambda verb: None

        await asyncio.sleep(0.5)
        assert alone.work.resyncs == 1
        alone.connection.failures = 1.0
        await asyncio.sleep(2.3)
        alone.connection.failures = 0.0
        alone.connection.before_answer = freeze
        await asyncio.sleep(3)
        assert alone.owned() == set(ROOTS)
        assert alone.work.resyncs == 2
        await alone.kill()

    on_a_home(scenario)


FAULTS = st.sampled_from(["kill", "stop", "hang", "wake", "lossy", "healthy", "start"])


@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**32),
    slowest=st.sampled_from([0.01, 0.2, 0.6]),
    faults=st.lists(st.tuples(FAULTS, st.integers(0, 3), st.sampled_from([0.3, 1.7, 4.1, 6.3])), max_size=8),
)
def test_whatever_happens_to_replicas_no_root_has_two_owners_and_in_the_end_each_has_one(
    seed: int, slowest: float, faults: list[tuple[str, int, float]]
) -> None:
    async def scenario(cluster: Cluster) -> None:
        processes = [Process(cluster, number, seed=seed, slowest=slowest) for number in range(3)]
        for fault, number, seconds in faults:
            await apply(fault, number, processes, cluster, seed)
            await watch_owners(processes, seconds)
        for process in processes:
            process.connection.open.set()
            process.connection.failures = 0.0
            process.connection._slowest = 0.05
        processes.append(Process(cluster, len(processes), seed=seed))
        await watch_owners(processes, 2 * TAKE_OVER_SECONDS)
        assert check_single_owners(processes) == set(ROOTS)
        await end(processes)

    on_a_home(scenario)


async def apply(fault: str, number: int, processes: list[Process], cluster: Cluster, seed: int) -> None:
    """Do something to one of the processes."""
    process = processes[number % len(processes)]
    match fault:
        case "kill":
            await process.kill()
        case "stop":
            process.life.stop()
        case "hang":
            process.connection.open.clear()
        case "wake":
            process.connection.open.set()
        case "lossy":
            process.connection.failures = 0.5
        case "healthy":
            process.connection.failures = 0.0
        case "start":
            processes.append(Process(cluster, len(processes), seed=seed))


@given(st.sets(st.text(min_size=1), min_size=2, max_size=6), st.text(), st.text(), st.data())
def test_only_what_a_replica_owned_moves_when_it_goes(
    replicas: set[str], namespace: str, name: str, data: st.DataObject
) -> None:
    root = ObjectKey(namespace, name)
    gone = data.draw(st.sampled_from(sorted(replicas)))
    before = shards.first(replicas, root)
    assert before == gone or shards.first(replicas - {gone}, root) == before


def test_roots_are_spread_evenly() -> None:
    roots = [ObjectKey("default", str(number)) for number in range(3000)]
    counts = Counter(shards.first(("a", "b", "c"), root) for root in roots)
    assert min(counts.values()) > 850
