"""Sites: clusters, and the kinds that they serve, asked once and again when a kind is unknown."""

from __future__ import annotations

import asyncio
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from landform.api.errors import ErrorCode, OperationFailed
from landform.cluster.errors import Forbidden
from landform.cluster.interface import ListOptions
from landform.cluster.resources import ObjectKey
from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured
    from landform.deployers.manifest.configuration import TypedReference

    Kinds = dict[tuple[str, str], Resource[Unstructured]]
    """By API version and kind, and by API version and plural name."""


class UnknownKind(LandformError):
    """A cluster does not serve a kind. It may later, so this is tried again."""

    def __init__(self, who: str, api_version: str, kind: str) -> None:
        super().__init__(
            f"{who}: the cluster serves no kind {kind} of {api_version}; check apiVersion and kind,"
            " or install its definition"
        )


@dataclass
class _Knowledge:
    """What is known of a cluster; it must not keep the cluster's client alive."""

    kinds: Kinds = field(default_factory=dict)
    questions: int = 0
    """How often the cluster was asked for its kinds."""

    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    wide: dict[Resource[Unstructured], bool] = field(default_factory=dict)


class Site:
    """A cluster and what is known of it; the knowledge is shared by all items that are deployed there."""

    def __init__(self, cluster: Cluster, knowledge: _Knowledge) -> None:
        self.cluster = cluster
        self._known = knowledge

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Site) and other.cluster is self.cluster

    def __hash__(self) -> int:
        return id(self.cluster)

    async def resource(self, api_version: str, kind: str, who: str) -> Resource[Unstructured]:
        """The resource of a kind; UnknownKind if the cluster has none. `who` asks for it, in words."""
        if (found := await self.find(api_version, kind)) is None:
            raise UnknownKind(who, api_version, kind)
        return found

    async def locate(self, named: TypedReference, who: str) -> tuple[Resource[Unstructured], ObjectKey]:
        """Where the object is that a configuration names; `who` names it, in words."""
        resource = await self.resource(named.api_version, named.kind, who)
        if resource.namespaced and not named.namespace:
            message = f"{who}: {resource.kind} {named.name} needs a namespace, because the kind has namespaces"
            codes = (ErrorCode.CONFIGURATION_PROBLEM,)
            raise OperationFailed("FindObject", "NamespaceMissing", message, codes=codes)
        return resource, ObjectKey(named.namespace if resource.namespaced else "", named.name)

    async def find(self, api_version: str, kind: str) -> Resource[Unstructured] | None:
        """The resource of a kind, which may also be given by its plural name; None if the cluster has none."""
        name = (api_version, kind)
        if name not in self._known.kinds:
            await self._ask()
        return self._known.kinds.get(name)

    def forget(self) -> None:
        """Ask again at the next need: what the cluster served may be something else now."""
        self._known.kinds = {}

    async def is_wide(self, resource: Resource[Unstructured]) -> bool:
        """Whether we may see the objects of all namespaces; always so if they are in none."""
        if not resource.namespaced:
            return True
        wide = self._known.wide
        if resource not in wide:
            try:
                await self.cluster.list(resource, options=ListOptions(limit=1))
            except Forbidden:
                wide[resource] = False
            else:
                wide[resource] = True
        return wide[resource]

    def reconsider(self, resource: Resource[Unstructured]) -> None:
        """Look again at the next need whether we may see the objects of all namespaces."""
        self._known.wide.pop(resource, None)

    async def _ask(self) -> None:
        """Ask what the cluster serves; all who come while somebody asks share the answer to the next question."""
        known = self._known
        wanted = known.questions + 1
        async with known.asking:
            if known.questions >= wanted:
                return
            known.questions += 1
            kinds: Kinds = {}
            for resource in await self.cluster.discover():
                kinds[resource.api_version, resource.plural] = resource
                kinds[resource.api_version, resource.kind] = resource
            known.kinds = kinds


class Sites:
    """The sites of one process; what is known of a cluster lives as long as its client."""

    def __init__(self) -> None:
        self._known: weakref.WeakKeyDictionary[Cluster, _Knowledge] = weakref.WeakKeyDictionary()

    def of(self, cluster: Cluster) -> Site:
        """The site of a cluster."""
        return Site(cluster, self._known.setdefault(cluster, _Knowledge()))
