"""What field ownership needs to know of a kind, prepared once and used for every write."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from landform.embedded.schemas import nodes

if TYPE_CHECKING:
    from collections.abc import Mapping

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

    blank: Mapping[str, Any] = field(default_factory=dict)
    """What an object of this kind holds before anybody wrote to it: nothing for custom resources, and for built-in
    kinds the structs that are always there (`zeros.zero_object`). Nobody owns what is in it."""

    api_versions: frozenset[str] | None = None
    """All versions in which the kind exists: who owns fields in another version loses them. Nothing: not checked."""

    @cached_property
    def root(self) -> Node:
        """The schema with that of ``metadata`` filled in, also in resources that are embedded in this one."""
        copies: dict[int, Node] = {}
        whole = _with_metadata(self.node, copies)
        known = {"metadata": OBJECT_META}
        if self.node.properties or not self.node.preserve_unknown:
            known |= {name: _STRING_NODE for name in ("apiVersion", "kind")}
        return replace(whole, properties={**whole.properties, **known})

    @property
    def group_version_kind(self) -> str:
        """The kind as the API server writes it in messages: ``apps/v1, Kind=Deployment``, ``/v1, Kind=Pod``."""
        group_version = self.api_version if "/" in self.api_version else f"/{self.api_version}"
        return f"{group_version}, Kind={self.kind}"


_STRING_NODE = nodes.parse(_STRING)


def _with_metadata(node: Node, copies: dict[int, Node]) -> Node:
    """A copy of the schema in which embedded resources have the schema of metadata."""
    known = copies.get(id(node))
    if known is not None:
        return known
    copy = copies[id(node)] = replace(node)
    copy.properties = {name: _with_metadata(inner, copies) for name, inner in node.properties.items()}
    if node.additional is not None:
        copy.additional = _with_metadata(node.additional, copies)
    if node.items is not None:
        copy.items = _with_metadata(node.items, copies)
    if node.embedded_resource:
        copy.properties |= {"metadata": OBJECT_META, "apiVersion": _STRING_NODE, "kind": _STRING_NODE}
    return copy
