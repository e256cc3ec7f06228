"""What a program is given besides its imports: component descriptors, and the files of a blueprint.

Beside `files.from_folder` this is the one place of blueprints that does I/O: it is for deployers of programs, which
work on one item at a time and can wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.blueprints import files
from landform.components import contextobjects
from landform.components.errors import ConfigurationError
from landform.components.overwrites import ComponentReference
from landform.components.schemas import V2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.api.contexts import Context
    from landform.cluster.interface import Reader
    from landform.cluster.resources import ObjectKey
    from landform.components.resolving import ComponentContext, Resolver
    from landform.components.versions import ComponentVersion


@dataclass(frozen=True)
class Order:
    """What the configuration of a program asks for, as plain JSON data."""

    component_descriptor: Mapping[str, Any] | None = None
    """``{ref: {componentName, version, repositoryContext?}}`` or ``{inline: <descriptor>}``."""

    blueprint: Mapping[str, Any] | None = None
    """``{ref: {resourceName}}``, of that component version, or ``{inline: {filesystem: …}}``."""

    pull_secrets: tuple[ObjectKey, ...] = ()
    """Secrets with credentials besides those of the Context; one that does not exist gives none."""


@dataclass(frozen=True)
class Staged:
    """What a program is given."""

    descriptors: Mapping[str, Any] | None = None
    """``{meta: {schemaVersion: v2}, components: […]}``: the component version and all that it refers to."""

    files: Mapping[str, bytes] | None = None
    """Content of every file of the blueprint by its path, without a leading slash; links stand for their targets."""


async def stage(resolver: Resolver, reader: Reader, context: Context, order: Order) -> Staged:
    """Everything that is asked for.

    Raises a ComponentError, of which Unavailable means that it may work later, or a BlueprintError.
    """
    if not order.component_descriptor:
        return Staged(None, await _files(resolver, None, order.blueprint))
    meaning = await contextobjects.read(reader, context, order.pull_secrets)
    version = await _component(resolver, meaning, order.component_descriptor)
    return Staged(descriptor_list(version), await _files(resolver, version, order.blueprint))


def descriptor_list(version: ComponentVersion) -> dict[str, Any]:
    """The descriptors of a component version and of all that it refers to, its own first, each once."""
    return {"meta": {"schemaVersion": V2}, "components": list(version.closure)}


async def _component(resolver: Resolver, context: ComponentContext, given: Mapping[str, Any]) -> ComponentVersion:
    if given.get("inline"):
        return await resolver.resolve_inline(given["inline"], context)
    reference = given.get("ref") or {}
    name, version = reference.get("componentName"), reference.get("version")
    if not name or not version:
        raise ConfigurationError("componentDescriptor needs ref with componentName and version, or inline")
    return await resolver.resolve(ComponentReference(name, version, reference.get("repositoryContext")), context)


async def _files(
    resolver: Resolver, version: ComponentVersion | None, given: Mapping[str, Any] | None
) -> Mapping[str, bytes] | None:
    if not given:
        return None
    inline = given.get("inline")
    if inline is not None:
        return files.from_inline(inline.get("filesystem") or {}).contents()
    name = (given.get("ref") or {}).get("resourceName")
    if not name:
        raise ConfigurationError("blueprint needs ref with resourceName, or inline with filesystem")
    if version is None:
        raise ConfigurationError(f'the blueprint "{name}" is part of a component; set componentDescriptor')
    return files.from_entries(await resolver.blueprint(version, name)).contents()
