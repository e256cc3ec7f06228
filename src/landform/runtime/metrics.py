"""Figures for Prometheus: queues, reconciles, requests to the API, and how far watches lag behind."""

from __future__ import annotations

from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from landform.cluster import codec
from landform.cluster.errors import ApiError, ClusterError, Unreadable
from landform.cluster.interface import LIST_ALL, PLAIN_DELETE, PLAIN_WRITE, PatchType
from landform.cluster.stores import parse_version
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Sequence
    from contextlib import AbstractAsyncContextManager

    from landform.cluster.interface import Cluster, DeleteOptions, ListOptions, ObjectList, WatchEvent, WriteOptions
    from landform.cluster.resources import Resource, Unstructured
    from landform.runtime.outcomes import Result
    from landform.runtime.queue import Queue

T = TypeVar("T")

_SECONDS = (0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0, 300.0)
_UNSEEN_WRITES = 1000
"""So many writes of a resource are remembered until a watch shows them; who writes without watching forgets."""


class Metrics:
    """The figures of one process."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        self.queue_depth = self._gauge("queue_depth", "Keys that could run now")
        self.queue_delayed = self._gauge("queue_delayed", "Keys whose time has not come")
        self.running = self._gauge("reconciles_running", "Keys that run now")
        self.wait = self._histogram("queue_wait_seconds", "From when a key could run to when it ran", "controller")
        self.run = self._histogram("reconcile_seconds", "How long a reconcile took", "controller")
        self.reconciles = Counter(
            "landform_reconciles", "Reconciles by how they ended", ("controller", "result"), registry=self.registry
        )
        self.requests = Counter(
            "landform_api_requests",
            "Requests to the API by verb and status code (none: there was no answer)",
            ("verb", "resource", "code"),
            registry=self.registry,
        )
        self.watch_lag = self._histogram(
            "watch_lag_seconds", "From the answer to a write to when a watch showed it", "resource"
        )

    def of_controller(self, name: str, queue: Queue) -> ControllerMetrics:
        """The figures of one controller, whose queue is looked at when somebody asks."""
        self.queue_depth.labels(name).set_function(lambda: queue.depth)
        self.queue_delayed.labels(name).set_function(lambda: len(queue) - queue.depth)
        self.running.labels(name).set_function(lambda: len(queue.running))
        return ControllerMetrics(self, name)

    def page(self) -> bytes:
        """All figures, as Prometheus reads them."""
        return generate_latest(self.registry)

    def _gauge(self, name: str, what: str) -> Gauge:
        return Gauge(f"landform_{name}", what, ("controller",), registry=self.registry)

    def _histogram(self, name: str, what: str, label: str) -> Histogram:
        return Histogram(f"landform_{name}", what, (label,), registry=self.registry, buckets=_SECONDS)


class ControllerMetrics:
    """The figures of one controller, looked up once because they are told with every reconcile."""

    def __init__(self, metrics: Metrics, name: str) -> None:
        self._wait = metrics.wait.labels(name)
        self._run = metrics.run.labels(name)
        self._name = name
        self._reconciles = metrics.reconciles
        self._results: dict[Result, Counter] = {}

    def reconciled(self, result: Result, waited: float, took: float) -> None:
        """A reconcile ended."""
        self._wait.observe(waited)
        self._run.observe(took)
        counter = self._results.get(result)
        if counter is None:
            counter = self._results[result] = self._reconciles.labels(self._name, str(result))
        counter.inc()


class MeteredCluster:
    """A cluster whose requests are counted, and whose watches are measured against its writes."""

    def __init__(self, cluster: Cluster, metrics: Metrics, *, surroundings: Surroundings | None = None) -> None:
        self._cluster = cluster
        self._metrics = metrics
        self._clock = (surroundings or Surroundings()).clock
        self._written: dict[str, deque[tuple[int, float]]] = {}

    async def get(self, resource: Resource[T], name: str, *, namespace: str = "", subresource: str = "") -> T:
        request = self._cluster.get(resource, name, namespace=namespace, subresource=subresource)
        return await self._counted("get", resource, request)

    async def list(
        self, resource: Resource[T], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> ObjectList[T]:
        return await self._counted("list", resource, self._cluster.list(resource, namespace=namespace, options=options))

    def watch(
        self, resource: Resource[T], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> AbstractAsyncContextManager[AsyncIterator[WatchEvent[T]]]:
        return self._watch(resource, self._cluster.watch(resource, namespace=namespace, options=options))

    async def create(
        self,
        resource: Resource[T],
        obj: T | Unstructured,
        *,
        namespace: str = "",
        name: str = "",
        options: WriteOptions = PLAIN_WRITE,
    ) -> T:
        request = self._cluster.create(resource, obj, namespace=namespace, name=name, options=options)
        return self._wrote(resource, await self._counted("create", resource, request))

    async def replace(
        self, resource: Resource[T], obj: Unstructured, *, namespace: str = "", options: WriteOptions = PLAIN_WRITE
    ) -> T:
        request = self._cluster.replace(resource, obj, namespace=namespace, options=options)
        return self._wrote(resource, await self._counted("update", resource, request))

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
        request = self._cluster.patch(resource, name, patch, namespace=namespace, type=type, options=options)
        return self._wrote(resource, await self._counted("patch", resource, request))

    async def delete(
        self, resource: Resource[T], name: str, *, namespace: str = "", options: DeleteOptions = PLAIN_DELETE
    ) -> T | None:
        request = self._cluster.delete(resource, name, namespace=namespace, options=options)
        return await self._counted("delete", resource, request)

    async def delete_collection(
        self,
        resource: Resource[T],
        *,
        namespace: str = "",
        selection: ListOptions = LIST_ALL,
        options: DeleteOptions = PLAIN_DELETE,
    ) -> None:
        request = self._cluster.delete_collection(resource, namespace=namespace, selection=selection, options=options)
        await self._counted("deletecollection", resource, request)

    async def discover(self) -> Sequence[Resource[Unstructured]]:
        return await self._cluster.discover()

    async def version(self) -> dict[str, str]:
        return await self._cluster.version()

    async def close(self) -> None:
        await self._cluster.close()

    async def _counted(self, verb: str, resource: Resource[Any], request: Awaitable[T]) -> T:
        try:
            answer = await request
        except ClusterError as error:
            self._count(verb, resource, error)
            raise
        self._count(verb, resource)
        return answer

    def _count(self, verb: str, resource: Resource[Any], error: ClusterError | None = None) -> None:
        code = str(error.code) if isinstance(error, ApiError) else "none" if error else "2xx"
        self._metrics.requests.labels(verb, str(resource), code).inc()

    def _wrote(self, resource: Resource[Any], obj: T) -> T:
        """Remember when the answer came, to see when a watch shows the same."""
        if (version := _version(codec.metadata(obj).resource_version)) is not None:
            writes = self._written.setdefault(str(resource), deque(maxlen=_UNSEEN_WRITES))
            writes.append((version, self._clock.monotonic()))
        return obj

    def _shown(self, resource: Resource[Any], version: str) -> None:
        writes, shown = self._written.get(str(resource)), _version(version)
        while writes and shown is not None and writes[0][0] <= shown:
            _, answered = writes.popleft()
            self._metrics.watch_lag.labels(str(resource)).observe(self._clock.monotonic() - answered)

    @asynccontextmanager
    async def _watch(
        self, resource: Resource[T], watch: AbstractAsyncContextManager[AsyncIterator[WatchEvent[T]]]
    ) -> AsyncIterator[AsyncIterator[WatchEvent[T]]]:
        try:
            async with watch as events:
                self._count("watch", resource)
                yield self._measured(resource, events)
        except ClusterError as error:
            self._count("watch", resource, error)
            raise

    async def _measured(
        self, resource: Resource[T], events: AsyncIterator[WatchEvent[T]]
    ) -> AsyncIterator[WatchEvent[T]]:
        async for event in events:
            self._shown(resource, event.resource_version)
            yield event


def _version(text: str) -> int | None:
    try:
        return parse_version(text)
    except Unreadable:
        return None
