"""Rows of custom kinds, by the JSONPath columns of their definition."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from landform.embedded.tables import ages
from landform.embedded.tables.parts import NAME, Printer, name_of
from landform.kit import jsonpath

if TYPE_CHECKING:
    from datetime import datetime

    from landform.cluster.resources import Unstructured
    from landform.embedded.catalog import Column


def printer_of(columns: tuple[Column, ...]) -> Printer:
    """The printer of a type with these columns."""
    return Printer((NAME, *columns), lambda obj, now: [name_of(obj), *(_cell(column, obj, now) for column in columns)])


@lru_cache(maxsize=1024)
def _compiled(path: str) -> jsonpath.JSONPath | None:
    """The path ready for use; None if it is none: such a column stays empty, the table is shown all the same."""
    try:
        return jsonpath.compile(f"{{{path}}}", allow_missing=True)
    except jsonpath.InvalidPath:
        return None


def _cell(column: Column, obj: Unstructured, now: datetime) -> Any:
    """The first value that the path finds, as the column's type; None, which kubectl shows as nothing, otherwise."""
    path = _compiled(column.path)
    if path is None:
        return None
    try:
        found = path.find(obj)
    except jsonpath.EvaluationError:
        return None
    if not found or not found[0]:
        return None
    return _converted(column.type, found[0][0], now)


def _converted(type_: str, value: Any, now: datetime) -> Any:
    """A value as the column's type, None if it is of another one."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match type_:
        case "string":
            return jsonpath.compile("{@}").render(value)
        case "integer" if is_number:
            return int(value)
        case "number" if is_number:
            return float(value)
        case "boolean" if isinstance(value, bool):
            return value
        case "date" if isinstance(value, str):
            return _age(value, now)
    return None


def _age(timestamp: str, now: datetime) -> str:
    try:
        return ages.since(timestamp, now)
    except ValueError:
        return ages.INVALID
