"""The in-process door: the cluster interface straight onto the verbs, without HTTP."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from landform.cluster import codec
from landform.cluster.errors import Unreachable
from landform.cluster.interface import (
    LIST_ALL,
    PLAIN_DELETE,
    PLAIN_WRITE,
    DeleteOptions,
    EventType,
    ListOptions,
    ObjectList,
    PatchType,
    WatchEvent,
    WriteOptions,
)
from landform.cluster.resources import Resource, Unstructured
from landform.embedded import faults, versions
from landform.embedded.access.users import ADMIN
from landform.embedded.history import Overrun
from landform.embedded.registry import LARGEST_OBJECT, Caller

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence

    from landform.embedded.catalog import ResourceType
    from landform.embedded.objects import Stored
    from landform.embedded.reading import Watch
    from landform.embedded.verbs import Verbs

T = TypeVar("T")

_CALLER = Caller(ADMIN)


class LocalCluster:
    """The embedded home as a `Cluster`, for controllers in the same process; it acts as the admin.

    Objects are decoded from the very bytes the store holds: what a typed object keeps undecoded is shared, not
    copied. Field ownership is tracked for a write that names a field manager, and on objects that have it already.
    """

    def __init__(self, verbs: Verbs, version: dict[str, str]) -> None:
        self._verbs = verbs
        self._version = version
        self._decoded = _Decoded()

    async def get(self, resource: Resource[T], name: str, *, namespace: str = "", subresource: str = "") -> T:
        await asyncio.sleep(0)  # who reads in a loop must not keep everyone else from running
        type_ = self._type(resource)
        return self._decoded.of(resource, self._verbs.get(type_, _scope(type_, namespace), name, subresource))

    async def list(
        self, resource: Resource[T], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> ObjectList[T]:
        await asyncio.sleep(0)
        type_ = self._type(resource)
        page = self._verbs.reading.page(type_, _scope(type_, namespace), options)
        decode = self._decoder(resource, type_)
        return ObjectList(
            [decode(stored) for stored in page.items], str(page.version), page.continue_token, page.remaining
        )

    @asynccontextmanager
    async def watch(
        self, resource: Resource[T], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> AsyncIterator[AsyncIterator[WatchEvent[T]]]:
        type_ = self._type(resource)
        with self._verbs.reading.watch(type_, _scope(type_, namespace), options) as watch:
            events = self._events(resource, type_, watch, options)
            try:
                yield events
            finally:
                await events.aclose()

    async def _events(
        self, resource: Resource[T], type_: ResourceType, watch: Watch, options: ListOptions
    ) -> AsyncGenerator[WatchEvent[T], None]:
        decode = self._decoder(resource, type_)
        for stored in watch.initial:
            yield WatchEvent(EventType.ADDED, str(stored.version), decode(stored))
        if options.send_initial_events:
            yield WatchEvent(EventType.BOOKMARK, str(watch.version), None, initial_events_end=True)
        seconds = options.timeout_seconds
        end = None if seconds is None else asyncio.get_running_loop().time() + seconds
        try:
            while True:
                # Only the wait is limited: a limit around the yield would cancel whoever is busy with an event.
                async with asyncio.timeout_at(end):
                    batch = await watch.watcher.next_batch()
                for event in batch:
                    yield WatchEvent(event.type, str(event.version), decode(event.current))
        except TimeoutError:
            return
        except Overrun as overrun:
            raise Unreachable(f"the watch of {resource} did not keep up and was cut off") from overrun

    async def create(
        self,
        resource: Resource[T],
        obj: T | Unstructured,
        *,
        namespace: str = "",
        name: str = "",
        options: WriteOptions = PLAIN_WRITE,
    ) -> T:
        type_ = self._type(resource)
        body = _copied(obj)
        outcome = await self._verbs.create(
            type_, _scope(type_, namespace or _namespace_of(body)), name, body, options, _CALLER
        )
        return self._decoded.of(resource, outcome.raw)

    async def replace(
        self, resource: Resource[T], obj: Unstructured, *, namespace: str = "", options: WriteOptions = PLAIN_WRITE
    ) -> T:
        type_ = self._type(resource)
        body = _copied(obj)
        scope = _scope(type_, namespace or _namespace_of(body))
        name = str((body.get("metadata") or {}).get("name", ""))
        outcome = await self._verbs.update(type_, scope, name, body, options, _CALLER)
        return self._decoded.of(resource, outcome.raw)

    async def patch(
        self,
        resource: Resource[T],
        name: str,
        patch: Any,
        *,
        namespace: str = "",
        type: PatchType = PatchType.MERGE,
        options: WriteOptions = PLAIN_WRITE,
    ) -> T:
        type_ = self._type(resource)
        key = (_scope(type_, namespace), name)
        outcome = await self._verbs.patch(type_, key, _copied(patch), type, options, _CALLER)
        return self._decoded.of(resource, outcome.raw)

    async def delete(
        self, resource: Resource[T], name: str, *, namespace: str = "", options: DeleteOptions = PLAIN_DELETE
    ) -> T | None:
        type_ = self._type(resource)
        outcome = await self._verbs.delete(type_, _scope(type_, namespace), name, options)
        return None if outcome.gone else self._decoded.of(resource, outcome.raw)

    async def delete_collection(
        self,
        resource: Resource[T],
        *,
        namespace: str = "",
        selection: ListOptions = LIST_ALL,
        options: DeleteOptions = PLAIN_DELETE,
    ) -> None:
        type_ = self._type(resource)
        await self._verbs.delete_collection(type_, _scope(type_, namespace), selection, options)

    async def discover(self) -> Sequence[Resource[Unstructured]]:
        return [
            Resource(type_.group, type_.version, type_.kind, type_.plural, type_.namespaced, dict)
            for type_ in self._verbs.catalog
        ]

    async def version(self) -> dict[str, str]:
        return dict(self._version)

    async def close(self) -> None:
        """Nothing to give back: the home is closed by whoever opened it."""

    def _type(self, resource: Resource[Any]) -> ResourceType:
        return self._verbs.find(resource.group, resource.version, resource.plural)

    def _decoder(self, resource: Resource[T], type_: ResourceType) -> Callable[[Stored], T]:
        present = versions.presenter(type_)
        if present is None:
            return lambda stored: self._decoded.of(resource, stored.raw)
        return lambda stored: self._decoded.of(resource, present(stored.raw))


class _Decoded:
    """The typed objects that were decoded last. Who writes and each who watches meet the same bytes within moments."""

    _MOST = 512

    def __init__(self) -> None:
        self._recent: dict[tuple[int, type], tuple[bytes, Any]] = {}
        """By identity of the bytes, which are kept so that it stays theirs; oldest first."""

    def of(self, resource: Resource[T], raw: bytes) -> T:
        """The object; a typed one, which nobody can change, may be shared."""
        if resource.model is dict:
            return codec.decode_shared(resource, raw)
        key = (id(raw), resource.model)
        if (known := self._recent.get(key)) is not None:
            return cast("T", known[1])
        obj = codec.decode_shared(resource, raw)
        if len(self._recent) >= self._MOST:
            del self._recent[next(iter(self._recent))]
        self._recent[key] = (raw, obj)
        return obj


def _copied(body: Any) -> Any:
    """The body as plain data of its own: the home completes objects in place."""
    raw = codec.encode(body)
    if len(raw) > LARGEST_OBJECT:
        raise faults.body_too_large(LARGEST_OBJECT)
    return msgspec.json.decode(raw)


def _namespace_of(body: Any) -> str:
    return str((body.get("metadata") or {}).get("namespace", "")) if isinstance(body, dict) else ""


def _scope(type_: ResourceType, namespace: str) -> str:
    return namespace if type_.namespaced else ""
