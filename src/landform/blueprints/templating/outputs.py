"""Outputs: what a rendered document means to an execution.

Field names are matched as Go does it: exactly, else regardless of capital letters. What an execution does not know is
ignored at the top and kept below, where others decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from landform.blueprints.templating.states import ExecutionKind


class OutputError(Exception):
    """A document is not what the execution must give."""


@dataclass(frozen=True)
class Output:
    """What one execution gave."""

    value: Any
    """A list of maps, a map of exports, or the bindings of an import execution."""
    state: Any = None
    """The state that it wants to be kept; None if it says nothing."""
    errors: tuple[str, ...] = ()
    """What an import execution found wrong."""


_Fields = Mapping[str, Any]
"""Names of fields, each with the names of those below it; None where nothing below has a fixed name."""

_NAMES = {
    ExecutionKind.IMPORT: "bindings",
    ExecutionKind.SUBINSTALLATION: "subinstallations",
    ExecutionKind.DEPLOY: "deployItems",
    ExecutionKind.EXPORT: "exports",
}
_ITEM_FIELDS: _Fields = {
    "name": None,
    "type": None,
    "target": {"import": None, "index": None, "key": None, "name": None},
    "labels": None,
    "config": None,
    "dependsOn": None,
    "timeout": None,
    "updateOnChangeOnly": None,
    "onDelete": {"skipUninstallIfClusterRemoved": None},
}
_TEMPLATE_FIELDS: _Fields = {
    "apiVersion": None,
    "kind": None,
    "name": None,
    "blueprint": {"ref": None, "filesystem": None},
    "imports": {
        "data": {
            "name": None,
            "dataRef": None,
            "version": None,
            "secretRef": {"name": None, "key": None},
            "configMapRef": {"name": None, "key": None},
        },
        "targets": dict.fromkeys(("name", "target", "targets", "targetListRef", "targetMap", "targetMapRef")),
    },
    "importDataMappings": None,
    "exports": {"data": {"name": None, "dataRef": None}, "targets": {"name": None, "target": None}},
    "exportDataMappings": None,
    "optimization": {"hasNoSiblingImports": None, "hasNoSiblingExports": None},
}


def read(document: Any, kind: ExecutionKind) -> Output:
    """What a document says; an empty one says nothing. OutputError if it has another shape."""
    fields = _map(document, "the output")
    name = _NAMES[kind]
    value = _field(fields, name)
    state = _field(fields, "state")
    match kind:
        case ExecutionKind.IMPORT:
            return Output(_map(value, name), errors=_errors(_field(fields, "errors")))
        case ExecutionKind.EXPORT:
            return Output(_map(value, name), state)
        case ExecutionKind.DEPLOY:
            return Output(_entries(value, name, _ITEM_FIELDS), state)
        case ExecutionKind.SUBINSTALLATION:
            return Output(_entries(value, name, _TEMPLATE_FIELDS), state)


def merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Two maps as one: maps inside are merged, otherwise the second wins."""
    result = dict(first)
    for key, value in second.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return result


def _field(fields: Mapping[str, Any], name: str) -> Any:
    if name in fields:
        return fields[name]
    return next((value for key, value in fields.items() if key.lower() == name.lower()), None)


def _map(value: Any, name: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise OutputError(f"{name} must be a map, not {_kind(value)}")
    return value


def _entries(value: Any, name: str, fields: _Fields) -> list[dict[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise OutputError(f"{name} must be a list, not {_kind(value)}")
    for index, entry in enumerate(value):
        if not isinstance(entry, dict):
            raise OutputError(f"{name}[{index}] must be a map, not {_kind(entry)}")
    return [_canonical(entry, fields) for entry in value]


def _errors(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(error, str) for error in value):
        raise OutputError("errors must be a list of texts")
    return tuple(value)


def _canonical(value: Any, fields: _Fields | None) -> Any:
    """A value with its fields called as they are written in the specification."""
    if fields is None:
        return value
    if isinstance(value, list):
        return [_canonical(inner, fields) for inner in value]
    if not isinstance(value, dict):
        return value
    known = {name.lower(): name for name in fields}
    result = {}
    for key, inner in value.items():
        name = known.get(key.lower())
        # Of a name that is written in two ways, the exact one counts.
        chosen = key if name is None or name in value else name
        result[chosen] = _canonical(inner, fields.get(chosen))
    return result


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    return {list: "a list", dict: "a map", str: "a text", type(None): "nothing"}.get(type(value), "a number")
