"""Following a resource: list, watch, resume, list again; and patience when things go wrong."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import pytest
from tests.clusterdoor.models import ModelReader, ModelServer

from landform.cluster.codec import key_of
from landform.cluster.errors import Forbidden, Gone, NotFound, ServerError, TooManyRequests, Unreachable
from landform.cluster.interface import ListOptions
from landform.cluster.resources import CONFIG_MAPS
from landform.cluster.retries import Backoff
from landform.cluster.watching import (
    Applied,
    Deleted,
    Following,
    Found,
    Listed,
    Listing,
    Progressed,
    Restarted,
    Restarting,
    Resuming,
    Settings,
    Starting,
    Troubled,
    Watcher,
    after_error,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.clusterdoor.clocks import FakeClock

    from landform.cluster.errors import ClusterError
    from landform.cluster.watching import State
    from landform.kit.surroundings import Surroundings


async def nothing() -> AsyncIterator[Any]:
    return
    yield


OPEN = Following("7", nothing(), opened=0.0)


@pytest.mark.parametrize(
    ("state", "error", "expected"),
    [
        (Listing(), Unreachable("x"), Listing()),
        (Listing(token="t"), ServerError("x"), Listing(token="t")),
        (Listing(token="t"), Gone("x"), Starting(whole=True)),
        (Listing(), Gone("x"), Starting()),
        (Listed("7"), Unreachable("x"), Listed("7")),
        (Resuming("7"), Forbidden("x"), Resuming("7")),
        (Resuming("7"), Gone("x"), Starting()),
        (OPEN, Unreachable("x"), Resuming("7")),
        (OPEN, Gone("x"), Starting()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_after_an_error_it_goes_on_where_it_can(state: State, error: ClusterError, expected: State) -> None:
    assert after_error(state, error) == expected


class Story:
    """A watcher of a model, told step by step."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.server = ModelServer()
        self.reader = ModelReader(self.server)
        settings = Settings(page=2, backoff=Backoff(first=1, longest=30))
        self.watcher = Watcher(
            self.reader,
            CONFIG_MAPS,
            selection=ListOptions("x=y"),
            surroundings=surroundings,
            settings=settings,
        )
        self.events = self.watcher.events()

    async def next(self) -> str:
        """The next event in words."""
        match await asyncio.wait_for(anext(self.events), 5):
            case Found(items, version):
                return f"found {' '.join(key_of(item).name for item in items)} at {version}"
            case Applied(obj):
                return f"applied {key_of(obj).name}"
            case Deleted(obj):
                return f"deleted {key_of(obj).name}"
            case Restarting():
                return "restarting"
            case Restarted(version):
                return f"restarted at {version}"
            case Progressed(version):
                return f"progressed to {version}"
            case Troubled(error):
                return f"trouble: {error}"

    async def tell(self, count: int) -> list[str]:
        return [await self.next() for _ in range(count)]


@pytest.fixture
async def story(surroundings: Surroundings) -> AsyncIterator[Story]:
    story = Story(surroundings)
    async with contextlib.aclosing(story.events):
        yield story


async def test_it_says_whether_it_sees_what_happens_now(story: Story) -> None:
    assert await story.tell(3) == ["restarting", "found  at 1", "restarted at 1"]
    assert not story.watcher.is_following
    story.server.put("a")
    assert await story.tell(1) == ["applied a"]
    assert story.watcher.is_following


async def test_it_lists_in_pages_and_then_watches(story: Story) -> None:
    for name in "abc":
        story.server.put(name)
    assert await story.tell(4) == ["restarting", "found a b at 4", "found c at 4", "restarted at 4"]
    story.server.put("d")
    story.server.delete("a")
    assert await story.tell(2) == ["applied d", "deleted a"]
    assert [options.limit for options in story.reader.lists] == [2, 2]
    [watch] = story.reader.watches
    assert (watch.resource_version, watch.label_selector) == ("4", "x=y")
    assert watch.timeout_seconds is not None
    assert 300 <= watch.timeout_seconds <= 600


async def test_it_resumes_a_broken_watch_where_it_was(story: Story, clock: FakeClock) -> None:
    story.server.put("a")
    await story.tell(3)
    story.server.put("b")
    assert await story.next() == "applied b"
    story.server.put("c")
    story.reader.faults.append(Unreachable("gone away"))
    assert await story.tell(2) == ["trouble: gone away", "applied c"]
    assert [watch.resource_version for watch in story.reader.watches] == ["2", "3"]
    assert len(story.reader.lists) == 1
    assert len(clock.slept) == 1


async def test_it_resumes_a_watch_that_ended_without_waiting(story: Story, clock: FakeClock) -> None:
    story.reader.ending = True
    await story.tell(3)
    story.server.put("a")
    assert await story.next() == "applied a"
    story.server.put("b")
    assert await story.next() == "applied b"
    story.server.put("c")
    assert await story.next() == "applied c"
    assert clock.slept == []


async def test_it_does_not_run_in_circles_when_watches_end_at_once(story: Story, clock: FakeClock) -> None:
    story.reader.ending = True
    await story.tell(3)
    for _ in range(12):
        await story.watcher.step()
    bounds = [1, 2, 4, 8, 16]
    assert all(bound / 2 <= slept <= bound for bound, slept in zip(bounds, clock.slept, strict=False))
    assert len(clock.slept) >= 5


async def test_it_lists_again_when_the_cluster_has_forgotten(story: Story) -> None:
    story.server.put("a")
    await story.tell(3)
    story.server.put("b")
    story.server.delete("a")
    story.reader.oldest = story.server.version
    expected = ["trouble: too old resource version", "restarting", "found b at 4", "restarted at 4"]
    assert await story.tell(4) == expected
    story.server.put("c")
    assert await story.next() == "applied c"


async def test_it_lists_everything_at_once_when_pages_expire(story: Story) -> None:
    for name in "abcde":
        story.server.put(name)
    assert await story.tell(2) == ["restarting", "found a b at 6"]
    story.server.put("f")
    story.reader.oldest = 7
    expected = ["trouble: the continue token is too old", "restarting", "found a b c d e f at 7", "restarted at 7"]
    assert await story.tell(4) == expected
    assert [options.limit for options in story.reader.lists] == [2, 2, 0]


async def test_it_waits_longer_each_time_and_never_gives_up(story: Story, clock: FakeClock) -> None:
    story.reader.faults.extend([NotFound("no such kind"), Forbidden("not allowed"), *[Unreachable("x")] * 8])
    assert await story.next() == "restarting"
    for _ in range(10):
        assert (await story.next()).startswith("trouble")
    assert await story.tell(2) == ["found  at 1", "restarted at 1"]
    bounds = [1, 2, 4, 8, 16, 30, 30, 30, 30, 30]
    assert len(clock.slept) == 10
    assert all(bound / 2 <= slept <= bound for bound, slept in zip(bounds, clock.slept, strict=True))


async def test_it_waits_as_long_as_the_cluster_asks(story: Story, clock: FakeClock) -> None:
    story.reader.faults.append(TooManyRequests("slow down", retry_after=77))
    await story.tell(3)
    assert clock.slept == [77]


async def test_an_event_forgives_earlier_failures(story: Story, clock: FakeClock) -> None:
    story.reader.faults.extend([Unreachable("x")] * 4)
    await story.tell(7)
    story.server.put("a")
    assert await story.next() == "applied a"
    story.server.put("b")
    story.reader.faults.append(Unreachable("x"))
    await story.tell(2)
    assert clock.slept[-1] <= 1


async def test_a_watch_that_was_open_for_long_forgives_earlier_failures(story: Story, clock: FakeClock) -> None:
    story.reader.faults.extend([Unreachable("x")] * 4)
    await story.tell(7)
    waiting = asyncio.create_task(story.next())
    await story.reader.notify()
    clock.time += 100
    story.reader.broken.set()
    await story.reader.notify()
    assert await waiting == "trouble: the watch broke off"
    story.server.put("a")
    assert await story.next() == "applied a"
    assert clock.slept[-1] <= 1


async def test_closing_it_ends_the_watch(story: Story) -> None:
    await story.tell(3)
    waiting = asyncio.create_task(story.next())
    await story.reader.notify()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await story.events.aclose()
