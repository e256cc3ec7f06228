"""What every home has from its first start: namespaces, roles, and Landform's own kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.api.crds import crds
from landform.cluster.errors import AlreadyExists
from landform.cluster.interface import WriteOptions
from landform.embedded.access import defaults
from landform.embedded.access.users import ADMIN
from landform.embedded.deletion import DEFINITIONS, NAMESPACES
from landform.embedded.objects import StoreKey
from landform.embedded.policies import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES
from landform.embedded.registry import Caller, Registry

if TYPE_CHECKING:
    from landform.embedded.catalog import Catalog, GroupResource
    from landform.embedded.store import Store

Object = dict[str, Any]

_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
_CALLER = Caller(ADMIN)
_PLAIN = WriteOptions()


async def furnish(store: Store, catalog: Catalog, registry: Registry) -> None:
    """Create what is missing, and bring Landform's kinds up to date; what a user changed otherwise stays."""
    for name in _NAMESPACES:
        await _ensure(store, catalog, registry, NAMESPACES, {"metadata": {"name": name}})
    for role in defaults.cluster_roles():
        await _ensure(store, catalog, registry, CLUSTER_ROLES, role)
    for binding in defaults.cluster_role_bindings():
        await _ensure(store, catalog, registry, CLUSTER_ROLE_BINDINGS, binding)
    for crd in crds():
        await _ensure(store, catalog, registry, DEFINITIONS, crd, current=True)


async def _ensure(
    store: Store, catalog: Catalog, registry: Registry, resource: GroupResource, obj: Object, *, current: bool = False
) -> None:
    type_ = catalog.versions(resource)[0]
    name = obj["metadata"]["name"]
    found = store.head(StoreKey(resource, "", name))
    if found is None:
        try:
            await registry.create(type_, "", obj, _PLAIN, _CALLER)
        except AlreadyExists:
            return
    elif current:
        await registry.update(type_, "", name, {**found.decode(), "spec": obj["spec"]}, _PLAIN, _CALLER)
