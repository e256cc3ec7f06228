"""Events: counted instead of repeated, bounded, and never in the way."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from landform.cluster.errors import Unreachable
from landform.cluster.resources import CONFIG_MAPS, EVENTS
from landform.kit.surroundings import Surroundings
from landform.runtime.manager import Life
from landform.runtime.recorders import EventType, Recorder
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from landform.cluster.interface import Cluster

OBJECT = {"metadata": {"name": "one", "namespace": "default", "uid": "u-1"}}


def with_a_recorder(scenario: Callable[[Cluster, Recorder], Awaitable[None]], bound: int = 1000) -> None:
    async def main() -> None:
        surroundings = Surroundings(clock=time.VirtualClock())
        async with homes.in_process(surroundings) as cluster:
            await scenario(cluster, Recorder(cluster, "test", surroundings=surroundings, bound=bound))

    time.run(main())


async def events(cluster: Cluster) -> list[tuple[str, int]]:
    found = await cluster.list(EVENTS, namespace="default")
    return sorted((event["message"], event["count"]) for event in found.items)


def test_the_same_statement_is_one_event_whose_count_grows() -> None:
    async def scenario(cluster: Cluster, recorder: Recorder) -> None:
        for _ in range(3):
            recorder.emit(CONFIG_MAPS, OBJECT, EventType.WARNING, "Failed", "no")
        await recorder.flush()
        await asyncio.sleep(60)
        recorder.emit(CONFIG_MAPS, OBJECT, EventType.WARNING, "Failed", "no")
        recorder.emit(CONFIG_MAPS, OBJECT, EventType.NORMAL, "Done", "yes")
        await recorder.flush()
        assert await events(cluster) == [("no", 4), ("yes", 1)]
        [event] = [one for one in (await cluster.list(EVENTS)).items if one["message"] == "no"]
        assert (event["type"], event["reason"], event["source"]["component"]) == ("Warning", "Failed", "test")
        assert (event["involvedObject"]["kind"], event["involvedObject"]["uid"]) == ("ConfigMap", "u-1")
        assert (event["firstTimestamp"], event["lastTimestamp"]) == ("2030-01-01T00:00:00Z", "2030-01-01T00:01:00Z")

    with_a_recorder(scenario)


def test_what_is_said_again_after_its_event_expired_is_a_new_event() -> None:
    async def scenario(cluster: Cluster, recorder: Recorder) -> None:
        recorder.emit(CONFIG_MAPS, OBJECT, EventType.NORMAL, "Done", "yes")
        await recorder.flush()
        await cluster.delete_collection(EVENTS, namespace="default")
        recorder.emit(CONFIG_MAPS, OBJECT, EventType.NORMAL, "Done", "yes")
        await recorder.flush()
        assert await events(cluster) == [("yes", 2)]

    with_a_recorder(scenario)


def test_what_is_emitted_is_written_while_it_runs_and_the_rest_when_it_stops() -> None:
    async def scenario(cluster: Cluster, recorder: Recorder) -> None:
        life = Life()
        running = asyncio.create_task(recorder.run(life))
        recorder.emit(CONFIG_MAPS, OBJECT, EventType.NORMAL, "Done", "first")
        await asyncio.sleep(1)
        assert await events(cluster) == [("first", 1)]
        recorder.emit(CONFIG_MAPS, OBJECT, EventType.NORMAL, "Done", "last")
        life.stop()
        await running
        assert await events(cluster) == [("first", 1), ("last", 1)]

    with_a_recorder(scenario)


def test_a_cluster_that_takes_no_events_disturbs_nobody() -> None:
    class Broken:
        async def create(self, *args: Any, **kwargs: Any) -> Any:
            raise Unreachable("no answer")

    async def scenario(cluster: Cluster, _: Recorder) -> None:
        recorder = Recorder(Broken(), "test")  # type: ignore[arg-type]  # only creates are tried
        recorder.emit(CONFIG_MAPS, OBJECT, EventType.NORMAL, "Done", "yes")
        await recorder.flush()
        assert recorder.dropped == 1

    with_a_recorder(scenario)


@settings(max_examples=15)
@given(st.lists(st.integers(0, 30), max_size=60), st.integers(1, 10))
def test_nothing_said_is_miscounted_and_nothing_grows_beyond_the_bound(said: list[int], bound: int) -> None:
    async def scenario(cluster: Cluster, recorder: Recorder) -> None:
        for number in said:
            recorder.emit(CONFIG_MAPS, OBJECT, EventType.NORMAL, "Said", str(number))
            assert len(recorder._pending) <= bound
            assert len(recorder._told) <= bound
        await recorder.flush()
        counted = sum(count for _, count in await events(cluster))
        assert counted + recorder.dropped == len(said)

    with_a_recorder(scenario, bound)
