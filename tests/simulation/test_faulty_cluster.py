"""What goes wrong on the way to a cluster, kind by kind: what takes effect, and what the sender is told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.simulation import worlds

from landform.cluster.errors import ClusterError, Conflict, Gone, ServerError, TooManyRequests, Unreachable
from landform.cluster.interface import DeleteOptions, EventType, ListOptions
from landform.cluster.resources import CONFIG_MAPS, LEASES
from landform.testing.simulation.clusters import TOUCHED
from landform.testing.simulation.faults import Kind

if TYPE_CHECKING:
    from landform.testing.simulation.processes import Process

PATCH = "a/patch/configmaps/default/x/1"


async def patches(process: Process, answers: list[object]) -> None:
    """Creates and patches an object once, and notes the answer and how long it took."""
    await worlds.create(process.cluster, "x", value="old")
    started = asyncio.get_running_loop().time()
    try:
        answers.append((await worlds.patch(process.cluster, "x", value="new"))["data"]["value"])
    except ClusterError as error:
        answers.append(error)
    answers.append(asyncio.get_running_loop().time() - started)
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("kind", "told", "held"),
    [
        (Kind.CONFLICT, Conflict, "old"),
        (Kind.SERVER_ERROR, ServerError, "old"),
        (Kind.TOO_MANY, TooManyRequests, "old"),
        (Kind.RESET, Unreachable, "old"),
        (Kind.TIMEOUT_BEFORE, Unreachable, "old"),
        (Kind.LOST, Unreachable, "new"),
        (Kind.TIMEOUT_AFTER, Unreachable, "new"),
        (Kind.LATE, Unreachable, "new"),
        (Kind.SLOW, str, "new"),
        (Kind.TOUCHED, str, "new"),
    ],
)
def test_a_write_takes_effect_or_not_whatever_its_sender_is_told(kind: Kind, told: type, held: str) -> None:
    answers: list[object] = []
    result = worlds.run(lambda process: patches(process, answers), {PATCH: kind})
    assert isinstance(answers[0], told)
    assert worlds.data(result, "x") == {"value": held}
    assert [(strike.id, strike.kind) for strike in result.history.strikes] == [(PATCH, kind)]


def test_a_late_write_takes_effect_after_its_sender_was_told_that_it_failed() -> None:
    answers: list[object] = []
    result = worlds.run(lambda process: patches(process, answers), {PATCH: Kind.LATE})
    [_, write] = [write for write in result.history.writes if write.key.name == "x"]
    assert isinstance(answers[1], float)
    assert write.at > answers[1] + 0.1


def test_who_gives_up_waiting_does_not_undo_what_is_under_way() -> None:
    async def hurries(process: Process) -> None:
        await worlds.create(process.cluster, "x", value="old")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await worlds.patch(process.cluster, "x", value="new")
        await asyncio.Event().wait()

    assert worlds.data(worlds.run(hurries, {PATCH: Kind.SLOW}), "x") == {"value": "new"}


def test_somebody_else_touches_an_object_just_before_it_is_written() -> None:
    outcomes: list[object] = []

    async def conditional(process: Process) -> None:
        found = await worlds.create(process.cluster, "x", value="old")
        change = {"metadata": {"resourceVersion": found["metadata"]["resourceVersion"]}, "data": {"value": "new"}}
        try:
            patched = await process.cluster.patch(CONFIG_MAPS, "x", change, namespace="default")
            outcomes.append(patched)
        except Conflict as error:
            outcomes.append(error)
        await asyncio.Event().wait()

    result = worlds.run(conditional, {PATCH: Kind.TOUCHED})
    assert isinstance(outcomes[0], Conflict)
    [touch] = [write for write in result.history.writes if write.actor == "neighbour"]
    assert touch.after is not None
    assert touch.after["metadata"]["annotations"] == {TOUCHED: PATCH}


def test_the_history_tells_who_wrote_what_on_which_knowledge() -> None:
    async def works(process: Process) -> None:
        found = await worlds.create(process.cluster, "x", value="old")
        await worlds.patch(process.cluster, "x", value="new")
        options = DeleteOptions(uid=found["metadata"]["uid"])
        await process.cluster.delete(CONFIG_MAPS, "x", namespace="default", options=options)
        await asyncio.Event().wait()

    result = worlds.run(works)
    create, patch, delete = (write for write in result.history.writes if write.key.name == "x")
    assert [write.request.verb for write in (create, patch, delete)] == ["create", "patch", "delete"]
    assert (create.before, patch.before, delete.after) == (None, create.after, None)
    assert patch.request.seen == create.version
    assert {write.actor for write in (create, patch, delete)} == {"a"}


def test_no_lease_can_be_written_while_leases_are_lost() -> None:
    results: list[tuple[float, bool]] = []

    async def renews(process: Process) -> None:
        await process.cluster.create(LEASES, {"metadata": {"name": "l"}}, namespace="default")
        while True:
            await asyncio.sleep(0.5)
            try:
                await process.cluster.patch(LEASES, "l", {"spec": {"holderIdentity": "a"}}, namespace="default")
                await worlds.create(process.cluster, f"c{len(results)}")
                results.append((asyncio.get_running_loop().time(), True))
            except Unreachable:
                results.append((asyncio.get_running_loop().time(), False))

    worlds.run(renews, {"a/lease-loss/1": Kind.LEASE_LOSS})
    assert {worked for _, worked in results} == {True, False}


async def watches(process: Process, heard: list[object]) -> None:
    """Notes what a watch says, and how it ends."""
    found = await process.cluster.list(CONFIG_MAPS, namespace="default")
    options = ListOptions(resource_version=found.resource_version)
    try:
        async with process.cluster.watch(CONFIG_MAPS, namespace="default", options=options) as events:
            async for event in events:
                assert event.object is not None
                moment = asyncio.get_running_loop().time()
                heard.append((event.object["metadata"]["name"], event.type, round(moment)))
        heard.append("quiet end")
    except ClusterError as error:
        heard.append(error)
    await asyncio.Event().wait()


async def creates(world: object) -> None:
    """Something happens in each of five seconds."""
    for number in range(5):
        await asyncio.sleep(1.0)
        await worlds.create(world.cluster, f"c{number}")  # type: ignore[attr-defined]


def names(heard: list[object]) -> list[str]:
    return [entry[0] for entry in heard if isinstance(entry, tuple)]


def test_an_event_comes_twice() -> None:
    heard: list[object] = []
    worlds.run(
        lambda process: watches(process, heard),
        {"a/event/configmaps/default/2": Kind.WATCH_DUPLICATED},
        workload=creates,
    )
    assert names(heard) == ["c0", "c1", "c1", "c2", "c3", "c4"]


def test_a_delayed_event_holds_up_those_after_it_and_keeps_their_order() -> None:
    heard: list[object] = []
    result = worlds.run(
        lambda process: watches(process, heard),
        {f"a/event/configmaps/default/{number}": Kind.WATCH_DELAYED for number in (2, 3)},
        workload=creates,
    )
    assert names(heard) == ["c0", "c1", "c2", "c3", "c4"]
    assert {entry[1] for entry in heard if isinstance(entry, tuple)} == {EventType.ADDED}
    assert len(result.history.strikes) == 2


def test_a_dropped_watch_ends_and_the_rest_is_not_heard() -> None:
    endings: list[object] = []
    for number in range(1, 6):
        heard: list[object] = []
        script = {f"a/event/configmaps/default/{number}": Kind.WATCH_DROPPED}
        worlds.run(lambda process, heard=heard: watches(process, heard), script, workload=creates)  # type: ignore[misc]
        assert names(heard) == [f"c{before}" for before in range(number - 1)]
        endings.append(heard[-1])
    assert any(isinstance(ending, Unreachable) for ending in endings)


def test_a_watch_is_told_that_its_version_is_gone() -> None:
    heard: list[object] = []
    worlds.run(lambda process: watches(process, heard), {"a/watch/configmaps/default//1": Kind.GONE})
    assert [type(entry) for entry in heard] == [Gone]


def test_a_watch_ends_after_the_time_that_was_asked_for_even_if_an_event_is_held_back() -> None:
    heard: list[object] = []

    async def watches_briefly(process: Process) -> None:
        options = ListOptions(timeout_seconds=2.5, resource_version="")
        async with process.cluster.watch(CONFIG_MAPS, namespace="default", options=options) as events:
            async for event in events:
                assert event.object is not None
                heard.append(event.object["metadata"]["name"])
        heard.append("end")
        await asyncio.Event().wait()

    script = {"a/event/configmaps/default/3": Kind.WATCH_DELAYED}
    worlds.run(watches_briefly, script, workload=creates)
    assert heard[-1] == "end"
    assert heard[:3] == ["kube-root-ca.crt", "c0", "c1"]


def test_a_list_that_may_be_of_any_age_can_be_an_old_one() -> None:
    counts: list[int] = []

    async def lists(process: Process) -> None:
        for number in range(3):
            await worlds.create(process.cluster, f"c{number}")
            found = await process.cluster.list(CONFIG_MAPS, namespace="default")
            counts.append(len(found.items))
        options = ListOptions(resource_version="0")
        found = await process.cluster.list(CONFIG_MAPS, namespace="default", options=options)
        counts.append(len(found.items))
        await asyncio.Event().wait()

    worlds.run(lists, {"a/list/configmaps/default//4": Kind.STALE_LIST})
    assert counts[:3] == [2, 3, 4]
    assert counts[3] <= 4
