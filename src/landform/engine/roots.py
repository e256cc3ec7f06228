"""Roots: the Installation at the top of the tree that an object belongs to.

Replicas share the work by roots, so that a whole tree stays with one of them and sees its own writes at once. Each kind
is watched by itself, so a child may be seen before its parent. Until the parent is seen, or is known to be gone, nobody
can tell whose the child is: two replicas could both take it for theirs.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.api.structs import GROUP
from landform.cluster.codec import key_of
from landform.cluster.errors import ClusterError, NotFound
from landform.cluster.kinds import DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS
from landform.cluster.resources import ObjectKey
from landform.runtime.shards import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.api.structs import Kind, OwnerReference
    from landform.cluster.informers import Caches, Informer
    from landform.cluster.interface import Reader
    from landform.cluster.resources import Resource
    from landform.runtime.controllers import Controller
    from landform.runtime.manager import Life

log = logging.getLogger(__name__)

_OWNER = "engine owner"
_EXECUTION = "engine execution"

_AGAIN_SECONDS = 1.0
"""After so long the cluster is asked again for a parent if it did not answer."""


@dataclass(frozen=True)
class _Parent:
    """A parent that a child names."""

    resource: Resource[Any]
    key: ObjectKey
    uid: str


class Roots:
    """Climbs from objects to their roots.

    Without a `reader` it climbs as far as the caches know; that will do for a process that is alone. With one, a parent
    that is not in the caches is asked for by `run`, and until then the root is `UNKNOWN`.
    """

    def __init__(self, caches: Caches, reader: Reader | None = None) -> None:
        self._installations = caches.informer(INSTALLATIONS)
        self._executions = caches.informer(EXECUTIONS)
        self._items = caches.informer(DEPLOY_ITEMS)
        for informer in self._informers:
            informer.add_index(_OWNER, _owners)
        self._items.add_index(_EXECUTION, _execution_names)
        self._reader = reader
        self._gone: set[str] = set()
        self._asked: dict[_Parent, None] = {}
        self._news = asyncio.Event()
        self._followers: tuple[tuple[Informer[Any], tuple[Controller[Any], ...]], ...] = ()

    def of_installation(self, key: ObjectKey) -> ObjectKey:
        """The root of an Installation: itself, if it belongs to no other."""
        seen = {key}
        while (installation := self._installations.get(key)) is not None:
            parent = _parent_of(installation, INSTALLATIONS)
            if parent is None or parent.key in seen:
                return key
            if not self._is_there(parent):
                return self._without(parent, key)
            seen.add(parent.key)
            key = parent.key
        return key

    def of_execution(self, key: ObjectKey) -> ObjectKey:
        """The root of an Execution: itself, if it belongs to no Installation."""
        execution = self._executions.get(key)
        if execution is None:
            left = next(iter(self._items.by_index(_EXECUTION, str(key))), None)
            return self.of_item(key_of(left)) if left is not None else key
        parent = _parent_of(execution, INSTALLATIONS)
        if parent is None:
            return key
        return self.of_installation(parent.key) if self._is_there(parent) else self._without(parent, key)

    def of_item(self, key: ObjectKey) -> ObjectKey:
        """The root of a DeployItem: itself, if it belongs to no Execution."""
        item = self._items.get(key)
        parent = _parent_of(item, EXECUTIONS) if item is not None else None
        if parent is None:
            return key
        if self._executions.get(parent.key) is not None:
            return self.of_execution(parent.key)  # also if it is a new one of that name: it takes over the items
        return self._without(parent, parent.key)  # what an Execution leaves behind stays together under its name

    def follow(
        self,
        installations: Iterable[Controller[Any]],
        executions: Iterable[Controller[Any]],
        items: Iterable[Controller[Any]],
    ) -> None:
        """Have what is below an object looked at again when the object appears.

        A replica that sees a child before its parent does not know yet that both are its own, and leaves the child.
        """
        self._followers = (
            (self._installations, tuple(installations)),
            (self._executions, tuple(executions)),
            (self._items, tuple(items)),
        )

        def appeared(old: Kind | None, new: Kind | None) -> None:
            if old is None and new is not None:
                self._look_below(new.metadata.uid or "")

        self._installations.subscribe(appeared)
        self._executions.subscribe(appeared)

    async def run(self, life: Life) -> None:
        """Ask for parents that were not seen, until told to stop."""
        asking = asyncio.create_task(self._ask_on(), name="roots")
        life.ready()
        try:
            await life.stopping()
        finally:
            asking.cancel()

    async def _ask_on(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            for parent in list(self._asked):
                try:
                    await self._ask(parent)
                except ClusterError as error:
                    log.debug("%s is asked for again: %s", parent.key, error)
                    self._news.set()
                else:
                    self._asked.pop(parent, None)
            if self._news.is_set():
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _ask(self, parent: _Parent) -> None:
        """Put the parent into the cache, or remember that it is gone."""
        if self._is_there(parent) or self._reader is None:
            return
        try:
            found = await self._reader.get(parent.resource, parent.key.name, namespace=parent.key.namespace)
        except NotFound:
            found = None
        if found is not None and found.metadata.uid == parent.uid:
            self._informer(parent.resource).observe_write(found)
            return
        # Whoever has no child any more is of no interest.
        self._gone = {uid for uid in self._gone if any(informer.by_index(_OWNER, uid) for informer in self._informers)}
        self._gone.add(parent.uid)
        self._look_below(parent.uid)

    def _is_there(self, parent: _Parent) -> bool:
        found = self._informer(parent.resource).get(parent.key)
        return found is not None and found.metadata.uid == parent.uid

    def _without(self, parent: _Parent, root: ObjectKey) -> ObjectKey:
        """The root of an object whose parent is not there: the one given, once that is certain."""
        if self._reader is None:
            return parent.key
        if parent.uid in self._gone:
            return root
        self._asked[parent] = None
        self._news.set()
        return UNKNOWN

    def _look_below(self, uid: str) -> None:
        pending = [uid]
        while pending:
            above = pending.pop()
            for informer, controllers in self._followers:
                for child in informer.by_index(_OWNER, above):
                    pending.append(child.metadata.uid or "")
                    for controller in controllers:
                        controller.add(key_of(child))

    @property
    def _informers(self) -> tuple[Informer[Any], ...]:
        return self._installations, self._executions, self._items

    def _informer(self, resource: Resource[Any]) -> Informer[Any]:
        return next(informer for informer in self._informers if informer.resource == resource)


def _parent_of(obj: Kind, resource: Resource[Any]) -> _Parent | None:
    """The object of a resource that another one belongs to."""
    for owner in obj.metadata.owner_references or ():
        if _is_of(owner, resource):
            return _Parent(resource, ObjectKey(obj.metadata.namespace or "", owner.name), owner.uid)
    return None


def _is_of(owner: OwnerReference, resource: Resource[Any]) -> bool:
    return owner.kind == resource.kind and owner.api_version.startswith(f"{GROUP}/")


def _owners(obj: Kind) -> list[str]:
    return [owner.uid for owner in obj.metadata.owner_references or ()]


def _execution_names(item: Kind) -> list[str]:
    parent = _parent_of(item, EXECUTIONS)
    return [str(parent.key)] if parent is not None else []
