"""Many writers at once, and the record of what they were promised."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.contract.objects import config_map

from landform.cluster.errors import ClusterError
from landform.cluster.resources import CONFIG_MAPS

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Unstructured

NAMESPACE = "default"


@dataclass
class Promises:
    """What the home has acknowledged, by name: the newest version, and how far its counter had come."""

    versions: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    total: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    awaited: int = 0

    def expect(self, total: int) -> None:
        """Set `reached` once so many writes were acknowledged."""
        self.awaited, self.reached = total, asyncio.Event()

    def keep(self, obj: Unstructured) -> None:
        name = obj["metadata"]["name"]
        self.versions[name] = int(obj["metadata"]["resourceVersion"])
        self.counts[name] = int(obj["data"]["count"])
        self._count()

    def forget(self, name: str) -> None:
        self.deleted.add(name)
        self._count()

    def _count(self) -> None:
        self.total += 1
        if self.total >= self.awaited:
            self.reached.set()


class Writer:
    """Creates an object, changes it a few times, deletes every third; over and over until the home is gone."""

    def __init__(self, cluster: Cluster, promises: Promises, prefix: str) -> None:
        self._cluster = cluster
        self._promises = promises
        self._prefix = prefix

    async def run(self) -> None:
        number = 0
        with contextlib.suppress(ClusterError):
            while True:
                await self._one(f"{self._prefix}-{number}", deleted=number % 3 == 2)
                number += 1

    async def _one(self, name: str, *, deleted: bool) -> None:
        body = config_map(name, {"count": "0", "text": name * 50})
        self._promises.keep(await self._cluster.create(CONFIG_MAPS, body, namespace=NAMESPACE))
        for count in ("1", "2"):
            patch = {"data": {"count": count}}
            self._promises.keep(await self._cluster.patch(CONFIG_MAPS, name, patch, namespace=NAMESPACE))
        if deleted:
            await self._cluster.delete(CONFIG_MAPS, name, namespace=NAMESPACE)
            self._promises.forget(name)
