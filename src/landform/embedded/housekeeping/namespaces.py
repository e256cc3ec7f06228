"""The life of a namespace: emptied when it is deleted, and gone once nothing is left in it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from landform.cluster.errors import NotFound
from landform.cluster.interface import DeleteOptions, EventType, Propagation, WriteOptions
from landform.embedded.access.users import ADMIN
from landform.embedded.deletion import NAMESPACES
from landform.embedded.housekeeping.chores import Chores
from landform.embedded.objects import Stored, StoreKey
from landform.embedded.registry import Caller, Registry
from landform.kit.clocks import Clock, rfc3339

if TYPE_CHECKING:
    from landform.embedded.catalog import Catalog
    from landform.embedded.history import Event
    from landform.embedded.store import Store

_CALLER = Caller(ADMIN)


class NamespaceKeeper:
    """Empties namespaces that are going; while something holds one, its conditions name what."""

    def __init__(self, store: Store, catalog: Catalog, registry: Registry, clock: Clock) -> None:
        self._store = store
        self._catalog = catalog
        self._registry = registry
        self._clock = clock
        self._going: set[str] = set()
        self._chores: Chores[str] = Chores("namespace", self._look, clock)
        store.history.listen(self._heard)

    def start(self) -> None:
        for stored in self._store.objects(NAMESPACES):
            if stored.deleting:
                self._begin(stored.key.name)

    async def close(self) -> None:
        await self._chores.close()

    def _begin(self, name: str) -> None:
        self._going.add(name)
        self._chores.add(name)

    def _heard(self, event: Event) -> None:
        key = event.current.key
        if key.resource == NAMESPACES:
            if event.type is EventType.DELETED:
                self._going.discard(key.name)
            elif event.current.deleting and key.name not in self._going:
                self._begin(key.name)
        elif event.type is EventType.DELETED and key.namespace in self._going:
            self._chores.add(key.namespace)

    async def _look(self, name: str) -> None:
        namespace = self._store.head(StoreKey(NAMESPACES, "", name))
        if namespace is None or not namespace.deleting:
            return
        for stored in list(self._store.in_namespace(name)):
            if not stored.deleting:
                await self._delete(stored)
        left = list(self._store.in_namespace(name))
        if left:
            await self._say_what_is_left(namespace, left)
            return
        type_ = self._catalog.versions(NAMESPACES)[0]
        released = {**namespace.decode(), "spec": {"finalizers": []}}
        await self._registry.update(type_, "", name, released, WriteOptions(subresource="finalize"), _CALLER)

    async def _delete(self, stored: Stored) -> None:
        served = self._catalog.versions(stored.key.resource)
        if not served:
            return
        options = DeleteOptions(uid=stored.uid, propagation=Propagation.BACKGROUND)
        try:
            await self._registry.delete(served[0], stored.key.namespace, stored.key.name, options)
        except NotFound:
            return

    async def _say_what_is_left(self, namespace: Stored, left: list[Stored]) -> None:
        """Write conditions that name the resources and finalizers that hold the namespace."""
        obj = namespace.decode()
        conditions = _conditions(left, rfc3339(self._clock.now()))
        before = (obj.get("status") or {}).get("conditions") or []
        if [(c["type"], c["message"]) for c in before] == [(c["type"], c["message"]) for c in conditions]:
            return
        obj["status"] = {"phase": "Terminating", "conditions": conditions}
        type_ = self._catalog.versions(NAMESPACES)[0]
        await self._registry.update(type_, "", namespace.key.name, obj, WriteOptions(subresource="status"), _CALLER)


def _conditions(left: list[Stored], now: str) -> list[dict[str, Any]]:
    kinds = Counter(str(stored.key.resource) for stored in left)
    holders = Counter(finalizer for stored in left for finalizer in stored.decode()["metadata"].get("finalizers") or ())
    content = ", ".join(f"{kind} has {count} resource instances" for kind, count in sorted(kinds.items()))
    finalizers = ", ".join(f"{name} in {count} resource instances" for name, count in sorted(holders.items()))
    return [
        {
            "type": "NamespaceContentRemaining",
            "status": "True",
            "reason": "SomeResourcesRemain",
            "message": f"Some resources are remaining: {content}",
            "lastTransitionTime": now,
        },
        {
            "type": "NamespaceFinalizersRemaining",
            "status": "True" if finalizers else "False",
            "reason": "SomeFinalizersRemain" if finalizers else "ContentHasNoFinalizers",
            "message": f"Some content in the namespace has finalizers remaining: {finalizers}"
            if finalizers
            else "All content-preserving finalizers finished",
            "lastTransitionTime": now,
        },
    ]
