"""What the tables of built-in kinds are made of: columns, and the few phrases that many cells share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from landform.cluster.selectors import selector_from_object
from landform.embedded.catalog import Column
from landform.embedded.tables import ages

if TYPE_CHECKING:
    from datetime import datetime

    from landform.cluster.resources import Unstructured

NONE = "<none>"
UNSET = "<unset>"

Cells: TypeAlias = Callable[["Unstructured", "datetime"], list[Any]]


@dataclass(frozen=True)
class Printer:
    """How objects of one kind become rows; wide cells are always made, the client leaves them out."""

    columns: tuple[Column, ...]
    cells: Cells


def printer(columns: Sequence[Column], cells: Cells) -> Printer:
    """A printer whose first column is the name, and whose first cell therefore is."""
    return Printer((NAME, *columns), lambda obj, now: [name_of(obj), *cells(obj, now)])


def text(name: str) -> Column:
    """A column of texts."""
    return Column(name, "string", "")


def number(name: str) -> Column:
    """A column of whole numbers."""
    return Column(name, "integer", "")


def flag(name: str) -> Column:
    """A column of yes or no."""
    return Column(name, "boolean", "")


def wide(name: str) -> Column:
    """A column that shows only with ``-o wide``."""
    return Column(name, "string", "", priority=1)


NAME = Column("Name", "string", ".metadata.name", format="name")
AGE = text("Age")


def at(obj: Mapping[str, Any], *path: str) -> Any:
    """The value at a path of fields, None if it is not there."""
    value: Any = obj
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def items_at(obj: Mapping[str, Any], *path: str) -> list[Any]:
    """The list at a path, empty if there is none."""
    found = at(obj, *path)
    return found if isinstance(found, list) else []


def count_at(obj: Mapping[str, Any], *path: str) -> int:
    """The number at a path, 0 if there is none."""
    return at(obj, *path) or 0


def text_at(obj: Mapping[str, Any], *path: str, absent: str = "") -> str:
    """The text at a path; a number is written out."""
    found = at(obj, *path)
    return absent if found is None or found == "" else str(found)


def name_of(obj: Unstructured) -> str:
    """The object's name."""
    return text_at(obj, "metadata", "name")


def age_of(obj: Unstructured, now: datetime) -> str:
    """How long ago the object was created."""
    return ages.since(at(obj, "metadata", "creationTimestamp"), now)


def containers_of(pod_spec: Mapping[str, Any]) -> list[str]:
    """The cells Containers and Images."""
    containers = items_at(pod_spec, "containers")
    return [",".join(text_at(container, key) for container in containers) for key in ("name", "image")]


def labels_text(labels: Mapping[str, str] | None) -> str:
    """Labels as ``a=1,b=2``."""
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or NONE


def selector_text(selector: Mapping[str, Any] | None) -> str:
    """A LabelSelector object in the text form of selectors."""
    parsed = selector_from_object(selector)
    return str(parsed) or NONE if parsed is not None else NONE


def first_few(texts: Sequence[str], limit: int, *, separator: str = ",", empty: str = "") -> str:
    """The first texts, and how many more there are."""
    shown = separator.join(texts[:limit])
    if len(texts) > limit:
        return f"{shown} + {len(texts) - limit} more..."
    return shown or empty


def condition_status(obj: Unstructured, type_: str) -> str:
    """The status of a condition, empty if the object has no such condition."""
    for condition in items_at(obj, "status", "conditions"):
        if condition.get("type") == type_:
            return text_at(condition, "status")
    return ""
