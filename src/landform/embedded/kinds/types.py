"""Kubernetes' own kinds as resource types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.embedded.catalog import ResourceType, Subresource
from landform.embedded.kinds.fields import SELECTABLE
from landform.embedded.kinds.library import ResourceFacts, SubresourceFacts, library
from landform.embedded.schemas import nodes

if TYPE_CHECKING:
    from landform.embedded.schemas.nodes import Node

_SCALE_PATHS = {
    "specReplicasPath": ".spec.replicas",
    "statusReplicasPath": ".status.replicas",
    "labelSelectorPath": ".spec.selector",
}
"""The selector of a built-in kind is an object (a plain map for ReplicationController), not the text a CRD has."""


def builtin_types() -> list[ResourceType]:
    """The types that are always served, in the API server's order, the preferred version of each group first.

    Their schemas are parsed when they are first used.
    """
    known = library()
    references = {facts.definition: {"$ref": f"#/components/schemas/{facts.definition}"} for facts in known.resources}
    schemas = nodes.parse_all(references, known)
    return [_type_of(facts, schemas[facts.definition]) for facts in known.resources]


def _type_of(facts: ResourceFacts, schema: Node) -> ResourceType:
    group, _, version = facts.group_version.rpartition("/")
    names = {subresource.name for subresource in facts.subresources}
    return ResourceType(
        group=group,
        version=version,
        kind=facts.kind,
        plural=facts.plural,
        singular=facts.singular,
        namespaced=facts.namespaced,
        list_kind=facts.kind + "List",
        short_names=facts.short_names,
        categories=facts.categories,
        schema=schema,
        openapi={"$ref": f"#/components/schemas/{facts.definition}"},
        definition_name=facts.definition,
        status="status" in names,
        scale=_SCALE_PATHS if "scale" in names else None,
        subresources=tuple(_subresource_of(subresource) for subresource in facts.subresources),
        verbs=facts.verbs,
        stored_version=version,
        selectable_fields=SELECTABLE.get((group, facts.plural), ()),
    )


def _subresource_of(facts: SubresourceFacts) -> Subresource:
    return Subresource(
        name=facts.name,
        group=facts.group,
        version=facts.version,
        kind=facts.kind,
        verbs=facts.verbs,
        definition_name=facts.definition,
    )
