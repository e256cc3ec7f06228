"""Watches on target clusters: one for each cluster and kind, however many items look at however many objects.

A watch begins at what is now, keeps no objects, and hands each change to the views that look at the object. What an
object was before the watch began, or while it had lost its place, a view reads by itself. A watch runs as long as a
view needs it.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from landform.cluster import codec, watching
from landform.cluster.errors import Forbidden
from landform.cluster.interface import LIST_ALL, ListOptions, ObjectList
from landform.deployers.manifest.views import Selection, Subject, View

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster.errors import ClusterError
    from landform.cluster.interface import Cluster, Reader
    from landform.cluster.resources import ObjectKey, Resource, Unstructured
    from landform.deployers.manifest.sites import Site
    from landform.kit.surroundings import Surroundings

log = logging.getLogger(__name__)


class _Scope(NamedTuple):
    """What one watch sees."""

    site: Site
    resource: Resource[Unstructured]
    namespace: str


class Watches:
    """All watches of one deployer.

    Invariant: there is a watch for each scope that a view looks at, and no other.
    """

    def __init__(self) -> None:
        self._open: dict[_Scope, _Watch] = {}

    def __len__(self) -> int:
        return len(self._open)

    @asynccontextmanager
    async def view(self, surroundings: Surroundings) -> AsyncIterator[View]:
        """A view that can be told what to look at."""
        held: list[_Watch] = []

        async def look(view: View, what: Subject | Selection) -> None:
            watch = await self._watch(what, surroundings)
            if watch.join(view, what):
                held.append(watch)

        opened = View(look)
        try:
            yield opened
        finally:
            await self._leave(opened, held)

    async def _watch(self, what: Subject | Selection, surroundings: Surroundings) -> _Watch:
        namespace = what.key.namespace if isinstance(what, Subject) else ""
        if await what.site.is_wide(what.resource):
            namespace = ""
        scope = _Scope(what.site, what.resource, namespace)
        if (watch := self._open.get(scope)) is None:
            watch = self._open[scope] = _Watch(scope, surroundings)
            watch.start()
        return watch

    async def _leave(self, view: View, held: list[_Watch]) -> None:
        """End the watches that nobody looks through any more."""
        unused = []
        for watch in held:
            watch.leave(view)
            if watch.is_unused:
                self._open.pop(watch.scope, None)
                watch.stop()
                unused.append(watch)
        # All are told before the first is waited for: who is cancelled again meanwhile leaves none running.
        for watch in unused:
            await watch.gone()


class _Watch:
    """One watch and the views that it serves."""

    def __init__(self, scope: _Scope, surroundings: Surroundings) -> None:
        self.scope = scope
        self._watcher: watching.Watcher[Unstructured] = watching.Watcher(
            _FromNow(scope.site.cluster), scope.resource, namespace=scope.namespace, surroundings=surroundings
        )
        self._views: dict[View, list[Subject | Selection]] = {}
        self._by_key: dict[ObjectKey, set[View]] = {}
        self._selecting: set[View] = set()
        self._has_begun = False
        self._trouble: ClusterError | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to watch; in a context of its own, because it outlives the item that needs it first."""
        name, context = f"watch on {self.scope.resource}", contextvars.Context()
        self._task = asyncio.get_running_loop().create_task(self._run(), name=name, context=context)

    def stop(self) -> None:
        """Watch no longer."""
        if self._task is not None:
            self._task.cancel()

    async def gone(self) -> None:
        """Return when nothing of it runs any more."""
        if self._task is not None:
            await asyncio.wait((self._task,))

    @property
    def is_following(self) -> bool:
        """Whether it sees what happens now."""
        return self._watcher.is_following

    @property
    def is_unused(self) -> bool:
        """Whether no view looks through it."""
        return not self._views

    def join(self, view: View, what: Subject | Selection) -> bool:
        """Serve a view; whether it is served for the first time."""
        is_new = view not in self._views
        self._views.setdefault(view, []).append(what)
        if isinstance(what, Subject):
            self._by_key.setdefault(what.key, set()).add(view)
        else:
            self._selecting.add(view)
        if self._has_begun:
            view.outdate((what,))
        if self._trouble is not None:
            view.note_trouble(self, self._trouble)
        return is_new

    def leave(self, view: View) -> None:
        """Serve a view no longer."""
        for what in self._views.pop(view, ()):
            if isinstance(what, Subject) and (views := self._by_key.get(what.key)) is not None:
                views.discard(view)
                if not views:
                    del self._by_key[what.key]
        self._selecting.discard(view)

    async def _run(self) -> None:
        try:
            async with aclosing(self._watcher.events()) as events:
                async for event in events:
                    self._handle(event)
        except Exception as bug:
            log.exception("the watch on %s failed", self.scope.resource)
            for view in self._views:
                view.fail(bug)

    def _handle(self, event: watching.Event[Unstructured]) -> None:
        match event:
            case watching.Restarted():
                self._has_begun = True
                for view, subjects in self._views.items():
                    view.outdate(subjects)
            case watching.Applied(obj):
                self._tell(obj, is_gone=False)
            case watching.Deleted(obj):
                self._tell(obj, is_gone=True)
            case watching.Troubled(error):
                if isinstance(error, Forbidden):
                    self.scope.site.reconsider(self.scope.resource)
                self._trouble = error
                for view in self._views:
                    view.note_trouble(self, error)
                return
        if self._trouble is not None:
            self._trouble = None
            for view in self._views:
                view.note_trouble(self, None)

    def _tell(self, obj: Unstructured, *, is_gone: bool) -> None:
        scope, key = self.scope, codec.key_of(obj)
        views = self._by_key.get(key, ())
        if views:
            subject = Subject(scope.site, scope.resource, key)
            for view in views:
                view.show(subject, obj, is_gone=is_gone)
        for view in self._selecting:
            for what in self._views[view]:
                if isinstance(what, Selection):
                    view.show_selected(what, obj, is_gone=is_gone)


@dataclass(frozen=True)
class _FromNow:
    """A reader whose lists say which version is now and leave the objects out: they may be a hundred thousand."""

    cluster: Cluster

    async def get(self, resource: Resource[Any], name: str, *, namespace: str = "", subresource: str = "") -> Any:
        return await self.cluster.get(resource, name, namespace=namespace, subresource=subresource)

    async def list(
        self, resource: Resource[Any], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> ObjectList[Any]:
        page = await self.cluster.list(resource, namespace=namespace, options=replace(options, limit=1))
        return ObjectList((), page.resource_version)

    def watch(self, resource: Resource[Any], *, namespace: str = "", options: ListOptions = LIST_ALL) -> Any:
        return self.cluster.watch(resource, namespace=namespace, options=options)


if TYPE_CHECKING:

    def _is_reader(reader: _FromNow) -> Reader:
        return reader
