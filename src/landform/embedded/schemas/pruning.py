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


def compile_part(node: Node | None, path: str) -> Callable[[Any], list[str]]:
    """The same for a part of an object that is found at a path."""
    prune_part = _Compiler().build(node)

    def prune(value: Any) -> list[str]:
        unknown: list[str] = []
        prune_part(value, path, unknown)
        return sorted(unknown)

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
        known = {name: self._drops_null(inner) for name, inner in node.properties.items()}
        is_map = node.additional is not None or node.schema.get("additionalProperties") is False
        others_drop_null = _is_described_map(node) and self._drops_null(node.additional)
        inside: dict[str, _Prune] = {}
        if is_resource:
            known |= dict.fromkeys(META_FIELDS, False)
            inside |= {"apiVersion": _keep, "kind": _keep, "metadata": self.build(OBJECT_META)}

        def prune(value: dict[str, Any], path: str, unknown: list[str]) -> None:
            doomed = []
            for name, inner in value.items():
                kind = type(inner)
                if name in known:
                    if kind is dict or kind is list:
                        prune_inner = inside.get(name) or inside.setdefault(name, self.build(node.properties[name]))
                        prune_inner(inner, f"{path}.{name}" if path else name, unknown)
                    elif inner is None and known[name]:
                        doomed.append(name)
                elif is_map:
                    if kind is dict or kind is list:
                        self._of_others(node)(inner, f"{path}.{name}" if path else name, unknown)
                    elif inner is None and others_drop_null:
                        doomed.append(name)
                elif not keeps_unknown:
                    unknown.append(f"{path}.{name}" if path else name)
                    doomed.append(name)
            for name in doomed:
                del value[name]

        return prune

    def _of_others(self, node: Node) -> _Prune:
        """For the values of a map."""
        return self.build(node.additional if _is_described_map(node) else None)

    def _drops_null(self, node: Node | None) -> bool:
        defaulted = node is not None and node.has_default and node.default is not None
        return self._drop_nulls and node is not None and not node.nullable and not defaulted


def _is_described_map(node: Node) -> bool:
    """Whether the schema says what a map's values look like; ``additionalProperties: true`` does not."""
    return node.additional is not None and node.schema.get("additionalProperties") is not True
