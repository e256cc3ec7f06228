"""A cluster behind a network and in a world in which things go wrong."""

from __future__ import annotations

import asyncio
import contextvars
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from landform.cluster import codec
from landform.cluster.errors import (
    ClusterError,
    Conflict,
    Gone,
    NotFound,
    ServerError,
    TooManyRequests,
    Unreachable,
)
from landform.cluster.interface import (
    LIST_ALL,
    PLAIN_DELETE,
    PLAIN_WRITE,
    DeleteOptions,
    ListOptions,
    ObjectList,
    PatchType,
    WriteOptions,
)
from landform.cluster.resources import LEASES, ObjectKey
from landform.testing.simulation import history as histories
from landform.testing.simulation.faults import Kind
from landform.testing.simulation.history import NEIGHBOUR, Request
from landform.testing.simulation.watches import FaultyWatch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence

    from landform.cluster.interface import Cluster, WatchEvent
    from landform.cluster.resources import Resource, Unstructured
    from landform.testing.simulation.injecting import Episode, Injector, Verdict

T = TypeVar("T")

TOUCHED = "simulation.landform/touched"
"""Annotation by which somebody else changes an object just before it is written."""

REQUEST_SECONDS = 10.0
"""A client that hears nothing for so long gives up."""

_READ = (Kind.SERVER_ERROR, Kind.TOO_MANY, Kind.RESET, Kind.TIMEOUT_BEFORE, Kind.SLOW)
_WRITE = (*_READ, Kind.LOST, Kind.TIMEOUT_AFTER, Kind.LATE, Kind.CRASH_BEFORE, Kind.CRASH_AFTER)
_CHANGE = (*_WRITE, Kind.CONFLICT, Kind.TOUCHED)
_LEASE_CHANGE = (*_WRITE, Kind.CONFLICT)
_NEXT_PAGE = (*_READ, Kind.GONE)
_ANY_AGE = (*_READ, Kind.STALE_LIST)
_OPEN = (Kind.SERVER_ERROR, Kind.TOO_MANY, Kind.RESET, Kind.GONE)


@dataclass
class Connection:
    """How one life of a process reaches the cluster."""

    actor: str
    injector: Injector
    episodes: Sequence[Episode] = ()
    crash: Callable[[str], None] = lambda why: None
    """Ends the process; called when a verdict says so."""

    dead: bool = False
    """Whether the process is: whatever it still sends goes nowhere."""

    context: contextvars.Context = field(default_factory=contextvars.copy_context)
    """Where requests travel: outside of the process, so that they go on when it stops or dies."""

    seen: dict[tuple[str, ObjectKey], int] = field(default_factory=dict)
    """The newest version of each object that the process was shown."""

    def trouble(self, resource: Resource[Any]) -> Episode | None:
        """Why requests for a resource do not get through now."""
        now = self.injector.now()
        for episode in self.episodes:
            concerned = episode.kind is Kind.PARTITION or (episode.kind is Kind.LEASE_LOSS and resource == LEASES)
            if concerned and episode.start <= now < episode.end:
                return episode
        return None

    def show(self, resource: Resource[Any], objects: Iterable[Any]) -> None:
        """The process is shown objects."""
        name, seen = str(resource), self.seen
        for obj in objects:
            said = codec.metadata(obj)
            place = (name, ObjectKey(said.namespace, said.name))
            version = int(said.resource_version or 0)
            if version > seen.get(place, 0):
                seen[place] = version


class FaultyCluster:
    """A `Cluster` around another one, in which requests are slow, fail, get lost, come late, or kill their sender.

    Invariants:
    - a write takes effect at most once, and what the sender is told is something that a real cluster could tell;
    - a write that is under way takes effect or not, whether its sender still waits for it, has given up or has died;
    - once the connection is dead, nothing more that is sent takes effect, and no request is ever answered.
    """

    def __init__(self, inner: Cluster, connection: Connection) -> None:
        self._inner = inner
        self._connection = connection
        self._under_way: set[asyncio.Task[None]] = set()
        self._versions: deque[str] = deque(maxlen=8)

    async def get(self, resource: Resource[T], name: str, *, namespace: str = "", subresource: str = "") -> T:
        found = await self._read(
            self._judge("get", resource, ObjectKey(namespace, name), _READ),
            resource,
            lambda: self._inner.get(resource, name, namespace=namespace, subresource=subresource),
        )
        if not subresource:
            self._connection.show(resource, (found,))
        return found

    async def list(
        self, resource: Resource[T], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> ObjectList[T]:
        kinds = _NEXT_PAGE if options.continue_token else _ANY_AGE if options.resource_version == "0" else _READ
        verdict = self._judge("list", resource, ObjectKey(namespace, ""), kinds)
        if verdict.kind is Kind.STALE_LIST and self._versions:
            old = self._versions[int(verdict.share * len(self._versions))]
            options = replace(options, resource_version=old, resource_version_match="Exact")
        page = await self._read(
            verdict, resource, lambda: self._inner.list(resource, namespace=namespace, options=options)
        )
        self._versions.append(page.resource_version)
        self._connection.show(resource, page.items)
        return page

    @asynccontextmanager
    async def watch(
        self, resource: Resource[T], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> AsyncIterator[AsyncIterator[WatchEvent[T]]]:
        verdict = self._judge("watch", resource, ObjectKey(namespace, ""), _OPEN)
        await self._read(verdict, resource, _nothing)
        # The time limit is kept here: the inner watch must not end while an event of it is held back.
        inner = self._inner.watch(resource, namespace=namespace, options=replace(options, timeout_seconds=None))
        async with inner as events:
            watch = FaultyWatch(self._connection, resource, namespace, verdict.id)
            stream = watch.stream(events, options.timeout_seconds)
            try:
                yield stream
            finally:
                await stream.aclose()

    async def create(
        self,
        resource: Resource[T],
        obj: T | Unstructured,
        *,
        namespace: str = "",
        name: str = "",
        options: WriteOptions = PLAIN_WRITE,
    ) -> T:
        said = codec.metadata(obj)
        key = ObjectKey(namespace or said.namespace, name or said.name)
        return await self._write(
            _Sending("create", resource, key, options.subresource, ""),
            _WRITE,
            lambda: self._inner.create(resource, obj, namespace=namespace, name=name, options=options),
        )

    async def replace(
        self, resource: Resource[T], obj: Unstructured, *, namespace: str = "", options: WriteOptions = PLAIN_WRITE
    ) -> T:
        said = codec.metadata(obj)
        key = ObjectKey(namespace or said.namespace, said.name)
        return await self._write(
            _Sending("replace", resource, key, options.subresource, said.resource_version),
            _changes(resource),
            lambda: self._inner.replace(resource, obj, namespace=namespace, options=options),
        )

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
        metadata = patch.get("metadata") if isinstance(patch, dict) else None
        condition = str((metadata or {}).get("resourceVersion") or "")
        return await self._write(
            _Sending("patch", resource, ObjectKey(namespace, name), options.subresource, condition),
            _changes(resource),
            lambda: self._inner.patch(resource, name, patch, namespace=namespace, type=type, options=options),
        )

    async def delete(
        self, resource: Resource[T], name: str, *, namespace: str = "", options: DeleteOptions = PLAIN_DELETE
    ) -> T | None:
        return await self._write(
            _Sending("delete", resource, ObjectKey(namespace, name), "", options.resource_version),
            _changes(resource) if options.resource_version else _WRITE,
            lambda: self._inner.delete(resource, name, namespace=namespace, options=options),
        )

    async def delete_collection(
        self,
        resource: Resource[T],
        *,
        namespace: str = "",
        selection: ListOptions = LIST_ALL,
        options: DeleteOptions = PLAIN_DELETE,
    ) -> None:
        await self._write(
            _Sending("delete-collection", resource, ObjectKey(namespace, ""), "", ""),
            _WRITE,
            lambda: self._inner.delete_collection(resource, namespace=namespace, selection=selection, options=options),
        )

    async def discover(self) -> Sequence[Resource[Unstructured]]:
        return await self._inner.discover()

    async def version(self) -> dict[str, str]:
        return await self._inner.version()

    async def close(self) -> None:
        """Nothing: the inner cluster belongs to whoever opened it."""

    def _judge(self, verb: str, resource: Resource[Any], key: ObjectKey, kinds: Sequence[Kind]) -> Verdict:
        # The names of leases are up to chance, so they say nothing about which request it is.
        place = "" if resource == LEASES else f"/{key.namespace}/{key.name}"
        return self._connection.injector.judge(f"{self._connection.actor}/{verb}/{resource.plural}{place}", kinds)

    async def _read(self, verdict: Verdict, resource: Resource[Any], ask: Callable[[], Awaitable[T]]) -> T:
        """Ask for something; nothing depends on whether the question arrives."""
        await self._die_if_dead()
        await asyncio.sleep(verdict.there)
        await self._arrive(verdict, resource)
        answer = await ask()
        await asyncio.sleep(verdict.back)
        return answer

    async def _die_if_dead(self) -> None:
        """Never return if the process is dead."""
        if self._connection.dead:
            await asyncio.get_running_loop().create_future()

    async def _arrive(self, verdict: Verdict, resource: Resource[Any]) -> None:
        """Wait for as long as it takes to arrive, or raise why the request has no effect."""
        if (episode := self._connection.trouble(resource)) is not None:
            await asyncio.sleep(min(REQUEST_SECONDS, episode.end - self._connection.injector.now()))
            raise Unreachable(f"no answer: {episode.kind}")
        if verdict.kind in (Kind.TIMEOUT_BEFORE, Kind.SLOW):
            await asyncio.sleep(verdict.patience)
        if (error := refusal(verdict)) is not None:
            raise error

    async def _write(self, sending: _Sending, kinds: Sequence[Kind], perform: Callable[[], Awaitable[T]]) -> T:
        """Send a write off on its way; whoever waits for the answer may be gone when it comes."""
        await self._die_if_dead()
        verdict = self._judge(sending.verb, sending.resource, sending.key, kinds)
        seen = self._connection.seen.get((str(sending.resource), sending.key), 0)
        request = Request(
            self._connection.actor, sending.verb, sending.subresource, sending.condition, seen, verdict.id
        )
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        journey = self._journey(sending, request, verdict, perform, answer)
        task = loop.create_task(journey, name=f"request {verdict.id}", context=self._connection.context.copy())
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        done = await answer
        if done is not None and not sending.subresource:
            self._connection.show(sending.resource, (done,))
        return done

    async def _journey(
        self,
        sending: _Sending,
        request: Request,
        verdict: Verdict,
        perform: Callable[[], Awaitable[T]],
        answer: asyncio.Future[T],
    ) -> None:
        try:
            await asyncio.sleep(verdict.there)
            await self._arrive(verdict, sending.resource)
            await self._befall(sending, verdict, answer)
            if self._connection.dead and not _arrives_anyway(verdict):
                return
            histories.request.set(request)
            done = await perform()
            await self._return(verdict)
        except ClusterError as error:
            if not answer.done() and not self._connection.dead:
                answer.set_exception(error)
        else:
            if not answer.done():
                answer.set_result(done)

    async def _befall(self, sending: _Sending, verdict: Verdict, answer: asyncio.Future[T]) -> None:
        """What happens just before a write takes effect."""
        match verdict.kind:
            case Kind.TOUCHED:
                histories.request.set(Request(NEIGHBOUR, "patch", id=verdict.id))
                await self._touch(sending, verdict)
            case Kind.LATE:
                if not answer.done():
                    answer.set_exception(Unreachable("the connection broke, nobody knows what becomes of the request"))
                await asyncio.sleep(verdict.patience)
            case Kind.CRASH_BEFORE:
                self._connection.crash(f"just before {verdict.id}")

    async def _touch(self, sending: _Sending, verdict: Verdict) -> None:
        touch = {"metadata": {"annotations": {TOUCHED: verdict.id}}}
        try:
            await self._inner.patch(sending.resource, sending.key.name, touch, namespace=sending.key.namespace)
        except NotFound:
            return

    async def _return(self, verdict: Verdict) -> None:
        """What happens just after a write took effect, until its sender knows."""
        match verdict.kind:
            case Kind.CRASH_AFTER:
                self._connection.crash(f"just after {verdict.id}")
            case Kind.LOST:
                raise Unreachable("the connection broke before the answer came")
            case Kind.TIMEOUT_AFTER:
                await asyncio.sleep(verdict.patience)
                raise Unreachable("no answer in time")
        await asyncio.sleep(verdict.back)


@dataclass(frozen=True, slots=True)
class _Sending:
    """What is to be written."""

    verb: str
    resource: Resource[Any]
    key: ObjectKey
    subresource: str
    condition: str


def refusal(verdict: Verdict) -> ClusterError | None:
    """What the sender is told of a request that has no effect."""
    match verdict.kind:
        case Kind.CONFLICT:
            return Conflict("the object has been modified; please apply your changes to the latest version")
        case Kind.SERVER_ERROR:
            return ServerError("the cluster is in trouble")
        case Kind.TOO_MANY:
            return TooManyRequests("too many requests", retry_after=1.0 + round(verdict.patience))
        case Kind.RESET:
            return Unreachable("the connection broke")
        case Kind.TIMEOUT_BEFORE:
            return Unreachable("no answer in time")
        case Kind.GONE:
            return Gone("the resourceVersion is too old")
    return None


def _changes(resource: Resource[Any]) -> Sequence[Kind]:
    """What can happen to a change; nobody but its holder touches a lease."""
    return _LEASE_CHANGE if resource == LEASES else _CHANGE


def _arrives_anyway(verdict: Verdict) -> bool:
    """Whether a request that was under way when its sender died takes effect."""
    return verdict.kind is not Kind.CRASH_BEFORE and verdict.share < 0.5


async def _nothing() -> None:
    """What is asked when only the way matters."""
