"""An object as the store holds it: immutable bytes, with the little that must be known without decoding them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.embedded.catalog import GroupResource

_NO_LABELS: Mapping[str, str] = {}


class StoreKey(NamedTuple):
    """Where an object is filed."""

    resource: GroupResource
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.resource} {self.namespace}/{self.name}" if self.namespace else f"{self.resource} {self.name}"


class Stored:
    """One version of one object. Never changes; everyone who holds it may share it."""

    __slots__ = ("deleting", "key", "labels", "owners", "raw", "uid", "version")

    def __init__(self, key: StoreKey, version: int, raw: bytes, metadata: Mapping[str, Any]) -> None:
        self.key = key
        self.version = version
        self.raw = raw
        """The object as JSON, exactly as it is answered."""

        self.uid: str = metadata.get("uid", "")
        self.labels: Mapping[str, str] = metadata.get("labels") or _NO_LABELS
        self.owners: tuple[str, ...] = tuple(o["uid"] for o in metadata.get("ownerReferences") or ())
        self.deleting = "deletionTimestamp" in metadata

    def decode(self) -> dict[str, Any]:
        """A fresh plain copy that the caller may change."""
        obj: dict[str, Any] = msgspec.json.decode(self.raw)
        return obj

    def at(self, version: int) -> Stored:
        """The same state under another version: what a watch shows of an object that is no longer selected."""
        obj = self.decode()
        obj["metadata"]["resourceVersion"] = str(version)
        return Stored(self.key, version, msgspec.json.encode(obj), obj["metadata"])

    def __repr__(self) -> str:
        return f"Stored({self.key.resource} {self.key.namespace}/{self.key.name} @{self.version})"


class _OwnerHead(msgspec.Struct):
    uid: str = ""


class _MetadataHead(msgspec.Struct):
    """The part of metadata that `Stored` keeps; reading only this is several times faster than decoding it all."""

    uid: str = ""
    labels: dict[str, str] | None = None
    ownerReferences: list[_OwnerHead] | None = None
    deletionTimestamp: str | None = None


class _Head(msgspec.Struct):
    metadata: _MetadataHead


_HEAD_DECODER = msgspec.json.Decoder(_Head)


def from_disk(key: StoreKey, version: int, raw: bytes) -> Stored:
    """The object that a row of the journal holds."""
    head = _HEAD_DECODER.decode(raw).metadata
    stored = Stored.__new__(Stored)
    stored.key, stored.version, stored.raw = key, version, raw
    stored.uid = head.uid
    stored.labels = head.labels or _NO_LABELS
    stored.owners = tuple(o.uid for o in head.ownerReferences or ())
    stored.deleting = head.deletionTimestamp is not None
    return stored
