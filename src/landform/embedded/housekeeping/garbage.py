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
            self._add_waiting_owners(stored)
            return
        if stored.owners or stored.deleting:
            self._chores.add(stored.key)
        if event.previous is not None:
            self._add_waiting_owners(event.previous)

    def _add_waiting_owners(self, stored: Stored) -> None:
        """Look at the owners that are going: the object may have been what they waited for."""
        for uid in stored.owners:
            key = self._store.key_of(uid)
            owner = self._store.head(key) if key is not None else None
            if owner is not None and owner.deleting:
                self._chores.add(owner.key)

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
            dependents = self._store.dependents(stored.uid)
            for key in dependents:
                self._chores.add(key)
            if not any(self._blocks(key, stored.uid) for key in dependents):
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
        dependents = self._store.dependents(stored.uid) if "waiting" in states.values() else []
        if any(map(self._is_waiting, dependents)) and any(r.get("blockOwnerDeletion") for r in references):
            # Owners in a circle would wait for one another for ever: this one no longer holds up its own.
            await self._set(stored, "ownerReferences", [{**r, "blockOwnerDeletion": False} for r in references])
            return
        type_ = self._catalog.versions(stored.key.resource)[0]
        propagation = Propagation.FOREGROUND if dependents else None
        await self._registry.delete(
            type_, stored.key.namespace, stored.key.name, DeleteOptions(uid=stored.uid, propagation=propagation)
        )

    def _state(self, stored: Stored, reference: Object) -> str:
        """How an owner is: solid, waiting (in foreground deletion, for what it owns), absent, or unknown."""
        key = self._store.key_of(reference["uid"])
        if key is None or key.namespace not in ("", stored.key.namespace):
            type_ = self._catalog.of_kind(reference["apiVersion"].rpartition("/")[0], reference["kind"])
            # The kind of an owner may be served again later (its CRD is being replaced), and an object without a
            # namespace cannot say in which one its owner is: never delete on a guess.
            return "unknown" if type_ is None or (type_.namespaced and not stored.key.namespace) else "absent"
        if self._is_waiting(key):
            return "waiting"
        return "absent" if self._store.head(key) is None else "solid"

    def _is_waiting(self, key: StoreKey) -> bool:
        """Whether the object is in foreground deletion: it goes after what it owns."""
        stored = self._store.head(key)
        if stored is None or not stored.deleting:
            return False
        return FOREGROUND in (stored.decode()["metadata"].get("finalizers") or ())

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
