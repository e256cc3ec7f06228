"""Certainty where a cache may be behind: other replicas write, and each kind is watched by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.cluster import codec
from landform.cluster.errors import NotFound
from landform.runtime.errors import Retry

if TYPE_CHECKING:
    from landform.cluster.interface import Reader
    from landform.cluster.resources import ObjectKey, Resource
    from landform.runtime.intents import Hands


@dataclass(frozen=True)
class Certain:
    """Go on only if an object is really as it was seen, or really not there.

    One who applies a DataObject and then an Installation may have the second seen before the first; and so may a
    replica that starts an Installation because another replica's has ended.
    """

    reader: Reader
    resource: Resource[Any]
    key: ObjectKey
    seen: Any = None
    """The object that was decided on; None if none was found."""

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        try:
            found = await self.reader.get(self.resource, self.key.name, namespace=self.key.namespace)
        except NotFound:
            found = None
        version = codec.metadata(found).resource_version if found is not None else ""
        decided_on = codec.metadata(self.seen).resource_version if self.seen is not None else ""
        if version != decided_on:
            if found is not None:
                hands.show(self.resource, found)
            raise Retry(f"{self.resource.kind} {self.key} was decided about before its last change was seen")
