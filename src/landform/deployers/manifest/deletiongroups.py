"""Deletion groups: which objects are deleted together, and in which order; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from landform.deployers.manifest import objects
from landform.deployers.manifest.configuration import DeletionGroup, PredefinedGroup, PredefinedType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from landform.cluster.resources import Resource, Unstructured
    from landform.deployers.manifest.configuration import ResourceType
    from landform.deployers.manifest.memory import ManagedResource

DEFAULT: Final = tuple(
    DeletionGroup(predefined_resource_group=PredefinedGroup(type=type_))
    for type_ in (PredefinedType.NAMESPACED, PredefinedType.CLUSTER_SCOPED, PredefinedType.CRDS)
)
"""What is deleted in which order when the configuration says nothing."""


@dataclass(frozen=True)
class Doomed:
    """A remembered object that is to be deleted."""

    memory: ManagedResource
    resource: Resource[Unstructured]


def assigned(groups: Sequence[DeletionGroup], doomed: Iterable[Doomed]) -> list[list[Doomed]]:
    """The objects of each group: each is in the first that it matches, and in none if it matches none."""
    members: list[list[Doomed]] = [[] for _ in groups]
    for each in doomed:
        place = next((number for number, group in enumerate(groups) if matches(group, each)), None)
        if place is not None:
            members[place].append(each)
    return members


def matches(group: DeletionGroup, doomed: Doomed) -> bool:
    """Whether an object belongs to a group."""
    if group.predefined_resource_group is not None:
        return _is_of_type(group.predefined_resource_group.type, doomed)
    custom = group.custom_resource_group
    if custom is None or custom.target_name:
        return False
    return any(_is_of_kind(type_, doomed) for type_ in custom.resources or ())


def _is_of_type(type_: str, doomed: Doomed) -> bool:
    reference = doomed.memory.resource
    is_definition = objects.is_definition({"apiVersion": reference.api_version, "kind": reference.kind})
    match type_:
        case PredefinedType.NAMESPACED:
            return doomed.resource.namespaced
        case PredefinedType.CLUSTER_SCOPED:
            return not doomed.resource.namespaced and not is_definition
        case PredefinedType.CRDS:
            return is_definition
    return False


def _is_of_kind(type_: ResourceType, doomed: Doomed) -> bool:
    """Whether the object is of the kind; the documentation of the original writes plural names, so both count."""
    resource, reference = doomed.resource, doomed.memory.resource
    return (
        reference.api_version == type_.api_version
        and type_.kind in (resource.kind, resource.plural)
        and (not type_.names or reference.name in type_.names)
        and (not type_.namespaces or reference.key.namespace in type_.namespaces)
    )
