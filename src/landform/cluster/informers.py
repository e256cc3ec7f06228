"""Informer caches: what a cluster holds of a kind, always at hand, shared by all who need it.

    async with Caches(cluster) as caches:
        items = caches.informer(DEPLOY_ITEMS)
        items.add_index("target", targets_of)
        await caches.synced()
        items.by_index("target", "default/cluster-a")

Cached objects are shared: nobody may change them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from landform.cluster import codec, selectors, watching
from landform.cluster.interface import LIST_ALL, ListOptions
from landform.cluster.resources import PROGRAM_LOG, PROGRAM_RUN, PROGRAM_STATE, SECRETS
from landform.cluster.stores import Store
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType

    from landform.cluster.errors import ClusterError
    from landform.cluster.interface import Reader
    from landform.cluster.resources import ObjectKey, Resource, Unstructured

log = logging.getLogger(__name__)

T = TypeVar("T")

_HELM_RELEASE = "helm.sh/release.v1"
_OF_INTEREST = ListOptions(field_selector=f"type!={PROGRAM_STATE},type!={PROGRAM_LOG},type!={PROGRAM_RUN}")


class Informer(Generic[T]):
    """The objects of one resource in one namespace or in all, kept up to date by `run`."""

    def __init__(
        self,
        reader: Reader,
        resource: Resource[T],
        *,
        namespace: str = "",
        selection: ListOptions = LIST_ALL,
        transform: Callable[[T], T] | None = None,
        surroundings: Surroundings | None = None,
    ) -> None:
        self.resource = resource
        self.namespace = namespace
        self.synced = asyncio.Event()
        """Set once everything that existed is here."""

        self.trouble: ClusterError | None = None
        """Why the cache may be out of date now; None if all is well."""

        self._selection = selection
        self._labels = selectors.parse_labels(selection.label_selector)
        self._transform = transform
        self._subscribers: list[Callable[[T | None, T | None], None]] = []
        self._store: Store[T] = Store(self._tell)
        self._watcher = watching.Watcher(
            reader, resource, namespace=namespace, selection=selection, surroundings=surroundings
        )

    def get(self, key: ObjectKey) -> T | None:
        """The object, if there is one."""
        return self._store.get(key)

    def list(self, namespace: str | None = None) -> list[T]:
        """The objects of a namespace, or all; costs what is found."""
        return self._store.list(namespace)

    def __len__(self) -> int:
        return len(self._store)

    def add_index(self, name: str, values: Callable[[T], Iterable[str]]) -> None:
        """Make objects findable by any of the values that the pure function gives for them.

        The same function may be added under the same name by all who need it.
        """
        self._store.add_index(name, values)

    def by_index(self, name: str, value: str) -> Sequence[T]:
        """The objects that have the value; costs what is found."""
        return self._store.by_index(name, value)

    def subscribe(self, callback: Callable[[T | None, T | None], None]) -> Callable[[], None]:
        """Be told of each change as (old, new), first of all that is here as (None, object).

        The cache and its indexes are changed before. The answer ends the subscription.
        """
        for obj in self.list():
            callback(None, obj)
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    def observe_write(self, obj: T) -> None:
        """Put the answer of a write into the cache at once, so that its writer sees it.

        What is not selected here is left to the watch; and so is everything if fields select.
        """
        said = codec.metadata(obj)
        elsewhere = self.namespace and said.namespace != self.namespace
        if not elsewhere and not self._selection.field_selector and self._labels.matches(said.labels):
            self._store.observe(self._transformed(obj))

    async def run(self) -> None:
        """Keep the cache up to date until cancelled."""
        async with contextlib.aclosing(self._watcher.events()) as events:
            async for event in events:
                self._handle(event)

    def _handle(self, event: watching.Event[T]) -> None:
        match event:
            case watching.Restarting():
                self._store.begin()
            case watching.Found(items, version):
                self._store.found(map(self._transformed, items), version)
            case watching.Restarted(version):
                self._store.finish(version)
                self.synced.set()
            case watching.Applied(obj):
                self._store.apply(self._transformed(obj))
            case watching.Deleted(obj):
                self._store.remove(obj)
            case watching.Progressed(version):
                self._store.progress(version)
            case watching.Troubled(error, delay):
                log.warning("cannot follow %s, trying again in %.1f s: %s", self.resource, delay, error)
                self.trouble = error
                return
        self.trouble = None

    def _transformed(self, obj: T) -> T:
        return self._transform(obj) if self._transform is not None else obj

    def _tell(self, old: T | None, new: T | None) -> None:
        for callback in tuple(self._subscribers):
            callback(old, new)


class Caches:
    """The informers of one cluster, one for each resource, namespace and selection; they run while it is entered.

    A fault in a subscriber or an index is a bug of ours and not of the cluster: it ends the ``async with`` loudly.
    """

    def __init__(self, reader: Reader, *, surroundings: Surroundings | None = None) -> None:
        self._reader = reader
        self._surroundings = surroundings or Surroundings()
        self._informers: dict[tuple[Resource[Any], str, ListOptions], Informer[Any]] = {}
        self._group: asyncio.TaskGroup | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def informer(
        self,
        resource: Resource[T],
        *,
        namespace: str = "",
        selection: ListOptions = LIST_ALL,
        transform: Callable[[T], T] | None = None,
    ) -> Informer[T]:
        """The one informer for these objects; `transform` (to drop what nobody reads) counts when it is made."""
        key = (resource, namespace, selection)
        if (known := self._informers.get(key)) is not None:
            return known
        informer = Informer(
            self._reader,
            resource,
            namespace=namespace,
            selection=selection,
            transform=transform,
            surroundings=self._surroundings,
        )
        self._informers[key] = informer
        self._start(informer)
        return informer

    def secrets(self) -> Informer[Unstructured]:
        """The one informer of Secrets for all who read them.

        What helm keeps of releases is megabytes, and left out. What programs get and leave is not even sent.
        """
        return self.informer(SECRETS, selection=_OF_INTEREST, transform=_without_release)

    def __iter__(self) -> Iterator[Informer[Any]]:
        """All informers that there are by now."""
        return iter(tuple(self._informers.values()))

    async def synced(self) -> None:
        """Return when every informer has everything that existed."""
        for informer in tuple(self._informers.values()):
            await informer.synced.wait()

    async def __aenter__(self) -> Caches:
        self._group = await asyncio.TaskGroup().__aenter__()
        for informer in self._informers.values():
            self._start(informer)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        group, self._group = self._group, None
        for task in self._tasks:
            task.cancel()
        self._tasks.clear()
        if group is not None:
            # A fault of the body is not one of the group: it must come out as it is, not wrapped. But the group must
            # see a cancellation, because it cancels the body itself when an informer fails.
            cancelled = isinstance(error, asyncio.CancelledError)
            await group.__aexit__(*((kind, error, trace) if cancelled else (None, None, None)))

    def _start(self, informer: Informer[Any]) -> None:
        if self._group is not None:
            self._tasks.append(self._group.create_task(informer.run(), name=f"informer of {informer.resource}"))


def _without_release(secret: Unstructured) -> Unstructured:
    return {**secret, "data": {}} if secret.get("type") == _HELM_RELEASE else secret
