"""Following a path through nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from landform.spiff.nodes import MERGE_KEYS, Node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.spiff.nodes import List, Map

_INDEX = re.compile(r"\[(-?[0-9]+)\]")


def find(root: Node, path: Iterable[str], controls: bool, raw: bool = False) -> Node | None:
    """The node at a path, or None; unless `raw`, maps and lists that still wait for an insertion have no entries."""
    here = root
    for step in path:
        found = _step(here, step, controls, raw)
        if found is None:
            return None
        here = found
    return here


def find_text(root: Node, field: str, controls: bool, raw: bool = False) -> str | None:
    """The text in a field, or None."""
    found = find(root, (field,), controls, raw)
    return found.value if found is not None and type(found.value) is str else None


def _step(here: Node, step: str, controls: bool, raw: bool) -> Node | None:
    value = here.value
    if type(value) is dict:
        return value.get(step) if raw or is_complete_map(value, controls) else None
    if type(value) is list:
        return _list_step(value, step, here.note.key_name, controls, raw) if raw or is_complete_list(value) else None
    return None


def _list_step(entries: List, step: str, key: str, controls: bool, raw: bool) -> Node | None:
    match = _INDEX.fullmatch(step) if step.startswith("[") else None
    if match:
        index = int(match[1]) if len(match[1]) < 20 else len(entries)
        return entries[index] if -len(entries) <= index < len(entries) else None
    key = key or "name"
    colon = step.find(":")
    if colon > 0:
        key, step = step[:colon], step[colon + 1 :]
    for entry in entries:
        if type(entry.value) is dict and find_text(entry, key, controls, raw) == step:
            return entry
    return None


def insertion(node: Node) -> tuple[Node, str] | None:
    """The node that a list entry `<<: ...` inserts, with the key it stands under."""
    value = node.value
    if type(value) is dict and len(value) == 1:
        for key in MERGE_KEYS:
            if key in value:
                return value[key], key
    return None


def is_complete_map(entries: Map, controls: bool) -> bool:
    """Whether nothing is still to be inserted into a map."""
    if controls and any(key.startswith("<<") for key in entries):
        return False
    return "<<" not in entries and "<<<" not in entries


def is_complete_list(entries: List) -> bool:
    """Whether nothing is still to be inserted into a list."""
    return not any(insertion(entry) for entry in entries)
