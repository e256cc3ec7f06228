"""Defaults of a schema, written into objects in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from landform.embedded.schemas.objectmeta import META_FIELDS

if TYPE_CHECKING:
    from landform.embedded.schemas.nodes import Node

Defaulting = Callable[[dict[str, Any]], None]
_Fill = Callable[[Any], None]


def compile_defaults(node: Node) -> Defaulting | None:
    """What fills in the defaults of a custom resource's schema, or None if it has none.

    A default is set where its parent exists and the field is missing, or is null and may not be. Not for built-in
    kinds: their published schemas name Go's zero values as defaults.
    """
    return _Compiler().fill_of(node, skip=META_FIELDS)


def copied(value: Any) -> Any:
    """A copy that shares no object or list with the original."""
    if isinstance(value, dict):
        return {name: copied(inner) for name, inner in value.items()}
    return [copied(inner) for inner in value] if isinstance(value, list) else value


class _Compiler:
    """Makes one function per node that has defaults in or below it."""

    def __init__(self) -> None:
        self._fills: dict[Node, _Fill | None] = {}

    def fill_of(self, node: Node, skip: tuple[str, ...] = ()) -> _Fill | None:
        """What fills the inside of a value of this node; None if there is nothing to fill."""
        if node in self._fills:
            return self._fills[node]
        self._fills[node] = None  # a node that contains itself ends here: custom schemas cannot be recursive
        properties = {name: inner for name, inner in node.properties.items() if name not in skip}
        fill = _either(self._fill_object(node, properties), self._fill_list(node))
        self._fills[node] = fill
        return fill

    def _fill_object(self, node: Node, properties: dict[str, Node]) -> Callable[[dict[str, Any]], None] | None:
        defaults = [(name, inner.default, inner.nullable) for name, inner in properties.items() if _has_default(inner)]
        deeper = [(name, known) for name, inner in properties.items() if (known := self.fill_of(inner))]
        others = self._fill_others(node)
        if not defaults and not deeper and others is None:
            return None

        def fill(value: dict[str, Any]) -> None:
            for name, default, nullable in defaults:
                if name not in value or (value[name] is None and not nullable):
                    value[name] = copied(default)
            for name, fill_inner in deeper:
                inner = value.get(name)
                if inner is not None:
                    fill_inner(inner)
            if others is not None:
                others(value)

        return fill

    def _fill_others(self, node: Node) -> Callable[[dict[str, Any]], None] | None:
        """For the values of a map."""
        additional = node.additional
        if additional is None:
            return None
        fill_inner, default = self.fill_of(additional), additional.default if _has_default(additional) else None
        replaces_null = default is not None and not additional.nullable
        if fill_inner is None and not replaces_null:
            return None

        def fill(value: dict[str, Any]) -> None:
            for name in value:
                if name in node.properties:
                    continue
                if replaces_null and value[name] is None:
                    value[name] = copied(default)
                if fill_inner is not None:
                    fill_inner(value[name])

        return fill

    def _fill_list(self, node: Node) -> Callable[[list[Any]], None] | None:
        items = node.items
        if items is None:
            return None
        fill_inner, default = self.fill_of(items), items.default if _has_default(items) else None
        replaces_null = default is not None and not items.nullable
        if fill_inner is None and not replaces_null:
            return None

        def fill(value: list[Any]) -> None:
            for index, item in enumerate(value):
                if replaces_null and item is None:
                    value[index] = copied(default)
                if fill_inner is not None:
                    fill_inner(value[index])

        return fill


def _has_default(node: Node) -> bool:
    return node.has_default and node.default is not None


def _either(
    fill_object: Callable[[dict[str, Any]], None] | None, fill_list: Callable[[list[Any]], None] | None
) -> _Fill | None:
    """What acts on objects and on lists, and leaves everything else alone."""
    if fill_object is None and fill_list is None:
        return None

    def fill(value: Any) -> None:
        kind = type(value)
        if kind is dict and fill_object is not None:
            fill_object(value)
        elif kind is list and fill_list is not None:
            fill_list(value)

    return fill
