"""State stores for tests: on an embedded home, with a cluster that crashes at a chosen write."""

from __future__ import annotations

import tempfile
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.deployers.programs.trees import Node, Tree, describe, make

from landform.cluster.interface import PLAIN_DELETE, ListOptions
from landform.cluster.resources import SECRETS
from landform.deployers.programs.contract.identities import ItemId
from landform.deployers.programs.states.states import StateStore
from landform.kit.clocks import SystemClock
from landform.kit.surroundings import Surroundings
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from datetime import datetime

    from landform.cluster.interface import Cluster, DeleteOptions
    from landform.cluster.resources import Resource, Unstructured

NAMESPACE = "default"


def item(number: int = 0, name: str = "item") -> ItemId:
    """An item that no other number has."""
    return ItemId("team", name, f"uid-{number}")


def files(**contents: bytes) -> Tree:
    """A folder with some files."""
    return {name.encode(): Node(content, 0o640) for name, content in contents.items()}


class Crash(Exception):
    """The process is gone."""


@dataclass
class Crashing:
    """A cluster whose client dies at its n-th write, before or after it takes effect; whatever it sends then is lost.

    Where many objects are deleted at once, only some of them are when it dies.
    """

    cluster: Any
    last: int
    """Writes that are answered."""

    takes_effect: bool
    """Whether the write after them takes effect."""

    writes: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self.cluster, name)
        if name in ("get", "list"):
            return self._read(name, asked)
        return self._write(name, asked)

    @property
    def is_dead(self) -> bool:
        """Whether it died."""
        return len(self.writes) > self.last

    def _read(self, name: str, asked: Any) -> Any:
        async def read(*args: Any, **kwargs: Any) -> Any:
            if self.is_dead:
                raise Crash
            self.reads.append(name)
            return await asked(*args, **kwargs)

        return read

    def _write(self, name: str, asked: Any) -> Any:
        async def write(*args: Any, **kwargs: Any) -> Any:
            if self.is_dead:
                raise Crash
            self.writes.append(name)
            if len(self.writes) <= self.last:
                return await asked(*args, **kwargs)
            if self.takes_effect and name == "delete_collection":
                await self._delete_some(*args, **kwargs)
            elif self.takes_effect:
                await asked(*args, **kwargs)
            raise Crash

        return write

    async def _delete_some(
        self,
        resource: Resource[Unstructured],
        *,
        namespace: str,
        selection: ListOptions,
        options: DeleteOptions = PLAIN_DELETE,
    ) -> None:
        found = (await self.cluster.list(resource, namespace=namespace, options=selection)).items
        for secret in found[1::2]:
            await self.cluster.delete(resource, secret["metadata"]["name"], namespace=namespace, options=options)


class ShiftedClock(SystemClock):
    """The machine's clock, some hours ahead."""

    hours = 0

    def now(self) -> datetime:
        return super().now() + timedelta(hours=self.hours)


@dataclass
class World:
    """A home with the state of items, and a folder for what goes in and out."""

    cluster: Any
    folder: Path
    clock: ShiftedClock
    by_name: bool = False

    def store(self, of: ItemId | None = None, cluster: Cluster | None = None, **options: Any) -> StateStore:
        """The store of an item."""
        return StateStore(cluster or self.cluster, NAMESPACE, of or item(), **{"by_name": self.by_name, **options})

    def made(self, tree: Tree) -> Path:
        """A new folder with that in it."""
        return make(Path(tempfile.mkdtemp(dir=self.folder)) / "state", tree)

    async def restored(self, store: StateStore) -> Tree:
        """What the next run would find."""
        folder = self.made({})
        await store.restore(folder)
        return describe(folder)

    async def secrets(self) -> Sequence[Unstructured]:
        """All that is kept."""
        found: Sequence[Unstructured] = (await self.cluster.list(SECRETS, namespace=NAMESPACE)).items
        return found


@asynccontextmanager
async def world(*, by_name: bool = False) -> AsyncIterator[World]:
    """A home without any state; whether states are found by their name."""
    clock = ShiftedClock()
    async with homes.in_process(Surroundings(clock=clock)) as cluster:
        with tempfile.TemporaryDirectory(prefix="landform-") as folder:
            yield World(cluster, Path(folder), clock, by_name)
