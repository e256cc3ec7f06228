"""One object, several versions: between what is stored and what a URL's version shows.

Custom resources have no conversion, so their versions differ in ``apiVersion`` only; core events and those of
``events.k8s.io`` are the same objects under other field names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from landform.embedded import events
from landform.embedded.catalog import GroupResource, ResourceType

if TYPE_CHECKING:
    from collections.abc import Callable

_EVENTS = GroupResource("", "events")
_NEW_EVENTS = GroupResource("events.k8s.io", "events")


def stored_resource(type_: ResourceType) -> GroupResource:
    """Under which resource the objects of a type are filed."""
    return _EVENTS if type_.group_resource == _NEW_EVENTS else type_.group_resource


def to_stored(type_: ResourceType, obj: dict[str, Any]) -> dict[str, Any]:
    """The object in the version that is stored."""
    if type_.group_resource == _NEW_EVENTS:
        return events.to_core(obj)
    if type_.stored_version and type_.stored_version != type_.version:
        obj["apiVersion"] = f"{type_.group}/{type_.stored_version}"
    return obj


def from_stored(type_: ResourceType, obj: dict[str, Any]) -> dict[str, Any]:
    """The stored object in the version that a type serves."""
    if type_.group_resource == _NEW_EVENTS:
        return events.from_core(obj)
    obj["apiVersion"] = type_.api_version
    return obj


def presenter(type_: ResourceType) -> Callable[[bytes], bytes] | None:
    """What turns stored bytes into those that a type serves; None when they are the same."""
    if type_.group_resource != _NEW_EVENTS and type_.stored_version in ("", type_.version):
        return None
    return lambda raw: msgspec.json.encode(from_stored(type_, msgspec.json.decode(raw)))
