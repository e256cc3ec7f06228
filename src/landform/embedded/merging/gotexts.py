"""JSON values as Go prints them, for messages that repeat the API server's words."""

from __future__ import annotations

from typing import Any

_TYPES = {
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    dict: "map[string]interface {}",
    list: "[]interface {}",
}


def printed(value: Any) -> str:
    """The value as Go's ``%v`` shows it."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{name}:{printed(value[name])}" for name in sorted(value)) + "]"
    if isinstance(value, list):
        return "[" + " ".join(printed(item) for item in value) + "]"
    return str(value)


def type_name(value: Any) -> str:
    """The value's type as Go's ``%T`` shows it."""
    return _TYPES.get(value.__class__, "<nil>")
