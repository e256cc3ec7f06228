"""The state of the embedded home: every object in memory, every change on disk before anyone sees it."""

from __future__ import annotations

import asyncio
import gc
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from landform.cluster.errors import Storage
from landform.cluster.interface import EventType
from landform.embedded.catalog import GroupResource
from landform.embedded.history import Event, History
from landform.embedded.journal import Change, Journal, Row
from landform.embedded.objects import Stored, StoreKey, from_disk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_encode = msgspec.json.Encoder().encode


class _Pending:
    """A change that is decided but not yet on disk."""

    __slots__ = ("future", "removed", "stored")

    def __init__(self, stored: Stored, removed: bool, future: asyncio.Future[None]) -> None:
        self.stored = stored
        self.removed = removed
        self.future = future


class Store:
    """Objects by key, with two views.

    Invariants: readers (`get`, `objects`, watches) see only what is on disk; writers decide on `head`, which includes
    what is still on its way, so that two writes in a row never lose one another; versions only grow; events are
    published in version order, after the commit and before the writer is answered. When the disk fails, all that was
    pending fails with it and the head falls back to what is on disk.

    Not for threads: everything but the journal's callback happens on one event loop.
    """

    def __init__(
        self, journal: Journal, rows: Iterable[Row] = (), version: int = 0, history: History | None = None
    ) -> None:
        self._journal = journal
        self._objects: dict[GroupResource, dict[str, dict[str, Stored]]] = {}
        self._heads: dict[StoreKey, _Pending] = {}
        self._pending: deque[_Pending] = deque()
        self._dependents: dict[str, set[StoreKey]] = {}
        self._by_uid: dict[str, StoreKey] = {}
        self._next_version = version
        self._version = version
        self._epoch = 0
        self._closed = False
        with _without_garbage_collection():
            self._load(rows)
        self.history = history or History(version)
        self._loop = asyncio.get_running_loop()
        journal.start(self._settled)

    def _load(self, rows: Iterable[Row]) -> None:
        resources: dict[str, GroupResource] = {}
        for row in rows:
            resource = resources.get(row.resource)
            if resource is None:
                plural, _, group = row.resource.partition(".")
                resource = resources[row.resource] = GroupResource(group, plural)
            self._set(from_disk(StoreKey(resource, row.namespace, row.name), row.version, row.raw))

    # Reading: what is on disk.

    @property
    def version(self) -> int:
        """The newest version that readers can see."""
        return self._version

    def get(self, key: StoreKey) -> Stored | None:
        """The object as readers see it."""
        return self._objects.get(key.resource, {}).get(key.namespace, {}).get(key.name)

    def objects(self, resource: GroupResource, namespace: str = "") -> list[Stored]:
        """The objects of a namespace, or of all, in the order of their names."""
        spaces = self._objects.get(resource, {})
        if namespace:
            return _by_name(spaces.get(namespace, {}))
        return [stored for space in sorted(spaces) for stored in _by_name(spaces[space])]

    def objects_at(self, version: int, resource: GroupResource, namespace: str = "") -> list[Stored]:
        """The objects as they were at a version that the history still reaches: the present, with what came undone."""
        then = {stored.key: stored for stored in self.objects(resource, namespace)}
        for event in self.history.newest_first(resource):
            if event.version <= version:
                break
            if namespace in ("", event.current.key.namespace):
                then.pop(event.current.key, None)
                if event.previous is not None:
                    then[event.current.key] = event.previous
        return [then[key] for key in sorted(then)]

    def count(self, resource: GroupResource, namespace: str = "") -> int:
        """How many objects there are, without touching them."""
        spaces = self._objects.get(resource, {})
        return len(spaces.get(namespace, ())) if namespace else sum(map(len, spaces.values()))

    def in_namespace(self, namespace: str) -> Iterator[Stored]:
        """Every object of a namespace, whatever its resource."""
        for spaces in self._objects.values():
            yield from tuple(spaces.get(namespace, {}).values())

    def everything(self) -> Iterator[Stored]:
        """Every object there is."""
        for resource in tuple(self._objects):
            yield from self.objects(resource)

    def dependents(self, uid: str) -> list[StoreKey]:
        """The objects that name this uid as an owner."""
        return sorted(self._dependents.get(uid, ()))

    def key_of(self, uid: str) -> StoreKey | None:
        """The object with this uid."""
        return self._by_uid.get(uid)

    # Writing: decided on the head, visible once on disk.

    def head(self, key: StoreKey) -> Stored | None:
        """The object as the next write finds it."""
        pending = self._heads.get(key)
        if pending is not None:
            return None if pending.removed else pending.stored
        return self.get(key)

    def new_version(self, obj: dict[str, Any], key: StoreKey) -> Stored:
        """The object at the next version: sets its resourceVersion and encodes it. Follow with `write` at once."""
        self._next_version += 1
        metadata = obj["metadata"]
        metadata["resourceVersion"] = str(self._next_version)
        return Stored(key, self._next_version, _encode(obj), metadata)

    def write(self, stored: Stored, *, removed: bool = False) -> asyncio.Future[None]:
        """Store a new version, or remove the object; the future is done when that is on disk and visible."""
        if self._closed:
            raise Storage("the home is closed; nothing of this request was kept")
        future = self._loop.create_future()
        pending = _Pending(stored, removed, future)
        key = stored.key
        self._heads[key] = pending
        self._pending.append(pending)
        self._journal.append(
            Change(stored.version, str(key.resource), key.namespace, key.name, None if removed else stored.raw),
            self._epoch,
        )
        return future

    async def settled(self) -> None:
        """Return when all that is decided now is on disk, or given up."""
        if self._pending:
            await asyncio.wait([self._pending[-1].future])
        else:
            await asyncio.sleep(0)

    def close(self) -> None:
        """Finish what is on its way to the disk, and take nothing more. Idempotent."""
        self._closed = True
        self._journal.close()

    def _settled(self, count: int, error: Exception | None) -> None:
        """On the journal's thread: hand the news to the event loop."""
        self._loop.call_soon_threadsafe(self._settle, count, error)

    def _settle(self, count: int, error: Exception | None) -> None:
        if error is not None:
            self._give_up(error)
            return
        for _ in range(count):
            pending = self._pending.popleft()
            self._commit(pending)
            if not pending.future.done():
                pending.future.set_result(None)

    def _give_up(self, error: Exception) -> None:
        """Nothing pending can be kept: it was decided on top of what the disk refused."""
        failure = Storage(
            f"the data could not be written to disk: {error}; nothing of this request was kept. Free space or repair"
            " the disk, then try again"
        )
        abandoned, self._pending = self._pending, deque()
        self._heads.clear()
        self._epoch += 1
        for pending in abandoned:
            if not pending.future.done():
                pending.future.set_exception(failure)

    def _commit(self, pending: _Pending) -> None:
        """Make a change visible and tell the watchers."""
        stored = pending.stored
        previous = self.get(stored.key)
        if self._heads.get(stored.key) is pending:
            del self._heads[stored.key]
        if previous is not None:
            self._unset(previous)
        if not pending.removed:
            self._set(stored)
        self._version = stored.version
        type = EventType.DELETED if pending.removed else EventType.MODIFIED if previous else EventType.ADDED
        self.history.publish(Event(type, stored, previous))

    def _set(self, stored: Stored) -> None:
        key = stored.key
        self._objects.setdefault(key.resource, {}).setdefault(key.namespace, {})[key.name] = stored
        self._by_uid[stored.uid] = key
        for owner in stored.owners:
            self._dependents.setdefault(owner, set()).add(key)

    def _unset(self, stored: Stored) -> None:
        key = stored.key
        spaces = self._objects[key.resource]
        del spaces[key.namespace][key.name]
        if not spaces[key.namespace]:
            del spaces[key.namespace]
        self._by_uid.pop(stored.uid, None)
        for owner in set(stored.owners):  # an object may name the same owner twice
            keys = self._dependents[owner]
            keys.discard(key)
            if not keys:
                del self._dependents[owner]


def _by_name(objects: dict[str, Stored]) -> list[Stored]:
    return [objects[name] for name in sorted(objects)]


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Keep Python's cycle collector out of a large load: it would visit all that is there again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
