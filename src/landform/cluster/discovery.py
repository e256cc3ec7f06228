"""What a cluster serves: its discovery documents, aggregated or one by one, as resources."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec

from landform.cluster.errors import ApiError, NotFound, Unreadable
from landform.cluster.resources import Resource, Unstructured

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    Fetch = Callable[[str, str], Awaitable[bytes]]
    """Reads a path, given what is accepted."""

log = logging.getLogger(__name__)

JSON = "application/json"
AGGREGATED = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    f"{JSON}"
)
"""Prefer all in one document, take the plain one from clusters that do not have it."""


async def discover(fetch: Fetch) -> list[Resource[Unstructured]]:
    """Every resource that the cluster serves, the preferred version of each group first."""
    found: list[Resource[Unstructured]] = []
    for root in ("/api", "/apis"):
        try:
            document = await fetch(root, AGGREGATED)
        except NotFound:
            continue  # a cluster of custom resources only has no core group
        if _decode(document, _Kind).kind == "APIGroupDiscoveryList":
            found.extend(_aggregated(_decode(document, _GroupDiscoveryList)))
        else:
            for group, version in _versions(root, document):
                found.extend(await _one_by_one(fetch, root, group, version))
    return found


class _Kind(msgspec.Struct):
    kind: str = ""


class _GroupVersionKind(msgspec.Struct):
    kind: str = ""
    group: str = ""
    version: str = ""


class _ResourceDiscovery(msgspec.Struct, rename="camel"):
    resource: str
    scope: str
    response_kind: _GroupVersionKind | None = None


class _VersionDiscovery(msgspec.Struct):
    version: str
    resources: list[_ResourceDiscovery] | None = None


class _Name(msgspec.Struct):
    name: str = ""


class _GroupDiscovery(msgspec.Struct):
    metadata: _Name = msgspec.field(default_factory=_Name)
    versions: list[_VersionDiscovery] | None = None


class _GroupDiscoveryList(msgspec.Struct):
    items: list[_GroupDiscovery] | None = None


class _GroupVersion(msgspec.Struct):
    version: str


class _Group(msgspec.Struct, rename="camel"):
    name: str
    versions: list[_GroupVersion] | None = None
    preferred_version: _GroupVersion | None = None


class _Groups(msgspec.Struct):
    """Both `/api` (versions) and `/apis` (groups)."""

    versions: list[str] | None = None
    groups: list[_Group] | None = None


class _ApiResource(msgspec.Struct):
    name: str
    kind: str
    namespaced: bool = False


class _ApiResourceList(msgspec.Struct):
    resources: list[_ApiResource] | None = None


T = TypeVar("T")


def _decode(document: bytes, type: type[T]) -> T:
    try:
        return msgspec.json.decode(document, type=type)
    except msgspec.DecodeError as fault:
        raise Unreadable(f"the cluster's discovery document is not readable: {fault}") from fault


def _aggregated(document: _GroupDiscoveryList) -> Iterator[Resource[Unstructured]]:
    for group in document.items or ():
        for version in group.versions or ():
            for each in version.resources or ():
                if each.response_kind is not None:
                    yield Resource(
                        group.metadata.name,
                        version.version,
                        each.response_kind.kind,
                        each.resource,
                        each.scope == "Namespaced",
                        dict,
                    )


def _versions(root: str, document: bytes) -> Iterator[tuple[str, str]]:
    """The groups and versions that the plain documents name, the preferred version first."""
    groups = _decode(document, _Groups)
    for version in groups.versions or ():
        yield "", version
    for group in groups.groups or ():
        preferred = group.preferred_version
        for version in sorted((each.version for each in group.versions or ()), key=partial(_is_other, preferred)):
            yield group.name, version


def _is_other(preferred: _GroupVersion | None, version: str) -> bool:
    return preferred is None or version != preferred.version


async def _one_by_one(fetch: Fetch, root: str, group: str, version: str) -> list[Resource[Unstructured]]:
    path = f"{root}/{group}/{version}" if group else f"{root}/{version}"
    try:
        document = _decode(await fetch(path, JSON), _ApiResourceList)
    except ApiError as fault:
        # The server behind one aggregated API may be down; all others can be used still.
        log.warning("the cluster does not tell what it serves at %s: %s", path, fault)
        return []
    return [
        Resource(group, version, each.kind, each.name, each.namespaced, dict)
        for each in document.resources or ()
        if "/" not in each.name
    ]
