"""Events have two shapes over the same store: the core group's, which is stored, and that of events.k8s.io. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.cluster.resources import Unstructured

CORE_VERSION = "v1"
EVENTS_VERSION = "events.k8s.io/v1"

_TO_CORE = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
"""Fields by their name in events.k8s.io; the others are called the same in both."""

_FROM_CORE = {core: name for name, core in _TO_CORE.items()}

_ALWAYS_CORE = {"involvedObject": {}, "source": {}, "reportingComponent": "", "reportingInstance": ""}
"""What the API server writes in the core shape even if it is empty."""


def to_core(event: Unstructured) -> Unstructured:
    """An event of events.k8s.io in the core group's shape; one that has it already as it is."""
    if event.get("apiVersion") == CORE_VERSION:
        return event
    missing = {name: value for name, value in _ALWAYS_CORE.items() if name not in _renamed(event, _TO_CORE)}
    return {**_renamed(event, _TO_CORE), **missing, "apiVersion": CORE_VERSION}


def from_core(event: Unstructured) -> Unstructured:
    """A core event in the shape of events.k8s.io; one that has it already as it is."""
    if event.get("apiVersion") == EVENTS_VERSION:
        return event
    return {**_renamed(event, _FROM_CORE), "apiVersion": EVENTS_VERSION}


def field_in_core(label: str) -> str:
    """The core group's name of a field that a selector of events.k8s.io names: ``regarding.kind`` and its like."""
    first, dot, rest = label.partition(".")
    return f"{_TO_CORE.get(first, first)}{dot}{rest}"


def source_of(event: Unstructured) -> str:
    """The value of the selectable field ``source`` of a core event: the old field, else the new one."""
    return (event.get("source") or {}).get("component") or event.get("reportingComponent") or ""


def _renamed(event: Unstructured, names: Mapping[str, str]) -> Unstructured:
    return {names.get(name, name): value for name, value in event.items()}
