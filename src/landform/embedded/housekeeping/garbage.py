"""Garbage collection: what happens to objects when their owners go, as Kubernetes' own collector does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster.interface import DeleteOptions, EventType, PatchType, Propagation, WriteOptions
from landform.embedded.access.users import ADMIN
from landform.embedded.deletion import FOREGROUND, ORPHAN
from landform.embedded.housekeeping.chores import Chores
from landform.embedded.registry import Caller, Registry

if TYPE_CHECKING:
    from landform.embedded.catalog import Catalog
    from landform.embedded.history import Event
    from landform.embedded.objects import Stored, StoreKey
    from landform.embedded.store import Store
    from landform.kit.clocks import Clock

Object = dict[str, Any]

_CALLER = Caller(ADMIN, "landform-garbage-collector")


class GarbageCollector:
    """Deletes what nobody owns any more, releases what is orphaned, lets owners go when nothing holds them."""

    def __init__(self, store: Store, catalog: Catalog, registry: Registry, clock: Clock) -> None:
        self._store = store
        self._catalog = catalog
        self._registry = registry
        self._chores: Chores[StoreKey] = Chores("garbage collection", self._look, clock)
        store.history.listen(self._heard)

    def start(self) -> None:
        """Look at everything that may have been left undone when the process last ended."""
        for stored in self._store.everything():
            if stored.owners or stored.deleting:
                self._chores.add(stored.key)

    async def close(self) -> None:
        await self._chores.close()

    def _heard(self, event: Event) -> None:
        stored = event.current
        if event.type is EventType.DELETED:
            for dependent in self._store.dependents(stored.uid):
                self._chores.add(dependent)
            for owner in stored.owners:
                self._add_owner(owner)
            return
        if stored.owners or stored.deleting:
            self._chores.add(stored.key)
        if event.previous is not None:
            for owner in set(event.previous.owners) - set(stored.owners):
                self._add_owner(owner)

    def _add_owner(self, uid: str) -> None:
        key = self._store.key_of(uid)
        if key is not None:
            self._chores.add(key)

    async def _look(self, key: StoreKey) -> None:
        stored = self._store.head(key)
        if stored is None:
            return
        obj = stored.decode()
        if stored.deleting:
            await self._let_go(stored, obj)
        elif stored.owners:
            await self._keep_or_delete(stored, obj)

    async def _let_go(self, stored: Stored, obj: Object) -> None:
        """An owner that is going: deal with what it owns, then take the collector's own finalizer off."""
        finalizers = obj["metadata"].get("finalizers") or []
        if ORPHAN in finalizers:
            for key in self._store.dependents(stored.uid):
                await self._disown(key, {stored.uid})
            await self._remove_finalizer(stored, obj, ORPHAN)
        elif FOREGROUND in finalizers:
            blocking = [key for key in self._store.dependents(stored.uid) if self._blocks(key, stored.uid)]
            for key in blocking:
                self._chores.add(key)
            if not blocking:
                await self._remove_finalizer(stored, obj, FOREGROUND)

    def _blocks(self, key: StoreKey, uid: str) -> bool:
        """Whether the owner must wait for this object."""
        stored = self._store.head(key)
        if stored is None:
            return False
        references = stored.decode()["metadata"].get("ownerReferences") or ()
        return any(reference["uid"] == uid and reference.get("blockOwnerDeletion") for reference in references)

    async def _keep_or_delete(self, stored: Stored, obj: Object) -> None:
        """An object with owners: it stays while one of them does."""
        references = obj["metadata"].get("ownerReferences") or []
        states = {reference["uid"]: self._state(stored, reference) for reference in references}
        if "unknown" in states.values():
            return
        going = {uid for uid, state in states.items() if state != "solid"}
        if len(going) < len(states):
            if going:
                await self._disown(stored.key, going)
            return
        waited_for = "waiting" in states.values()
        type_ = self._catalog.versions(stored.key.resource)[0]
        propagation = Propagation.FOREGROUND if waited_for and self._store.dependents(stored.uid) else None
        await self._registry.delete(
            type_, stored.key.namespace, stored.key.name, DeleteOptions(uid=stored.uid, propagation=propagation)
        )

    def _state(self, stored: Stored, reference: Object) -> str:
        """How an owner is: solid, waiting (its foreground deletion waits for this object), absent, or unknown."""
        key = self._store.key_of(reference["uid"])
        if key is None or key.namespace not in ("", stored.key.namespace):
            group = reference["apiVersion"].rpartition("/")[0]
            # The kind of an owner may be served again later (its CRD is being replaced): never delete on a guess.
            return "absent" if self._catalog.of_kind(group, reference["kind"]) else "unknown"
        owner = self._store.head(key)
        if owner is None:
            return "absent"
        if owner.deleting and reference.get("blockOwnerDeletion"):
            finalizers = owner.decode()["metadata"].get("finalizers") or ()
            if FOREGROUND in finalizers:
                return "waiting"
        return "solid"

    async def _disown(self, key: StoreKey, uids: set[str]) -> None:
        """Take owners off an object."""
        stored = self._store.head(key)
        if stored is None:
            return
        references = stored.decode()["metadata"].get("ownerReferences") or []
        kept = [reference for reference in references if reference["uid"] not in uids]
        if len(kept) < len(references):
            await self._set(stored, "ownerReferences", kept)

    async def _remove_finalizer(self, stored: Stored, obj: Object, finalizer: str) -> None:
        kept = [found for found in obj["metadata"].get("finalizers") or () if found != finalizer]
        await self._set(stored, "finalizers", kept)

    async def _set(self, stored: Stored, field: str, value: list[Any]) -> None:
        patch = {"metadata": {field: value or None, "uid": stored.uid, "resourceVersion": str(stored.version)}}
        type_ = self._catalog.versions(stored.key.resource)[0]
        await self._registry.patch(
            type_, (stored.key.namespace, stored.key.name), patch, PatchType.MERGE, WriteOptions(), _CALLER
        )
