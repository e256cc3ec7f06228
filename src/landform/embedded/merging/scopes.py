"""What field ownership needs to know of a kind, prepared once and used for every write."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from landform.embedded.merging.zeros import zero_object
from landform.embedded.schemas import nodes

if TYPE_CHECKING:
    from landform.embedded.merging.fieldsets import FieldSet
    from landform.embedded.schemas.nodes import Node

_STRING = {"type": "string"}
_TIME = {"type": "string", "format": "date-time"}
_INTEGER = {"type": "integer", "format": "int64"}
_STRINGS = {"type": "object", "additionalProperties": _STRING}

OBJECT_META = nodes.parse(
    {
        "type": "object",
        "properties": {
            "annotations": _STRINGS,
            "creationTimestamp": _TIME,
            "deletionGracePeriodSeconds": _INTEGER,
            "deletionTimestamp": _TIME,
            "finalizers": {"type": "array", "items": _STRING, "x-kubernetes-list-type": "set"},
            "generateName": _STRING,
            "generation": _INTEGER,
            "labels": _STRINGS,
            "managedFields": {
                "type": "array",
                "items": {"x-kubernetes-preserve-unknown-fields": True},
                "x-kubernetes-list-type": "atomic",
            },
            "name": _STRING,
            "namespace": _STRING,
            "ownerReferences": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "apiVersion": _STRING,
                        "blockOwnerDeletion": {"type": "boolean"},
                        "controller": {"type": "boolean"},
                        "kind": _STRING,
                        "name": _STRING,
                        "uid": _STRING,
                    },
                    "x-kubernetes-map-type": "atomic",
                },
                "x-kubernetes-list-map-keys": ["uid"],
                "x-kubernetes-list-type": "map",
            },
            "resourceVersion": _STRING,
            "selfLink": _STRING,
            "uid": _STRING,
        },
    }
)
"""The schema of ``metadata``, which a custom resource's own schema leaves open."""


@dataclass(frozen=True)
class Scope:
    """One kind in one version, and the part of it that a request writes to."""

    node: Node
    """The schema of the whole object."""

    api_version: str
    kind: str
    subresource: str = ""
    """``status`` for writes to the status; their fields are owned apart from those of the object itself."""

    ignored: FieldSet = field(default_factory=dict)
    """Fields that a write of this scope cannot change, with all below them: ``{"f:status": {}}`` for the object
    itself if it has a status subresource, ``{"f:spec": {}}`` for the status."""

    built_in: bool = False
    """Whether the kind is one of the API server's own types: their structs are always there and owned by nobody, and
    they cannot hold null. Objects of custom kinds hold exactly what was written."""

    api_versions: frozenset[str] | None = None
    """All versions in which the kind exists: who owns fields in another version loses them. Nothing: not checked."""

    @cached_property
    def root(self) -> Node:
        """The schema, with that of ``metadata`` where a custom kind's own leaves it open."""
        if self.built_in:
            return self.node
        whole = _with_metadata(self.node)
        whole.properties |= _RESOURCE
        return whole

    @property
    def blank(self) -> dict[str, Any]:
        """What an object of this kind holds before anybody wrote to it."""
        return zero_object(self.api_version, self.kind) if self.built_in else {}


def group_version_kind(api_version: str, kind: str) -> str:
    """A kind as the API server writes it in messages: ``apps/v1, Kind=Deployment``, ``/v1, Kind=Pod``."""
    return f"{api_version if '/' in api_version else f'/{api_version}'}, Kind={kind}"


_RESOURCE = {"apiVersion": nodes.parse(_STRING), "kind": nodes.parse(_STRING), "metadata": OBJECT_META}
"""The fields of every resource."""


def _with_metadata(node: Node) -> Node:
    """A copy of a custom kind's schema in which resources inside of it have the schema of metadata."""
    copy = node.copy()
    copy.properties = {name: _with_metadata(inner) for name, inner in node.properties.items()}
    if node.additional is not None:
        copy.additional = _with_metadata(node.additional)
    if node.items is not None:
        copy.items = _with_metadata(node.items)
    if node.embedded_resource:
        copy.properties |= _RESOURCE
    return copy
