"""CustomResourceDefinitions at work: their kinds are served as soon as they are stored, and cleaned up when they go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster.interface import DeleteOptions, EventType, PatchType, WriteOptions
from landform.embedded import definitions
from landform.embedded.access.users import ADMIN
from landform.embedded.catalog import Catalog, GroupResource, ResourceType
from landform.embedded.deletion import CLEANUP, DEFINITIONS
from landform.embedded.housekeeping.chores import Chores
from landform.embedded.objects import Stored, StoreKey
from landform.embedded.registry import Caller, Registry

if TYPE_CHECKING:
    from landform.embedded.history import Event
    from landform.embedded.store import Store
    from landform.kit.clocks import Clock

Object = dict[str, Any]

_CALLER = Caller(ADMIN)


class DefinitionKeeper:
    """Keeps the catalog in step with the definitions, and writes their status.

    The catalog changes in the same step as the store, before the writer of a definition is answered: a kind can be
    used by the next request.
    """

    def __init__(self, store: Store, catalog: Catalog, registry: Registry, clock: Clock) -> None:
        self._store = store
        self._catalog = catalog
        self._registry = registry
        self._clock = clock
        self._served: dict[str, int] = {}
        self._chores: Chores[str] = Chores("definition", self._look, clock)
        store.history.listen(self._heard)

    def start(self) -> None:
        for stored in self._store.objects(DEFINITIONS):
            self._serve(stored.decode())
            self._chores.add(stored.key.name)

    async def close(self) -> None:
        await self._chores.close()

    def _heard(self, event: Event) -> None:
        key = event.current.key
        if key.resource == DEFINITIONS:
            obj = event.current.decode()
            if event.type is EventType.DELETED:
                self._served.pop(key.name, None)
                self._catalog.remove(_resource_of(obj))
            else:
                self._serve(obj)
                self._chores.add(key.name)
        elif event.type is EventType.DELETED:
            name = str(key.resource)
            if name in self._served and self._store.count(key.resource) == 0:
                self._chores.add(name)

    def _serve(self, obj: Object) -> None:
        """Offer the definition's kinds, unless they are offered as they are."""
        name, generation = obj["metadata"]["name"], obj["metadata"].get("generation", 0)
        if self._served.get(name) == generation:
            return
        status = definitions.established(obj, self._clock.now(), others=self._catalog)
        named = {**obj, "status": status}
        if not definitions.is_established(named):
            return
        self._catalog.remove(_resource_of(obj))
        for type_ in definitions.types_of(named):
            self._catalog.add(type_)
        self._served[name] = generation

    async def _look(self, name: str) -> None:
        stored = self._store.head(StoreKey(DEFINITIONS, "", name))
        if stored is None:
            return
        obj = stored.decode()
        if stored.deleting:
            await self._clean_up(stored, obj)
            return
        status = definitions.established(obj, self._clock.now(), others=self._catalog)
        if status != obj.get("status"):
            await self._registry.update(
                self._type(), "", name, {**obj, "status": status}, WriteOptions(subresource="status"), _CALLER
            )

    async def _clean_up(self, stored: Stored, obj: Object) -> None:
        """Delete what is left of the kind; when nothing is left, let the definition go."""
        finalizers = obj["metadata"].get("finalizers") or []
        if CLEANUP not in finalizers:
            return
        resource = _resource_of(obj)
        served = self._catalog.versions(resource)
        left = [found for found in self._store.objects(resource) if not found.deleting]
        if served:
            await self._registry.delete_all(served[0], left, DeleteOptions())
        if self._store.count(resource):
            return
        kept = [finalizer for finalizer in finalizers if finalizer != CLEANUP]
        patch = {"metadata": {"finalizers": kept or None, "resourceVersion": str(stored.version)}}
        await self._registry.patch(self._type(), ("", stored.key.name), patch, PatchType.MERGE, WriteOptions(), _CALLER)

    def _type(self) -> ResourceType:
        return self._catalog.versions(DEFINITIONS)[0]


def _resource_of(obj: Object) -> GroupResource:
    return GroupResource(obj["spec"]["group"], obj["spec"]["names"]["plural"])
