"""A schema as a graph of nodes, parsed once from OpenAPI v3 (of a CRD or of a built-in kind)."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any


class ListType(enum.StrEnum):
    """How the items of a list are told apart when it is merged."""

    ATOMIC = "atomic"
    SET = "set"
    MAP = "map"


@dataclass(slots=True, eq=False)
class Node:
    """One place in an object. Built-in kinds may be recursive, so nodes form a graph, not a tree."""

    type: str = ""
    """object, array, string, integer, number, boolean; empty if anything goes."""

    properties: dict[str, Node] = field(default_factory=dict)
    """Known fields of an object."""

    additional: Node | None = None
    """What a map's values look like, if the object is a map."""

    items: Node | None = None
    """What a list's items look like."""

    required: tuple[str, ...] = ()

    has_default: bool = False
    default: Any = None

    nullable: bool = False

    preserve_unknown: bool = False
    """x-kubernetes-preserve-unknown-fields, or nothing is said about the inside at all."""

    int_or_string: bool = False
    embedded_resource: bool = False

    list_type: ListType = ListType.ATOMIC
    list_map_keys: tuple[str, ...] = ()

    atomic_map: bool = False
    """x-kubernetes-map-type: atomic: the whole object has one owner."""

    patch_strategies: tuple[str, ...] = ()
    """x-kubernetes-patch-strategy of built-in kinds: merge, replace, retainKeys."""

    patch_merge_key: str = ""

    schema: Mapping[str, Any] = field(default_factory=dict)
    """The schema this node was parsed from, with references not followed: for value checks and messages."""

    def copy(self) -> Node:
        """A node of its own with the same content, whether this one was looked at before or not."""
        return Node(**{known.name: getattr(self, known.name) for known in fields(Node)})

    def child(self, name: str) -> Node | None:
        """The node of a field, if the schema knows it."""
        known = self.properties.get(name)
        return known if known is not None else self.additional


ANYTHING = Node(preserve_unknown=True)
"""A place of which no schema says anything."""


def parse(schema: Mapping[str, Any], definitions: Mapping[str, Any] | None = None) -> Node:
    """The node graph of a schema; `definitions` holds what ``#/components/schemas/NAME`` references name."""
    return _Parser(definitions or {}).parse(schema)


def parse_all(schemas: Mapping[str, Mapping[str, Any]], definitions: Mapping[str, Any]) -> dict[str, Node]:
    """The node graphs of several schemas that share the nodes of their definitions."""
    parser = _Parser(definitions)
    return {name: parser.parse(schema) for name, schema in schemas.items()}


class _Reference(Node):
    """The node of a named definition, parsed when it is first looked at.

    Built-in kinds refer to hundreds of definitions and an object uses few of them; and a recursive one would never end.
    """

    __slots__ = ("_fill",)

    def __init__(self, fill: Callable[[Node], None]) -> None:
        self._fill: Callable[[Node], None] | None = fill

    def __getattr__(self, name: str) -> Any:
        """Called while the fields of the node are still unset: set them all, then answer."""
        fill, self._fill = self._fill, None
        if fill is None:
            raise AttributeError(name)
        Node.__init__(self)
        fill(self)
        return getattr(self, name)


class _Parser:
    """Gives each definition one node, however often it is referred to."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._by_reference: dict[str, Node] = {}

    def parse(self, schema: Mapping[str, Any]) -> Node:
        """The node of a schema; a bare reference shares the node of what it names."""
        target = _reference_in(schema)
        if target is None:
            node = Node()
            self._fill(node, schema)
            return node
        named = self._by_reference.get(target)
        if named is None:
            named = self._by_reference[target] = _Reference(partial(self._fill_named, target))
        if not set(schema) - {"$ref", "allOf", "description"}:
            return named
        return _Reference(partial(self._fill_over, named, schema))

    def _fill_named(self, target: str, node: Node) -> None:
        self._fill(node, self._definitions[target])

    def _fill_over(self, named: Node, schema: Mapping[str, Any], node: Node) -> None:
        """Write on the node what the definition says, then what is said beside the reference to it."""
        for known in fields(Node):
            setattr(node, known.name, getattr(named, known.name))
        node.properties = dict(named.properties)
        self._fill(node, schema)
        node.schema = {**named.schema, **schema}

    def _fill(self, node: Node, schema: Mapping[str, Any]) -> None:
        """Write on the node what the schema itself says."""
        node.schema = schema
        node.type = schema.get("type", node.type)
        for name, inner in (schema.get("properties") or {}).items():
            node.properties[name] = self.parse(inner)
        additional = schema.get("additionalProperties")
        if isinstance(additional, Mapping):
            node.additional = self.parse(additional)
        elif additional is True:
            node.additional = ANYTHING
        if isinstance(schema.get("items"), Mapping):
            node.items = self.parse(schema["items"])
        node.required = tuple(schema.get("required", node.required))
        if "default" in schema:
            node.has_default, node.default = True, schema["default"]
        node.nullable = bool(schema.get("nullable", node.nullable))
        _fill_extensions(node, schema)


def _fill_extensions(node: Node, schema: Mapping[str, Any]) -> None:
    """Write on the node what the schema's ``x-kubernetes-`` words say."""
    node.preserve_unknown = bool(schema.get("x-kubernetes-preserve-unknown-fields", node.preserve_unknown))
    node.int_or_string = node.int_or_string or bool(
        schema.get("x-kubernetes-int-or-string") or schema.get("format") == "int-or-string"
    )
    node.embedded_resource = bool(schema.get("x-kubernetes-embedded-resource", node.embedded_resource))
    if "x-kubernetes-list-type" in schema:
        node.list_type = ListType(schema["x-kubernetes-list-type"])
    node.list_map_keys = tuple(schema.get("x-kubernetes-list-map-keys", node.list_map_keys))
    node.atomic_map = schema.get("x-kubernetes-map-type", "atomic" if node.atomic_map else "") == "atomic"
    if "x-kubernetes-patch-strategy" in schema:
        node.patch_strategies = tuple(schema["x-kubernetes-patch-strategy"].split(","))
    node.patch_merge_key = schema.get("x-kubernetes-patch-merge-key", node.patch_merge_key)


def _reference_in(schema: Mapping[str, Any]) -> str | None:
    """The definition a schema refers to, directly or as its only ``allOf``."""
    reference = schema.get("$ref")
    if reference is None:
        all_of = schema.get("allOf")
        if isinstance(all_of, list) and len(all_of) == 1 and isinstance(all_of[0], Mapping):
            reference = all_of[0].get("$ref")
    return reference.rpartition("/")[2] if isinstance(reference, str) else None
