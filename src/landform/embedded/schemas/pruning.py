"""Removal of what a schema does not know: unknown fields, and nulls where no null can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from landform.embedded.schemas.objectmeta import META_FIELDS, OBJECT_META

if TYPE_CHECKING:
    from landform.embedded.schemas.nodes import Node

Pruning = Callable[[dict[str, Any]], list[str]]

_Prune = Callable[[Any, str, list[str]], None]
"""Prunes an object or a list at a path and adds the paths of unknown fields to the list."""


def compile_pruning(node: Node) -> Pruning:
    """What removes unknown fields from an object, in place, and returns their sorted paths.

    A level with ``x-kubernetes-preserve-unknown-fields`` keeps what is unknown there, but the fields it does name are
    pruned by their own schemas. Metadata is pruned to the fields that metadata can have. Nulls of fields that are
    neither nullable nor have a default are removed too, silently, as the API server does.
    """
    prune_rest = _Compiler().build_root(node)

    def prune(obj: dict[str, Any]) -> list[str]:
        unknown: list[str] = []
        prune_rest(obj, "", unknown)
        if len(unknown) > 1:
            unknown.sort(key=lambda path: (not path.startswith("metadata."), path))
        return unknown

    return prune


def pruned_part(node: Node, value: Any) -> Any:
    """A value of a part of an object after pruning it, in place; nulls stay."""
    _Compiler(drop_nulls=False).build(node)(value, "", [])
    return value


def _strip(value: Any, path: str, unknown: list[str]) -> None:
    """Remove all fields: nothing is known here."""
    if type(value) is dict:
        unknown += [f"{path}.{name}" for name in value]
        value.clear()
    elif type(value) is list:
        for index, item in enumerate(value):
            _strip(item, f"{path}[{index}]", unknown)


def _keep(value: Any, path: str, unknown: list[str]) -> None:
    """Remove nothing."""


class _Compiler:
    """Makes one function per node, and only for nodes that objects reach."""

    def __init__(self, *, drop_nulls: bool = True) -> None:
        self._built: dict[tuple[Node, bool], _Prune] = {}
        self._drop_nulls = drop_nulls

    def build_root(self, node: Node) -> _Prune:
        """For a whole object: apiVersion, kind and metadata are always known."""
        return self._prune(node, keeps_unknown=node.preserve_unknown, is_resource=True)

    def build(self, node: Node | None, *, keeps_unknown: bool = False) -> _Prune:
        """For a value of this node; `keeps_unknown` if the list it is an item of preserves unknown fields."""
        if node is None:
            return _keep if keeps_unknown else _strip
        key = (node, keeps_unknown)
        known = self._built.get(key)
        if known is None:
            keeps = keeps_unknown or node.preserve_unknown
            known = self._built[key] = self._prune(node, keeps_unknown=keeps, is_resource=node.embedded_resource)
        return known

    def _prune(self, node: Node, *, keeps_unknown: bool, is_resource: bool) -> _Prune:
        prune_object = self._prune_object(node, keeps_unknown=keeps_unknown, is_resource=is_resource)

        def prune(value: Any, path: str, unknown: list[str]) -> None:
            kind = type(value)
            if kind is dict:
                prune_object(value, path, unknown)
            elif kind is list:
                prune_item = self.build(node.items, keeps_unknown=keeps_unknown)
                if prune_item is not _keep:
                    for index, item in enumerate(value):
                        if type(item) is dict or type(item) is list:
                            prune_item(item, f"{path}[{index}]", unknown)

        return prune

    def _prune_object(self, node: Node, *, keeps_unknown: bool, is_resource: bool) -> _Prune:
        properties = node.properties
        is_map = node.additional is not None or node.schema.get("additionalProperties") is False
        drops_null: dict[str, bool] = {name: self._drops_null(inner) for name, inner in properties.items()}
        others_drop_null = _is_described_map(node) and self._drops_null(node.additional)
        always_known = META_FIELDS if is_resource else ()

        def prune(value: dict[str, Any], path: str, unknown: list[str]) -> None:
            doomed = None
            for name, inner in value.items():
                kind = type(inner)
                if name in always_known:
                    if name == "metadata" and kind is dict:
                        self.build(OBJECT_META)(inner, f"{path}.{name}" if path else name, unknown)
                    continue
                if name in drops_null:
                    keep = inner is not None or not drops_null[name]
                elif is_map:
                    keep = inner is not None or not others_drop_null
                else:
                    keep = keeps_unknown
                    if not keep:
                        unknown.append(f"{path}.{name}" if path else name)
                    kind = _Untouched
                if not keep:
                    doomed = [name] if doomed is None else [*doomed, name]
                elif kind is dict or kind is list:
                    self._of_field(node, name)(inner, f"{path}.{name}" if path else name, unknown)
            for name in doomed or ():
                del value[name]

        return prune

    def _of_field(self, node: Node, name: str) -> _Prune:
        inner = node.properties.get(name)
        if inner is None and _is_described_map(node):
            inner = node.additional
        return self.build(inner)

    def _drops_null(self, node: Node | None) -> bool:
        defaulted = node is not None and node.has_default and node.default is not None
        return self._drop_nulls and node is not None and not node.nullable and not defaulted


class _Untouched:
    """Stands for the type of a value that must not be looked into."""


def _is_described_map(node: Node) -> bool:
    """Whether the schema says what a map's values look like; ``additionalProperties: true`` does not."""
    return node.additional is not None and node.schema.get("additionalProperties") is not True
