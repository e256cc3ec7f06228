"""By what Installations and what belongs to them are found, so that no decision looks at a whole namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from landform.api import jobs, scopes
from landform.api.names import Label
from landform.api.phases import Phase
from landform.cluster.kinds import CONTEXTS, DATA_OBJECTS, TARGETS
from landform.cluster.resources import CONFIG_MAPS, SECRETS
from landform.installations import relations
from landform.installations.relations import Flow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.api.installations import Installation
    from landform.api.structs import Kind
    from landform.cluster.resources import Resource, Unstructured
    from landform.installations.relations import Reference

CHILDREN: Final = "installations.children"
"""Installations by the uid of their parent."""

EXPORTS: Final = "installations.exports"
"""Installations by what they export, see `in_scope`."""

IMPORTS: Final = "installations.imports"
"""Installations by what they import, see `in_scope`."""

WAITING: Final = "installations.waiting"
"""Installations in phase Init by the objects that they read there, see `about`."""

CONTEXT: Final = "installations.context"
"""DataObjects and Targets by the scope that they are in."""

SOURCE: Final = "installations.source"
"""DataObjects and Targets by who wrote them."""

CONTROLLER: Final = "installations.controller"
"""Secrets by the uid of their controller."""


def in_scope(namespace: str, scope: str, reference: Reference) -> str:
    """The index value of a name in a scope."""
    return f"{namespace}/{scope}/{reference.flow}/{reference.name}"


def about(resource: Resource[Any], namespace: str, name: str) -> str:
    """The index value of an object."""
    return f"{resource.plural}/{namespace}/{name}"


def labelled(namespace: str, scope: str) -> str:
    """The index value of a scope or a source in a namespace."""
    return f"{namespace}/{scope}"


def children(installation: Installation) -> Iterator[str]:
    """For `CHILDREN`."""
    owner = relations.owner_of(installation)
    if owner is not None:
        yield owner.uid


def exports(installation: Installation) -> Iterator[str]:
    """For `EXPORTS`."""
    namespace, scope = installation.metadata.namespace or "", relations.scope_of(installation)
    for reference in relations.exports_of(installation):
        yield in_scope(namespace, scope, reference)


def imports(installation: Installation) -> Iterator[str]:
    """For `IMPORTS`."""
    namespace, scope = installation.metadata.namespace or "", relations.scope_of(installation)
    for reference in relations.imports_of(installation):
        yield in_scope(namespace, scope, reference)


def waiting(installation: Installation) -> Iterator[str]:
    """For `WAITING`: only those that wait, so that a change of what thousands have read long ago wakes none."""
    if installation.status.phase != Phase.INIT or not jobs.is_busy(installation.status):
        return
    namespace, scope = installation.metadata.namespace or "", relations.scope_of(installation)
    yield about(CONTEXTS, namespace, installation.spec.context or "")
    resources: dict[Flow, Resource[Any]] = {Flow.DATA: DATA_OBJECTS, Flow.TARGET: TARGETS}
    for reference in relations.imports_of(installation):
        yield about(resources[reference.flow], namespace, scopes.object_name(scope, reference.name))
    for data in installation.spec.imports.data or ():
        if data.secret_ref is not None:
            yield about(SECRETS, namespace, data.secret_ref.name)
        if data.config_map_ref is not None:
            yield about(CONFIG_MAPS, namespace, data.config_map_ref.name)


def context(obj: Kind) -> Iterator[str]:
    """For `CONTEXT`."""
    if scope := (obj.metadata.labels or {}).get(Label.DATA_CONTEXT):
        yield labelled(obj.metadata.namespace or "", scope)


def source(obj: Kind) -> Iterator[str]:
    """For `SOURCE`."""
    if writer := (obj.metadata.labels or {}).get(Label.DATA_SOURCE):
        yield labelled(obj.metadata.namespace or "", writer)


def controller(secret: Unstructured) -> Iterator[str]:
    """For `CONTROLLER`."""
    for owner in secret["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            yield owner["uid"]
