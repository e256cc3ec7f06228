"""Whether an applied configuration fits its schema well enough to be merged, in the API server's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded.merging import elements, gotexts, shapes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.embedded.schemas.nodes import Node


def faults(value: Any, node: Node) -> str:
    """Everything that is wrong with the value, as one text; empty if nothing is.

    A looser check than validation against the schema: it only finds what makes field ownership impossible.
    """
    found = [f"{path}: {fault}" if path else fault for path, fault in _faults(value, node, "", node.preserve_unknown)]
    return found[0] if len(found) == 1 else "\n  ".join(["errors:", *found]) if found else ""


def _faults(value: Any, node: Node, path: str, preserve: bool) -> Iterator[tuple[str, str]]:
    """Path and text of each fault; `preserve` says whether a place above keeps unknown fields."""
    preserve = preserve or node.preserve_unknown
    if value is None:
        return
    if isinstance(value, dict) and node.type in ("object", ""):
        yield from _faults_in_map(value, node, path, preserve)
    elif isinstance(value, list) and node.type in ("array", ""):
        yield from _faults_in_list(value, node, path, preserve)
    elif node.type and (fault := _scalar_fault(value, node)):
        yield path, fault


def _faults_in_map(value: dict[str, Any], node: Node, path: str, preserve: bool) -> Iterator[tuple[str, str]]:
    free = preserve or not node.properties
    for name, inner in value.items():
        child = node.child(name)
        if child is not None:
            yield from _faults(inner, child, f"{path}.{name}", preserve)
        elif not free:
            yield f"{path}.{name}", "field not declared in schema"
            return  # as the API server, which stops at the first unknown field of a struct


def _faults_in_list(value: list[Any], node: Node, path: str, preserve: bool) -> Iterator[tuple[str, str]]:
    keys, item_node = shapes.list_keys(node), shapes.items(node)
    seen: set[str] = set()
    for index, item in enumerate(value):
        if keys is None:
            element = f"i:{index}"
        else:
            try:
                element = shapes.item_element(item, keys, item_node)
            except shapes.ShapeError as error:
                yield path, f"element {index}: {error}"
                return
        if element in seen:
            yield path, f"duplicate entries for key {elements.shown(element)}"
        seen.add(element)
        yield from _faults(item, item_node, path + elements.shown(element), preserve)


def _scalar_fault(value: Any, node: Node) -> str:
    """What is wrong with a value where the schema wants one kind of value."""
    if node.type == "object":
        return f"expected map, got &{{{gotexts.printed(value)}}}"
    if node.type == "array":
        return f"expected list, got &{{{gotexts.printed(value)}}}"
    if node.type == "boolean":
        return "" if isinstance(value, bool) else f"expected boolean, got &{{{gotexts.printed(value)}}}"
    if node.type in ("integer", "number"):
        if isinstance(value, int | float) and not isinstance(value, bool):
            return ""
        return f"expected numeric (int or float), got {gotexts.type_name(value)}"
    if node.type == "string" and node.schema.get("format", "") in ("", "byte"):
        return (
            ""
            if isinstance(value, str)
            else f"expected string, got &value.valueUnstructured{{Value:{gotexts.printed(value)}}}"
        )
    return f"expected any scalar, got &{{{gotexts.printed(value)}}}" if isinstance(value, dict | list) else ""
