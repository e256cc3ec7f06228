"""JSON to objects and back: single objects, lists, watch events, and their metadata whatever their type.

Each object that is decoded here owns its memory: what a typed object keeps undecoded (`msgspec.Raw`) refers to a copy
of that object's own text, never to the page or the stream in which it arrived. `decode_shared` is the exception.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from landform.api import anyjson
from landform.cluster.errors import Unreadable, from_status
from landform.cluster.interface import EventType, ObjectList, WatchEvent
from landform.cluster.resources import ObjectKey, Resource, Unstructured

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Buffer = bytes | bytearray | memoryview | msgspec.Raw

T = TypeVar("T")

INITIAL_EVENTS_END = "k8s.io/initial-events-end"
"""Annotation of the bookmark that says: all that existed has been reported."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """What every object says of itself, typed or not; empty where it says nothing."""

    name: str
    namespace: str
    uid: str
    resource_version: str
    labels: Mapping[str, str]


def metadata(obj: Any) -> Metadata:
    """The metadata of an object, typed or plain."""
    if isinstance(obj, dict):
        said = obj.get("metadata") or {}
        name, namespace, uid = said.get("name") or "", said.get("namespace") or "", said.get("uid") or ""
        return Metadata(name, namespace, uid, said.get("resourceVersion") or "", said.get("labels") or {})
    said = obj.metadata
    return Metadata(
        said.name or "", said.namespace or "", said.uid or "", said.resource_version or "", said.labels or {}
    )


def key_of(obj: Any) -> ObjectKey:
    """Which object this is."""
    found = metadata(obj)
    return ObjectKey(found.namespace, found.name)


def encode(obj: Any) -> bytes:
    """The object, typed or plain, as JSON."""
    return msgspec.json.encode(obj)


def decode(resource: Resource[T], raw: Buffer) -> T:
    """The object; Unreadable if it is not of the resource's type."""
    try:
        return _decoder(resource.model).decode(raw)
    except msgspec.DecodeError as fault:
        raise Unreadable(f"{resource}{_place(raw)} is not a readable {resource.kind}: {fault}") from fault


def decode_shared(resource: Resource[T], raw: bytes) -> T:
    """The object, holding views into `raw`: for text that stays in memory anyway, as the embedded store's does."""
    with anyjson.keeping_views():
        return decode(resource, raw)


def decode_list(resource: Resource[T], raw: Buffer) -> ObjectList[T]:
    """One page of a list; Unreadable if it, or an object in it, is not of the resource's type."""
    try:
        page = _LIST.decode(raw)
    except msgspec.DecodeError as fault:
        raise Unreadable(f"the answer is not a readable list of {resource}: {fault}") from fault
    return ObjectList(
        items=_items(resource, page.items or ()),
        resource_version=page.metadata.resource_version,
        continue_token=page.metadata.continue_token,
        remaining=page.metadata.remaining_item_count,
    )


def decode_event(resource: Resource[T], line: Buffer) -> WatchEvent[T]:
    """One line of a watch; an ERROR event is raised as the error it reports."""
    try:
        event = _EVENT.decode(line)
        if event.type == "ERROR":
            raise from_status(msgspec.json.decode(event.object, type=dict[str, Any]))
        kind = EventType(event.type)
        if kind is EventType.BOOKMARK:
            return _bookmark(event.object)
    except ValueError as fault:
        raise Unreadable(f"the watch on {resource} sent an unreadable event: {fault}") from fault
    obj = decode(resource, event.object.copy())
    if isinstance(obj, dict):
        _name_kind(resource, obj)
    return WatchEvent(kind, metadata(obj).resource_version, obj)


def decode_deleted(resource: Resource[T], raw: Buffer) -> T | None:
    """The object, if the answer to a delete says that something still holds it.

    For some kinds the API server answers with the object even when it is gone, so its finalizers and its grace
    period decide.
    """
    try:
        answer = _OBJECT.decode(raw)
        is_held = answer.kind != "Status" and answer.is_held
    except msgspec.DecodeError as fault:
        raise Unreadable(f"the answer to the deletion of {resource} is unreadable: {fault}") from fault
    return decode(resource, raw) if is_held else None


class _ListMetadata(msgspec.Struct, rename="camel"):
    resource_version: str = ""
    continue_token: str = msgspec.field(default="", name="continue")
    remaining_item_count: int | None = None


class _List(msgspec.Struct):
    metadata: _ListMetadata = msgspec.field(default_factory=_ListMetadata)
    items: list[msgspec.Raw] | None = None


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


class _ObjectMetadata(msgspec.Struct, rename="camel"):
    name: str = ""
    namespace: str = ""
    resource_version: str = ""
    annotations: dict[str, str] | None = None
    finalizers: list[str] | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None


class _NamespaceSpec(msgspec.Struct):
    finalizers: list[str] | None = None


class _Object(msgspec.Struct):
    """What can be said of any object without knowing its type."""

    kind: str = ""
    metadata: _ObjectMetadata = msgspec.field(default_factory=_ObjectMetadata)
    spec: msgspec.Raw = msgspec.Raw()

    @property
    def is_held(self) -> bool:
        found = self.metadata
        held = found.finalizers or found.deletion_grace_period_seconds or self._holds_namespace
        return bool(found.deletion_timestamp and held)

    @property
    def _holds_namespace(self) -> bool:
        """Namespaces have finalizers of their own, for their content, beside the usual ones."""
        return self.kind == "Namespace" and bool(
            msgspec.json.decode(self.spec or b"{}", type=_NamespaceSpec).finalizers
        )


_LIST = msgspec.json.Decoder(_List)
_EVENT = msgspec.json.Decoder(_Event)
_OBJECT = msgspec.json.Decoder(_Object)
_DECODERS: dict[type, msgspec.json.Decoder[Any]] = {}
"""One per model, made when first needed: making one costs more than using it."""


def _decoder(model: type[T]) -> msgspec.json.Decoder[T]:
    if (decoder := _DECODERS.get(model)) is None:
        decoder = _DECODERS[model] = msgspec.json.Decoder(model)
    return decoder


def _items(resource: Resource[T], raws: Iterable[msgspec.Raw]) -> list[T]:
    if resource.model is not dict:
        return [decode(resource, raw.copy()) for raw in raws]
    items = [decode(resource, raw) for raw in raws]
    for item in items:
        _name_kind(resource, item)
    return items


def _name_kind(resource: Resource[Any], obj: Any) -> None:
    """Say what the object is, where the API server left it out: it does so in lists of built-in kinds."""
    if "kind" not in obj or "apiVersion" not in obj:
        plain: Unstructured = dict(obj)
        obj.clear()
        obj.update({"apiVersion": resource.api_version, "kind": resource.kind}, **plain)


def _bookmark(raw: msgspec.Raw) -> WatchEvent[Any]:
    found = _OBJECT.decode(raw).metadata
    ended = (found.annotations or {}).get(INITIAL_EVENTS_END) == "true"
    return WatchEvent(EventType.BOOKMARK, found.resource_version, None, initial_events_end=ended)


def _place(raw: Buffer) -> str:
    """Which object it is, if that much can be read."""
    try:
        found = _OBJECT.decode(raw).metadata
    except msgspec.DecodeError:
        return ""
    return f" {ObjectKey(found.namespace, found.name)}" if found.name else ""
