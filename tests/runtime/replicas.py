"""Replicas for tests: several `Shards` on one home, each behind a connection that can be slow, broken or dead."""

from __future__ import annotations

import asyncio
import contextlib
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from landform.cluster.errors import Unreachable
from landform.cluster.resources import ObjectKey
from landform.kit.ids import RandomIds
from landform.kit.surroundings import Surroundings
from landform.runtime.manager import Life
from landform.runtime.shards import Shards
from landform.testing import time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from landform.cluster.interface import Cluster

ROOTS = [ObjectKey("default", f"root-{number}") for number in range(24)]


class FreezableClock(time.VirtualClock):
    """The clock of a process that can be stopped and continued: time has passed for it all at once."""

    def __init__(self, *, skew: float) -> None:
        super().__init__(skew=skew)
        self.frozen = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.frozen


class Connection:
    """A cluster behind a connection with delays before and after each request takes effect."""

    def __init__(self, cluster: Cluster, chance: random.Random, slowest: float) -> None:
        self._cluster = cluster
        self._chance = chance
        self._slowest = slowest
        self.open = asyncio.Event()
        self.open.set()
        self.failures = 0.0
        """How often an answer is lost, of 1."""

        self.before_answer: Callable[[str], None] = lambda verb: None
        """Told of each request that took effect."""

    def __getattr__(self, verb: str) -> Any:
        async def call(*args: Any, **kwargs: Any) -> Any:
            await self._delay()
            answer = await getattr(self._cluster, verb)(*args, **kwargs)
            self.before_answer(verb)
            await self._delay()
            if self._chance.random() < self.failures:
                raise Unreachable("the answer was lost")
            return answer

        return call

    async def _delay(self) -> None:
        await asyncio.sleep(self._chance.uniform(0.0, self._slowest))
        await self.open.wait()


@dataclass
class Work:
    """A tenant that works on roots for as long as it is told."""

    roots: list[ObjectKey] = field(default_factory=list)
    resyncs: int = 0

    def running_roots(self) -> Iterable[ObjectKey]:
        return list(self.roots)

    def resync(self) -> None:
        self.resyncs += 1


class Process:
    """A replica as a task that can be killed."""

    def __init__(self, cluster: Cluster, number: int, *, seed: int = 0, slowest: float = 0.05) -> None:
        chance = random.Random(f"{seed}/{number}")
        self.clock = FreezableClock(skew=chance.uniform(-60, 60))
        self.connection = Connection(cluster, chance, slowest)
        self.work = Work()
        surroundings = Surroundings(clock=self.clock, ids=RandomIds(chance), random=chance)
        self.shards = Shards(
            self.connection,
            "test",
            namespace="default",
            holder=f"process-{number}",
            surroundings=surroundings,
        )
        self.shards.join(self.work)
        self.life = Life()
        self.task = asyncio.create_task(self.shards.run(self.life), name=f"process {number}")

    def owned(self) -> set[ObjectKey]:
        """What it owns now; nothing when it is dead."""
        return set() if self.task.done() else {root for root in ROOTS if self.shards.owns(root)}

    async def kill(self) -> None:
        """End without a word."""
        self.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.task

    async def stop(self) -> None:
        """End in good order."""
        self.life.stop()
        await self.task


def check_single_owners(processes: Iterable[Process]) -> set[ObjectKey]:
    """All that is owned; no root by two."""
    owned: set[ObjectKey] = set()
    for process in processes:
        mine = process.owned()
        assert not owned & mine, f"two owners of {sorted(map(str, owned & mine))}"
        owned |= mine
    return owned


async def watch_owners(processes: list[Process], seconds: float) -> None:
    """Let time pass, and see all the while that no root has two owners."""
    for _ in range(int(seconds / 0.05)):
        check_single_owners(processes)
        await asyncio.sleep(0.05)
