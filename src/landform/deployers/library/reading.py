"""What a deployer reads of Landform's own objects: caches, and the cluster itself where a cache may lag behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from landform.api.names import DEFAULT_CONTEXT
from landform.cluster.errors import Forbidden, NotFound
from landform.cluster.kinds import CONTEXTS, DEPLOY_ITEMS, TARGETS
from landform.cluster.resources import NAMESPACES, SECRETS, ObjectKey
from landform.deployers.library import responsibility, targets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.api.contexts import Context
    from landform.api.deployitems import DeployItem
    from landform.api.targets import Target
    from landform.cluster.informers import Caches, Informer
    from landform.cluster.interface import Reader
    from landform.cluster.resources import Resource, Unstructured
    from landform.deployers.library.targets import ResolvedTarget

T = TypeVar("T")

_BY_TARGET = "target"
_BY_SECRET = "secret"


@dataclass(frozen=True)
class Reading:
    """The caches that the library needs."""

    cluster: Reader
    items: Informer[DeployItem]
    targets: Informer[Target]
    secrets: Informer[Unstructured]
    contexts: Informer[Context]

    @classmethod
    def of(cls, cluster: Reader, caches: Caches) -> Reading:
        """The informers with the indexes that are needed."""
        reading = cls(
            cluster,
            caches.informer(DEPLOY_ITEMS),
            caches.informer(TARGETS),
            caches.secrets(),
            caches.informer(CONTEXTS),
        )
        reading.items.add_index(_BY_TARGET, _target_of)
        reading.targets.add_index(_BY_SECRET, _secret_of)
        return reading

    def items_of_target(self, key: ObjectKey) -> Iterator[ObjectKey]:
        """The items that are deployed to a target."""
        for item in self.items.by_index(_BY_TARGET, str(key)):
            yield ObjectKey(item.metadata.namespace or "", item.metadata.name or "")

    def items_of_secret(self, key: ObjectKey) -> Iterator[ObjectKey]:
        """The items whose target takes its content from a Secret."""
        for target in self.targets.by_index(_BY_SECRET, str(key)):
            yield from self.items_of_target(ObjectKey(target.metadata.namespace or "", target.metadata.name or ""))

    async def target(self, key: ObjectKey) -> Target | None:
        """The Target, if there is one."""
        return await self._find(self.targets, TARGETS, key)

    async def secret(self, key: ObjectKey) -> Unstructured | None:
        """The Secret, if there is one."""
        return await self._find(self.secrets, SECRETS, key)

    async def context(self, item: DeployItem) -> Context | None:
        """The item's Context, if it exists."""
        name = item.spec.context or DEFAULT_CONTEXT
        return await self._find(self.contexts, CONTEXTS, ObjectKey(item.metadata.namespace or "", name))

    async def resolve(self, target: Target) -> ResolvedTarget:
        """The Target with its access data; OperationFailed if its Secret does not have them."""
        key = targets.secret_key(target)
        return targets.resolve(target, None if key is None else await self.secret(key))

    async def going_namespace(self, name: str) -> Unstructured | None:
        """The namespace, if it is being deleted as far as we may know; no cache has it, because it is rarely asked."""
        try:
            found = await self.cluster.get(NAMESPACES, name)
        except (NotFound, Forbidden):
            return None
        return found if found["metadata"].get("deletionTimestamp") else None

    async def _find(self, informer: Informer[T], resource: Resource[T], key: ObjectKey) -> T | None:
        """From the cache; but what is not there may be so new that only the cluster knows it."""
        if (known := informer.get(key)) is not None:
            return known
        try:
            return await self.cluster.get(resource, key.name, namespace=key.namespace)
        except NotFound:
            return None


def _target_of(item: DeployItem) -> list[str]:
    key = responsibility.target_key(item)
    return [str(key)] if key is not None else []


def _secret_of(target: Target) -> list[str]:
    key = targets.secret_key(target)
    return [str(key)] if key is not None else []
