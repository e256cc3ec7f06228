"""Names of objects in target clusters, as items write and remember them; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from landform.api.structs import Part
from landform.cluster import codec
from landform.cluster.resources import ObjectKey

if TYPE_CHECKING:
    from collections.abc import Mapping


class Identity(NamedTuple):
    """Which object it is, in whichever version its API is spoken."""

    group: str
    kind: str
    key: ObjectKey


class Reference(Part):
    """An object, as the status of an item names it."""

    api_version: str
    kind: str
    name: str
    namespace: str | None = None
    uid: str | None = None

    @property
    def key(self) -> ObjectKey:
        """Namespace and name."""
        return ObjectKey(self.namespace or "", self.name)

    @property
    def identity(self) -> Identity:
        """Which object it is: neither its version nor its uid counts."""
        return Identity(self.api_version.rpartition("/")[0], self.kind, self.key)

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


def of(obj: Mapping[str, Any]) -> Reference:
    """The reference to an object."""
    said = codec.metadata(obj)
    return Reference(
        api_version=obj.get("apiVersion") or "",
        kind=obj.get("kind") or "",
        name=said.name,
        namespace=said.namespace or None,
        uid=said.uid or None,
    )
