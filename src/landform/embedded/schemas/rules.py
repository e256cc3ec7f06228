"""What a schema demands of a value, read once from a node, for the fast and for the explaining validator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from landform.embedded.schemas import formats, patterns
from landform.embedded.schemas.nodes import ANYTHING, ListType, Node, parse

_OF_BUILTIN = "x-kubernetes-group-version-kind"
"""The published schemas of built-in kinds say this at their root, those of custom resources cannot."""


@dataclass(slots=True, eq=False)
class Rules:
    """The demands at one place of an object. Like nodes, they may form a cycle."""

    types: tuple[str, ...] = ()
    """Accepted JSON types; empty if any will do."""

    nullable: bool = False
    properties: dict[str, Rules] = field(default_factory=dict)
    additional: Rules | None = None
    closed: bool = False
    """Whether properties that are not listed are forbidden (``additionalProperties: false``)."""

    items: Rules | None = None
    required: tuple[str, ...] = ()

    format: str = ""
    """Only a format that is checked; all others are left out."""

    format_check: formats.Accepts | None = None
    enum: tuple[Any, ...] = ()
    pattern: str = ""
    pattern_check: patterns.Matches | None = None
    min_length: int | None = None
    max_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    multiple_of: float | None = None
    min_items: int | None = None
    max_items: int | None = None
    unique_items: bool = False
    min_properties: int | None = None
    max_properties: int | None = None

    all_of: tuple[Rules, ...] = ()
    any_of: tuple[Rules, ...] = ()
    one_of: tuple[Rules, ...] = ()
    negated: Rules | None = None

    list_type: ListType = ListType.ATOMIC
    list_map_keys: tuple[str, ...] = ()
    embedded_resource: bool = False


def rules_of(node: Node) -> Rules:
    """The rules of a node, read when they are first looked at; RegexError then if a pattern cannot be compiled."""
    return _Reader(is_builtin=_OF_BUILTIN in node.schema).read(node)


class _Unread(Rules):
    """Rules that are read when they are first looked at: built-in kinds have thousands, and may be recursive."""

    __slots__ = ("_fill",)

    def __init__(self, fill: Callable[[Rules], None]) -> None:
        self._fill: Callable[[Rules], None] | None = fill

    def __getattr__(self, name: str) -> Any:
        """Called while the fields are still unset: set them all, then answer."""
        fill, self._fill = self._fill, None
        if fill is None:
            raise AttributeError(name)
        Rules.__init__(self)
        fill(self)
        return getattr(self, name)


class _Reader:
    """Gives each node one set of rules."""

    def __init__(self, *, is_builtin: bool) -> None:
        self._known: dict[Node, Rules] = {}
        self._format_check = formats.builtin_check_of if is_builtin else formats.check_of

    def read(self, node: Node) -> Rules:
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = _Unread(partial(self._fill, node))
        return known

    def _fill(self, node: Node, rules: Rules) -> None:
        rules.types = ("integer", "string") if node.int_or_string else (node.type,) if node.type else ()
        rules.nullable = node.nullable
        rules.properties = {name: self.read(inner) for name, inner in node.properties.items()}
        if node.additional is not None and node.additional is not ANYTHING:
            rules.additional = self.read(node.additional)
        rules.closed = node.schema.get("additionalProperties") is False
        rules.items = self.read(node.items) if node.items is not None else None
        rules.required = node.required
        rules.list_type, rules.list_map_keys = node.list_type, node.list_map_keys
        rules.embedded_resource = node.embedded_resource
        _fill_value_checks(rules, node.schema)
        format_ = node.schema.get("format") or ""
        rules.format_check = self._format_check(format_)
        rules.format = format_ if rules.format_check else ""
        rules.all_of = self._branches(node.schema, "allOf")
        rules.any_of = self._branches(node.schema, "anyOf")
        rules.one_of = self._branches(node.schema, "oneOf")
        negated = node.schema.get("not")
        rules.negated = self.read(parse(negated)) if isinstance(negated, Mapping) else None

    def _branches(self, schema: Mapping[str, Any], word: str) -> tuple[Rules, ...]:
        """Alternatives; a reference among them is how built-in kinds name another kind, and the node holds that one."""
        branches = schema.get(word) or ()
        return tuple(self.read(parse(branch)) for branch in branches if "$ref" not in branch)


def _fill_value_checks(rules: Rules, schema: Mapping[str, Any]) -> None:
    rules.enum = tuple(schema.get("enum") or ())
    rules.pattern = schema.get("pattern") or ""
    rules.pattern_check = patterns.compile_pattern(rules.pattern) if rules.pattern else None
    rules.min_length, rules.max_length = schema.get("minLength"), schema.get("maxLength")
    rules.minimum, rules.maximum = schema.get("minimum"), schema.get("maximum")
    rules.exclusive_minimum = bool(schema.get("exclusiveMinimum"))
    rules.exclusive_maximum = bool(schema.get("exclusiveMaximum"))
    rules.multiple_of = schema.get("multipleOf")
    rules.min_items, rules.max_items = schema.get("minItems"), schema.get("maxItems")
    rules.unique_items = bool(schema.get("uniqueItems"))
    rules.min_properties, rules.max_properties = schema.get("minProperties"), schema.get("maxProperties")
