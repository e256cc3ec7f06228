"""What every namespace has from the start, and the tokens kept in Secrets."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from landform.cluster.errors import AlreadyExists
from landform.cluster.interface import DeleteOptions, EventType, PatchType, WriteOptions
from landform.embedded.access import token_requests
from landform.embedded.access.token_requests import ACCOUNT_NAME, SECRET_TYPE
from landform.embedded.access.users import ADMIN
from landform.embedded.catalog import Catalog, GroupResource
from landform.embedded.deletion import NAMESPACES
from landform.embedded.housekeeping.chores import Chores
from landform.embedded.objects import StoreKey
from landform.embedded.registry import Caller, Registry

if TYPE_CHECKING:
    from landform.embedded.access.tokens import Tokens
    from landform.embedded.history import Event
    from landform.embedded.store import Store
    from landform.kit.clocks import Clock

Object = dict[str, Any]

ACCOUNTS = GroupResource("", "serviceaccounts")
CONFIG_MAPS = GroupResource("", "configmaps")
SECRETS = GroupResource("", "secrets")

ROOT_CA = "kube-root-ca.crt"

_CALLER = Caller(ADMIN)


class AccountKeeper:
    """Gives each namespace its default ServiceAccount and the CA, and fills Secrets that ask for an account's token."""

    def __init__(
        self, store: Store, catalog: Catalog, registry: Registry, clock: Clock, issuer: Tokens, ca: str
    ) -> None:
        self._store = store
        self._catalog = catalog
        self._registry = registry
        self._clock = clock
        self._issuer = issuer
        self._ca = ca
        self._chores: Chores[StoreKey] = Chores("accounts", self._look, clock)
        store.history.listen(self._heard)

    def start(self) -> None:
        """Furnish all namespaces, and look at the Secrets that the process may have left undone when it last ended."""
        for stored in self._store.objects(NAMESPACES):
            self._chores.add(stored.key)
        for stored in self._store.objects(SECRETS):
            if SECRET_TYPE.encode() in stored.raw:
                self._chores.add(stored.key)

    async def close(self) -> None:
        await self._chores.close()

    def _heard(self, event: Event) -> None:
        key = event.current.key
        if key.resource == NAMESPACES and event.type is not EventType.DELETED:
            self._chores.add(key)
        elif key.resource == SECRETS and event.type is not EventType.DELETED:
            if SECRET_TYPE.encode() in event.current.raw:
                self._chores.add(key)
        elif key.resource == CONFIG_MAPS:
            if key.name == ROOT_CA:
                self._chores.add(StoreKey(NAMESPACES, "", key.namespace))
        elif key.resource == ACCOUNTS and event.type is EventType.DELETED:
            self._chores.add(StoreKey(NAMESPACES, "", key.namespace))
            self._chores.add(key)

    async def _look(self, key: StoreKey) -> None:
        if key.resource == NAMESPACES:
            await self._furnish(key)
        elif key.resource == ACCOUNTS:
            await self._drop_tokens(key)
        else:
            await self._fill(key)

    async def _furnish(self, key: StoreKey) -> None:
        """Create what a namespace lacks, and put right a CA that was changed or is an old one."""
        lacking: tuple[tuple[GroupResource, Object], ...] = (
            (ACCOUNTS, {"metadata": {"name": "default"}}),
            (CONFIG_MAPS, {"metadata": {"name": ROOT_CA}, "data": {"ca.crt": self._ca}}),
        )
        for resource, obj in lacking:
            namespace = self._store.head(key)
            if namespace is None or namespace.deleting:
                return  # asked each time: it may go while the first of them is written
            await self._ensure(resource, key.name, obj)

    async def _ensure(self, resource: GroupResource, namespace: str, obj: Object) -> None:
        name = obj["metadata"]["name"]
        found = self._store.head(StoreKey(resource, namespace, name))
        type_ = self._catalog.versions(resource)[0]
        if found is None:
            with contextlib.suppress(AlreadyExists):
                await self._registry.create(type_, namespace, obj, WriteOptions(), _CALLER)
        elif "data" in obj and found.decode().get("data") != obj["data"]:
            patch = [{"op": "add", "path": "/data", "value": obj["data"]}]
            await self._registry.patch(type_, (namespace, name), patch, PatchType.JSON, WriteOptions(), _CALLER)

    async def _fill(self, key: StoreKey) -> None:
        """Put the token into a Secret that asks for one; a Secret of an account that is gone goes too."""
        stored = self._store.head(key)
        if stored is None or stored.deleting:
            return
        secret = stored.decode()
        if secret.get("type") != SECRET_TYPE:
            return
        name = (secret["metadata"].get("annotations") or {}).get(ACCOUNT_NAME, "")
        account = self._store.head(StoreKey(ACCOUNTS, key.namespace, name))
        if account is None:
            await self._delete(key)
            return
        patch = token_requests.secret_patch(
            secret, account.decode(), tokens=self._issuer, ca=self._ca, now=self._clock.now()
        )
        if not patch:
            return
        type_ = self._catalog.versions(SECRETS)[0]
        await self._registry.patch(type_, (key.namespace, key.name), patch, PatchType.MERGE, WriteOptions(), _CALLER)

    async def _drop_tokens(self, key: StoreKey) -> None:
        """Delete the token Secrets of an account that is gone."""
        if self._store.head(key) is not None:
            return
        for stored in self._store.objects(SECRETS, key.namespace):
            if SECRET_TYPE.encode() not in stored.raw:
                continue
            annotations = stored.decode()["metadata"].get("annotations") or {}
            if annotations.get(ACCOUNT_NAME) == key.name:
                await self._delete(stored.key)

    async def _delete(self, key: StoreKey) -> None:
        type_ = self._catalog.versions(key.resource)[0]
        await self._registry.delete(type_, key.namespace, key.name, DeleteOptions())
