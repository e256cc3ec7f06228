"""The watch history: bounded, honest about what it forgot, and never a burden for writers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.cluster.interface import EventType
from landform.embedded.catalog import GroupResource
from landform.embedded.history import Event, History, Overrun, Watcher
from landform.embedded.objects import Stored, StoreKey

if TYPE_CHECKING:
    from collections.abc import Iterable

THINGS = GroupResource("test", "things")
PARTS = GroupResource("", "parts")


def stored(version: int, resource: GroupResource = THINGS, size: int = 0, on: bool = True, name: str = "x") -> Stored:
    labels = '{"on":"yes"}' if on else "{}"
    raw = f'{{"metadata":{{"name":"{name}","resourceVersion":"{version}","labels":{labels}}},"text":"{"t" * size}"}}'
    return Stored(StoreKey(resource, "ns", name), version, raw.encode(), {"labels": {"on": "yes"} if on else {}})


def added(version: int, resource: GroupResource = THINGS, size: int = 0) -> Event:
    return Event(EventType.ADDED, stored(version, resource, size), None)


def is_on(found: Stored) -> bool:
    return "on" in found.labels


async def batch(watcher: Watcher) -> list[tuple[EventType, int]]:
    """What the watcher hears without waiting."""
    async with asyncio.timeout(5):
        return [(event.type, event.version) for event in await watcher.next_batch()]


@given(resources=st.lists(st.sampled_from([THINGS, PARTS]), max_size=40), most=st.integers(1, 10))
def test_no_more_events_are_kept_than_allowed_and_the_floor_tells_what_was_forgotten(
    resources: list[GroupResource], most: int
) -> None:
    history = History(100, most_events=most)
    for number, resource in enumerate(resources, start=101):
        history.publish(added(number, resource))
    published = list(enumerate(resources, start=101))
    for resource in (THINGS, PARTS):
        kept = [version for version, of in published[-most:] if of == resource]
        forgotten = [version for version, of in published[:-most] if of == resource]
        assert [event.version for event in history.newest_first(resource)] == kept[::-1]
        assert history.floor(resource) == (forgotten[-1] if forgotten else 100)


@given(sizes=st.lists(st.integers(0, 300), max_size=30))
def test_no_more_bytes_are_kept_than_allowed(sizes: list[int]) -> None:
    history = History(0, most_bytes=1000)
    for number, size in enumerate(sizes, start=1):
        history.publish(added(number, size=size))
        kept = [event.current for event in history.newest_first(THINGS)]
        assert sum(len(one.raw) for one in kept) <= 1000
        assert [one.version for one in kept] == list(range(number, history.floor(THINGS), -1))


def test_an_event_larger_than_the_history_is_told_but_not_kept() -> None:
    history = History(0, most_bytes=100)
    heard: list[Event] = []
    history.listen(heard.append)
    history.publish(added(1, size=1000))
    assert [event.version for event in heard] == [1]
    assert list(history.newest_first(THINGS)) == []
    assert history.floor(THINGS) == 1


def test_compaction_forgets_all_and_says_so() -> None:
    history = History(0)
    publish(history, added(1), added(2, PARTS))
    history.compact()
    assert (history.floor(THINGS), history.floor(PARTS)) == (1, 2)
    assert list(history.newest_first(THINGS)) == []


def publish(history: History, *events: Event) -> None:
    for event in events:
        history.publish(event)


@pytest.mark.parametrize("since", range(5))
async def test_a_watcher_first_hears_what_it_missed_then_what_comes(since: int) -> None:
    history = History(0)
    publish(history, *(added(version) for version in range(1, 5)))
    watcher = history.open(THINGS, "", None, since)
    history.publish(added(5))
    assert [version for _, version in await batch(watcher)] == list(range(since + 1, 6))


async def test_a_watcher_hears_only_of_its_resource_and_namespace() -> None:
    history = History(0)
    here, elsewhere = history.open(THINGS, "ns", None, 0), history.open(THINGS, "other", None, 0)
    publish(history, added(1, PARTS), added(2))
    assert await batch(here) == [(EventType.ADDED, 2)]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await elsewhere.next_batch()


async def test_a_watcher_that_waits_is_woken() -> None:
    history = History(0)
    watcher = history.open(THINGS, "", None, 0)
    waiting = asyncio.create_task(batch(watcher))
    await asyncio.sleep(0)
    history.publish(added(1))
    assert await waiting == [(EventType.ADDED, 1)]


async def test_a_closed_watcher_hears_nothing_more() -> None:
    history = History(0)
    watcher = history.open(THINGS, "", None, 0)
    history.close(watcher)
    history.close(watcher)
    history.publish(added(1))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await watcher.next_batch()


async def test_a_slow_watcher_is_cut_off_and_told_while_others_go_on() -> None:
    history = History(0, buffer=3)
    slow, quick = history.open(THINGS, "", None, 0), history.open(THINGS, "", None, 0)
    for version in range(1, 10):
        history.publish(added(version))
        assert await batch(quick) == [(EventType.ADDED, version)]
    with pytest.raises(Overrun):
        await slow.next_batch()


async def test_a_watcher_that_waits_when_it_is_overrun_is_told_at_once() -> None:
    history = History(0, buffer=0)
    watcher = history.open(THINGS, "", None, 0)
    waiting = asyncio.create_task(watcher.next_batch())
    await asyncio.sleep(0)
    history.publish(added(1))
    with pytest.raises(Overrun):
        await waiting


async def test_what_was_missed_does_not_count_as_slowness() -> None:
    history = History(0, buffer=3)
    publish(history, *(added(version) for version in range(1, 11)))
    watcher = history.open(THINGS, "", None, 0)
    publish(history, added(11), added(12), added(13))
    assert [version for _, version in await batch(watcher)] == list(range(1, 14))
    publish(history, *(added(version) for version in range(14, 18)))
    with pytest.raises(Overrun):
        await watcher.next_batch()


def changes(matching: Iterable[bool]) -> list[Event]:
    """One object that is selected or not, version by version, and is deleted at last."""
    events: list[Event] = []
    previous: Stored | None = None
    for version, on in enumerate(matching, start=1):
        current = stored(version, on=on, size=version)
        events.append(Event(EventType.MODIFIED if previous else EventType.ADDED, current, previous))
        previous = current
    if previous is not None:
        gone = stored(len(events) + 1, on=is_on(previous), size=previous.version)
        events.append(Event(EventType.DELETED, gone, previous))
    return events


@given(matching=st.lists(st.booleans(), max_size=12))
def test_a_selector_sees_objects_come_and_go_as_if_there_were_no_others(matching: list[bool]) -> None:
    watcher = Watcher(THINGS, "", is_on, 100)
    watcher.replay(changes(matching))
    seen = False
    expected: list[tuple[EventType, int]] = []
    for version, on in enumerate(matching, start=1):
        if on:
            expected.append((EventType.MODIFIED if seen else EventType.ADDED, version))
        elif seen:
            expected.append((EventType.DELETED, version))
        seen = on
    if seen:
        expected.append((EventType.DELETED, len(matching) + 1))
    if expected:
        assert asyncio.run(batch(watcher)) == expected
    else:
        assert not watcher._buffer


async def test_what_leaves_the_selection_is_shown_as_it_last_matched() -> None:
    watcher = Watcher(THINGS, "", is_on, 100)
    watcher.replay(changes([True, False]))
    events = await watcher.next_batch()
    left = events[-1]
    assert (left.type, left.version) == (EventType.DELETED, 2)
    assert left.current.decode() == stored(1, size=1).decode() | {
        "metadata": {"name": "x", "resourceVersion": "2", "labels": {"on": "yes"}}
    }
    assert left.line().startswith(b'{"type":"DELETED","object":{"metadata":{"name":"x","resourceVersion":"2"')
