"""A cluster reduced to what a cache can see of it: versions, objects, and the history of their changes."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from landform.cluster.codec import key_of
from landform.cluster.errors import ClusterError, Gone, Unreachable
from landform.cluster.interface import LIST_ALL, EventType, ListOptions, ObjectList, WatchEvent
from landform.cluster.resources import ObjectKey, Resource, Unstructured

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster.interface import T


def thing(name: str, version: int, *, namespace: str = "n", **labels: str) -> Unstructured:
    return {
        "metadata": {"name": name, "namespace": namespace, "resourceVersion": str(version), "labels": labels},
    }


@dataclass
class ModelServer:
    """Objects that change one version at a time."""

    version: int = 1
    objects: dict[ObjectKey, Unstructured] = field(default_factory=dict)
    history: list[WatchEvent[Unstructured]] = field(default_factory=list)

    def put(self, name: str, **labels: str) -> Unstructured:
        """Create or change an object."""
        self.version += 1
        obj = thing(name, self.version, **labels)
        kind = EventType.MODIFIED if key_of(obj) in self.objects else EventType.ADDED
        self.objects[key_of(obj)] = obj
        self.history.append(WatchEvent(kind, str(self.version), obj))
        return obj

    def delete(self, name: str) -> None:
        """Delete an object; the event carries the version of the deletion, as the API server's does."""
        gone = self.objects.pop(ObjectKey("n", name))
        self.version += 1
        last = {**gone, "metadata": {**gone["metadata"], "resourceVersion": str(self.version)}}
        self.history.append(WatchEvent(EventType.DELETED, str(self.version), last))


@dataclass(frozen=True)
class _Snapshot:
    version: int
    items: list[Unstructured]


class ModelReader:
    """Reads a `ModelServer` page by page and by watch, and fails when told to."""

    def __init__(self, server: ModelServer) -> None:
        self.server = server
        self.faults: deque[ClusterError] = deque()
        """Raised one by one by the next calls."""

        self.oldest = 0
        """What happened up to this version is forgotten."""

        self.lists: list[ListOptions] = []
        self.watches: list[ListOptions] = []
        self.broken = asyncio.Event()
        """Set: open watches break."""

        self.ending = False
        """Watches end, without an error, when they have told everything."""

        self._changed = asyncio.Condition()
        self._snapshots: dict[str, _Snapshot] = {}

    async def get(self, resource: Resource[T], name: str, *, namespace: str = "", subresource: str = "") -> T:
        raise NotImplementedError

    async def notify(self) -> None:
        """Let watches see what has happened."""
        async with self._changed:
            self._changed.notify_all()
        for _ in range(5):
            await asyncio.sleep(0)

    def _fail(self) -> None:
        if self.faults:
            raise self.faults.popleft()

    async def list(
        self, resource: Resource[T], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> ObjectList[T]:
        self.lists.append(options)
        self._fail()
        await asyncio.sleep(0)
        token, _, start = options.continue_token.partition("/")
        snapshot = self._snapshots.get(token) or _Snapshot(self.server.version, list(self.server.objects.values()))
        if snapshot.version < self.oldest:
            raise Gone("the continue token is too old")
        self._snapshots[str(snapshot.version)] = snapshot
        first = int(start or 0)
        last = first + options.limit if options.limit else len(snapshot.items)
        items: list[Any] = snapshot.items[first:last]
        more = f"{snapshot.version}/{last}" if last < len(snapshot.items) else ""
        return ObjectList(items, str(snapshot.version), more)

    @contextlib.asynccontextmanager
    async def watch(
        self, resource: Resource[T], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> AsyncIterator[AsyncIterator[WatchEvent[T]]]:
        self.watches.append(options)
        self._fail()
        if int(options.resource_version) < self.oldest:
            raise Gone("too old resource version")
        async with contextlib.aclosing(self._events(int(options.resource_version))) as events:
            yield events

    async def _events(self, version: int) -> Any:
        while True:
            news = [each for each in self.server.history if int(each.resource_version) > version]
            if news:
                self._fail()
                version = int(news[0].resource_version)
                yield news[0]
            elif self.ending:
                return
            else:
                async with self._changed:
                    await self._changed.wait()
            if self.broken.is_set():
                self.broken.clear()
                raise Unreachable("the watch broke off")
