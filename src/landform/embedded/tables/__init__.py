"""Tables: what ``kubectl get`` shows, made by the server as Kubernetes' own does.

Built-in kinds have code for their cells (`basics`, `workloads`, `networking`, `administration`), custom kinds JSONPath
columns (`custom`), the rest the name and the time of creation. Pure: the time is given.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from landform.embedded.catalog import Column
from landform.embedded.kinds.library import META, describe
from landform.embedded.tables import administration, basics, custom, networking, pods, workloads
from landform.embedded.tables.parts import NAME, Printer, at, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from landform.cluster.resources import Unstructured
    from landform.embedded.catalog import ResourceType

API_VERSION = "meta.k8s.io/v1"


class Include(enum.StrEnum):
    """How much of its object each row carries: the query parameter ``includeObject``."""

    NONE = "None"
    METADATA = "Metadata"
    OBJECT = "Object"


_PRINTERS: dict[tuple[str, str], Printer] = {
    **basics.PRINTERS,
    **workloads.PRINTERS,
    **networking.PRINTERS,
    **administration.PRINTERS,
}

_PLAIN = Printer(
    (NAME, Column("Created At", "date", ".metadata.creationTimestamp")),
    lambda obj, now: [name_of(obj), at(obj, "metadata", "creationTimestamp")],
)
"""For kinds of which Kubernetes shows no more: Role, ClusterRole, CustomResourceDefinition, LimitRange."""


def table(
    type_: ResourceType,
    objects: Iterable[Unstructured],
    now: datetime,
    *,
    include: Include | str = Include.METADATA,
    metadata: Mapping[str, Any] | None = None,
    headers: bool = True,
) -> Unstructured:
    """The objects as a ``meta.k8s.io/v1`` Table.

    `metadata` is that of the list (resourceVersion, continue, remainingItemCount), or of the one object. A watch sends
    a table per event, of which only the first has `headers`.
    """
    printer = printer_of(type_)
    return {
        "kind": "Table",
        "apiVersion": API_VERSION,
        "metadata": dict(metadata or {}),
        "columnDefinitions": column_definitions(printer) if headers else None,
        "rows": [_row(type_, printer, obj, now, include) for obj in objects],
    }


def printer_of(type_: ResourceType) -> Printer:
    """How objects of a type become rows."""
    if type_.custom:
        return custom.printer_of(type_.columns)
    return _PRINTERS.get((type_.group, type_.plural), _PLAIN)


def column_definitions(printer: Printer) -> list[dict[str, Any]]:
    """The heads of a table."""
    return [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": _description(column),
            "priority": column.priority,
        }
        for column in printer.columns
    ]


def _description(column: Column) -> str:
    if column.description:
        return column.description
    if column.name == "Name":
        return describe(META + "ObjectMeta", "name")
    if column.name in ("Age", "Created At") and column.path in ("", ".metadata.creationTimestamp"):
        return describe(META + "ObjectMeta", "creationTimestamp")
    return f"Custom resource definition column (in JSONPath format): {column.path}" if column.path else ""


def _row(
    type_: ResourceType, printer: Printer, obj: Unstructured, now: datetime, include: Include | str
) -> Unstructured:
    row: Unstructured = {"cells": printer.cells(obj, now)}
    if (type_.group, type_.plural) == ("", "pods") and (conditions := pods.row_conditions(obj)):
        row["conditions"] = conditions
    row["object"] = _included(obj, include)
    return row


def _included(obj: Unstructured, include: Include | str) -> Unstructured | None:
    if include == Include.OBJECT:
        return obj
    if include == Include.NONE:
        return None
    return {"kind": "PartialObjectMetadata", "apiVersion": API_VERSION, "metadata": obj.get("metadata") or {}}
