"""What the embedded API serves: its resource types, looked up by the words of a URL.

The catalog holds the built-in types from the start; the definitions controller adds and removes those of CRDs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from landform.embedded.schemas.nodes import ANYTHING, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class GroupResource(NamedTuple):
    """A resource whatever the version: what the store files objects under."""

    group: str
    plural: str

    def __str__(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural


@dataclass(frozen=True)
class Column:
    """One column of ``kubectl get``."""

    name: str
    type: str
    path: str
    """JSONPath of the cell's value, such as ``.status.phase``."""

    format: str = ""
    description: str = ""
    priority: int = 0
    """0 = always shown, more = only with ``-o wide``."""


@dataclass(frozen=True)
class Subresource:
    """A part of a resource with a URL of its own, such as ``deployments/scale``."""

    name: str
    group: str
    """Group of the kind that the subresource takes and answers, often another one than the resource's."""

    version: str
    kind: str
    verbs: tuple[str, ...]
    definition_name: str = ""
    """Name of that kind in OpenAPI documents."""


@dataclass(frozen=True, eq=False)
class ResourceType:
    """One resource as served in one version."""

    group: str
    version: str
    kind: str
    plural: str
    singular: str
    namespaced: bool
    list_kind: str
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    schema: Node = ANYTHING
    """The parsed schema: validation, defaulting, pruning and merging read it."""

    openapi: Mapping[str, Any] = field(default_factory=dict)
    """The schema as OpenAPI v3, for documents; references name entries of the built-in definitions."""

    definition_name: str = ""
    """Name in OpenAPI documents, such as ``io.k8s.api.apps.v1.Deployment``."""

    columns: tuple[Column, ...] = ()

    status: bool = False
    """Whether status is written through its own subresource."""

    scale: Mapping[str, str] | None = None
    """Paths of the scale subresource: specReplicasPath, statusReplicasPath, labelSelectorPath."""

    subresources: tuple[Subresource, ...] = ()
    """All that documents list, status and scale among them."""

    custom: bool = False
    """Whether a CustomResourceDefinition defines it."""

    deprecation: str = ""
    """Warning that every answer carries, for a version that should no longer be used."""

    verbs: tuple[str, ...] = (
        "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch",
    )  # fmt: skip

    stored_version: str = ""
    """The version written to disk; the type's own version unless a CRD stores another one."""

    selectable_fields: tuple[str, ...] = ()
    """Paths that field selectors may name besides metadata.name and metadata.namespace."""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_resource(self) -> GroupResource:
        return GroupResource(self.group, self.plural)


class Catalog:
    """The served types. `revision` grows with every change, so that documents made from it can be cached."""

    def __init__(self, builtin: Iterable[ResourceType] = ()) -> None:
        self._types: dict[tuple[str, str, str], ResourceType] = {}
        self._preferred: dict[GroupResource, list[ResourceType]] = {}
        self.revision = 0
        for type_ in builtin:
            self.add(type_)

    def add(self, type_: ResourceType) -> None:
        """Serve a type; one of the same name and version is replaced. The first version added is the preferred one."""
        self._types[type_.group, type_.version, type_.plural] = type_
        versions = self._preferred.setdefault(type_.group_resource, [])
        for index, known in enumerate(versions):
            if known.version == type_.version:
                versions[index] = type_
                break
        else:
            versions.append(type_)
        self.revision += 1

    def remove(self, resource: GroupResource) -> None:
        """Serve a resource no longer, in any version."""
        for type_ in self._preferred.pop(resource, ()):
            del self._types[type_.group, type_.version, type_.plural]
        self.revision += 1

    def find(self, group: str, version: str, plural: str) -> ResourceType | None:
        """The type that a URL names."""
        return self._types.get((group, version, plural))

    def versions(self, resource: GroupResource) -> list[ResourceType]:
        """All served versions of a resource, preferred first."""
        return self._preferred.get(resource, [])

    def of_kind(self, group: str, kind: str) -> ResourceType | None:
        """The preferred type of a kind, as owner references name it."""
        for versions in self._preferred.values():
            if versions[0].group == group and versions[0].kind == kind:
                return versions[0]
        return None

    def __iter__(self) -> Iterator[ResourceType]:
        """Every type in every version, in the order they were added."""
        for versions in self._preferred.values():
            yield from versions
