"""Which component version and blueprint a sub-installation gets that names its blueprint by a `cd://` URI. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.components import descriptors, selection, uris, versions
from landform.components.errors import InvalidReference
from landform.components.overwrites import ComponentReference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.components.versions import ComponentVersion


@dataclass(frozen=True)
class Child:
    """What a sub-installation says about its component and its blueprint."""

    resource_name: str
    """The blueprint's resource in that component version."""

    reference: ComponentReference | None = None
    """The component version, if it is looked up in a repository."""

    inline: Mapping[str, Any] | None = None
    """Its descriptor, if the parent carries it in itself."""


def child_of(parent: ComponentVersion, uri: str, *, parent_is_inline: bool) -> Child:
    """The component version and the blueprint that a URI means, as seen from a parent.

    Versions are those that references name: overwrites are applied anew when the child is resolved.
    """
    target = uris.parse(uri)
    if target.resource is None:
        raise InvalidReference(f"the URI {uri!r} names no resource; a blueprint is a resource")
    if not target.references:
        return _same(parent, target.resource, parent_is_inline)
    holder = parent.follow(target.references[:-1])
    reference = selection.reference_named(holder, target.references[-1])
    # Told of a missing blueprint here, where the URI is written, and not in a child that cannot start.
    selection.resource_named(parent.follow(target.references), target.resource)
    nested = versions.nested_descriptor(reference) if parent_is_inline else None
    if nested is not None:
        return Child(target.resource, inline=nested)
    wanted = ComponentReference(reference["componentName"], reference["version"], parent.repository_context)
    return Child(target.resource, wanted)


def _same(parent: ComponentVersion, resource: str, parent_is_inline: bool) -> Child:
    """A blueprint of the parent's own component version."""
    selection.resource_named(parent.descriptor, resource)
    if parent_is_inline:
        return Child(resource, inline=parent.descriptor)
    context = descriptors.effective_repository_context(parent.descriptor) or parent.repository_context
    return Child(resource, ComponentReference(parent.name, parent.version, context))
