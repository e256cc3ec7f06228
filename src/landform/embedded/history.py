"""What changed lately, and who is told: the bounded history behind every watch."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from landform.cluster.interface import EventType
from landform.embedded.objects import Stored

if TYPE_CHECKING:
    from landform.embedded.catalog import GroupResource

Filter = Callable[[Stored], bool]


class Event:
    """One committed change of one object."""

    __slots__ = ("_line", "current", "previous", "type")

    def __init__(self, type: EventType, current: Stored, previous: Stored | None) -> None:
        self.type = type
        self.current = current
        """The object after the change; for DELETED its last state, with the version of the deletion."""

        self.previous = previous
        self._line: bytes | None = None

    @property
    def version(self) -> int:
        return self.current.version

    def line(self) -> bytes:
        """The event as a watch sends it; made once however many watchers there are."""
        if self._line is None:
            self._line = watch_line(self.type, self.current.raw)
        return self._line


def watch_line(type: EventType, raw: bytes) -> bytes:
    """One line of a watch stream."""
    return b'{"type":"%s","object":%s}\n' % (type.encode(), raw)


class Overrun(Exception):
    """The watcher did not keep up; it must start again from the last version it saw."""


class Watcher:
    """One reader of changes. Buffered events are bounded: who does not keep up is cut off, never slows a writer."""

    def __init__(self, resource: GroupResource, namespace: str, matches: Filter | None, limit: int) -> None:
        self.resource = resource
        self.namespace = namespace
        self._matches = matches
        self._limit = limit
        self._buffer: deque[Event] = deque()
        self._replayed = 0
        """How many of the buffered events are recorded ones, which do not count."""

        self._waiting: asyncio.Future[None] | None = None
        self._overrun = False

    def offer(self, event: Event) -> None:
        """Take an event if it is one this watcher asked for."""
        seen = self._translate(event)
        if seen is None or self._overrun:
            return
        if len(self._buffer) >= self._limit + self._replayed:
            self._overrun = True
            self._buffer.clear()
        else:
            self._buffer.append(seen)
        self._wake()

    def replay(self, events: Iterable[Event]) -> None:
        """Take recorded events, however many; the limit is for what comes while the watcher is slow."""
        self._buffer.extend(seen for event in events if (seen := self._translate(event)) is not None)
        self._replayed = len(self._buffer)

    def _translate(self, event: Event) -> Event | None:
        """The event as this watcher sees it: what leaves its selection is deleted for it, what enters is added."""
        if self.namespace and event.current.key.namespace != self.namespace:
            return None
        if self._matches is None:
            return event
        now = event.type is not EventType.DELETED and self._matches(event.current)
        before = event.previous is not None and self._matches(event.previous)
        if now:
            type = EventType.MODIFIED if before else EventType.ADDED
            return event if type is event.type else Event(type, event.current, event.previous)
        if not before or event.previous is None:
            return None
        if event.type is EventType.DELETED:
            return event
        # As the API server shows it: the object as it last matched, at the version at which it ceased to.
        return Event(EventType.DELETED, event.previous.at(event.version), event.previous)

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def next_batch(self) -> list[Event]:
        """All events since the last call, at least one; Overrun if some were dropped."""
        while not self._buffer:
            if self._overrun:
                raise Overrun
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        batch = list(self._buffer)
        self._buffer.clear()
        self._replayed = 0
        return batch


class History:
    """The recent events of every resource, bounded by number and bytes, and the watchers that follow them."""

    def __init__(
        self, floor: int, *, most_events: int = 50_000, most_bytes: int = 64 << 20, buffer: int = 10_000
    ) -> None:
        self._start = floor
        self._most_events = most_events
        self._most_bytes = most_bytes
        self._buffer = buffer
        self._bytes = 0
        self._order: deque[GroupResource] = deque()
        self._events: dict[GroupResource, deque[Event]] = {}
        self._floors: dict[GroupResource, int] = {}
        self._watchers: dict[tuple[GroupResource, str], dict[Watcher, None]] = {}
        """In the order in which they came, so that they are told in the same order in each run of the simulator."""

        self._listeners: list[Callable[[Event], None]] = []

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Call `listener` with every event from now on, in order; it must not fail or wait."""
        self._listeners.append(listener)

    def publish(self, event: Event) -> None:
        """Record an event and tell whoever asked for it."""
        resource = event.current.key.resource
        self._events.setdefault(resource, deque()).append(event)
        self._order.append(resource)
        self._bytes += len(event.current.raw)
        while len(self._order) > self._most_events or self._bytes > self._most_bytes:
            self._forget_oldest()
        for scope in ("", event.current.key.namespace) if event.current.key.namespace else ("",):
            for watcher in self._watchers.get((resource, scope), ()):
                watcher.offer(event)
        for listener in self._listeners:
            listener(event)

    def _forget_oldest(self) -> None:
        resource = self._order.popleft()
        forgotten = self._events[resource].popleft()
        self._floors[resource] = forgotten.version
        self._bytes -= len(forgotten.current.raw)

    def floor(self, resource: GroupResource) -> int:
        """The oldest version a watch of this resource can start from."""
        return self._floors.get(resource, self._start)

    def newest_first(self, resource: GroupResource) -> Iterator[Event]:
        """The recorded events of a resource, backwards."""
        return reversed(self._events.get(resource, deque()))

    def compact(self) -> None:
        """Forget all events, so that only watches from now on can start."""
        while self._order:
            self._forget_oldest()

    def open(self, resource: GroupResource, namespace: str, matches: Filter | None, since: int) -> Watcher:
        """A watcher that first gets the recorded events after `since`; the caller checked `since` against `floor`."""
        watcher = Watcher(resource, namespace, matches, self._buffer)
        missed: list[Event] = []
        for event in reversed(self._events.get(resource, ())):
            if event.version <= since:
                break
            missed.append(event)
        watcher.replay(reversed(missed))
        self._watchers.setdefault((resource, namespace), {})[watcher] = None
        return watcher

    def close(self, watcher: Watcher) -> None:
        """Stop telling the watcher. Idempotent."""
        watchers = self._watchers.get((watcher.resource, watcher.namespace))
        if watchers is not None:
            watchers.pop(watcher, None)
            if not watchers:
                del self._watchers[watcher.resource, watcher.namespace]
