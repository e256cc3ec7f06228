"""Two replicas of a controller on one home: work goes on when one hangs, and what it wakes up with changes nothing."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runtime.samples import Copier, keys_of

from landform.cluster.errors import ClusterError, Conflict
from landform.cluster.informers import Caches
from landform.cluster.resources import CONFIG_MAPS, ObjectKey
from landform.kit.ids import RandomIds
from landform.kit.surroundings import Surroundings
from landform.runtime.controllers import Controller
from landform.runtime.intents import Hands
from landform.runtime.manager import Entered, Manager
from landform.runtime.metrics import Metrics
from landform.runtime.recorders import Recorder
from landform.runtime.shards import Shards
from landform.testing import homes, time

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster

NAMES = [f"c{number}" for number in range(8)]


class Wire:
    """A connection that can stop; what was sent into it takes effect when it goes on, whoever still waits for it."""

    def __init__(self, cluster: Cluster, replica: Replica) -> None:
        self._cluster = cluster
        self._replica = replica
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.sent: set[asyncio.Task[Any]] = set()
        self.refused: list[ClusterError] = []

    def __getattr__(self, verb: str) -> Any:
        async def send(resource: Any, *args: Any, **kwargs: Any) -> Any:
            await asyncio.sleep(0.01)
            await self.flowing.wait()
            try:
                answer = await getattr(self._cluster, verb)(resource, *args, **kwargs)
            except ClusterError as error:
                if resource is CONFIG_MAPS:
                    self.refused.append(error)
                raise
            if resource is CONFIG_MAPS:
                self._replica.world.written(self._replica, args[0])
            return answer

        async def call(*args: Any, **kwargs: Any) -> Any:
            task = asyncio.create_task(send(*args, **kwargs))
            self.sent.add(task)
            return await asyncio.shield(task)

        return call


class Replica:
    """A process of its own: caches, shards and a controller under a manager."""

    def __init__(self, world: World, cluster: Cluster, number: int) -> None:
        chance = random.Random(f"{world.seed}/{number}")
        surroundings = Surroundings(clock=time.VirtualClock(), ids=RandomIds(chance), random=chance)
        self.world = world
        self.wire = Wire(cluster, self)
        door: Any = self.wire
        caches = Caches(cluster, surroundings=surroundings)
        informer = caches.informer(CONFIG_MAPS, namespace="default")
        self.shards = Shards(door, "copier", namespace="default", holder=str(number), surroundings=surroundings)
        hands = Hands(door, Recorder(cluster, "copier"), (informer,), self.shards, surroundings)
        controller = Controller("copier", Copier(informer), hands, metrics=Metrics())
        controller.follow(informer, keys_of)
        self.shards.join(controller)
        self.manager = Manager([{"caches": Entered(caches)}, {"shards": self.shards}, {"controller": controller}])
        self.task = asyncio.create_task(self.manager.run(), name=f"replica {number}")

    async def stop(self) -> None:
        self.manager.stop()
        await self.task
        await asyncio.gather(*self.wire.sent, return_exceptions=True)


class World:
    """Two replicas, and who wrote what when somebody else was its owner."""

    def __init__(self, cluster: Cluster, seed: int = 0) -> None:
        self.seed = seed
        self.cluster = cluster
        self.intrusions: list[str] = []
        self.replicas: list[Replica] = []
        self.replicas = [Replica(self, cluster, number) for number in range(2)]

    def written(self, writer: Replica, name: str) -> None:
        root = ObjectKey("default", name)
        others = [replica for replica in self.replicas if replica is not writer and replica.shards.owns(root)]
        if others:
            self.intrusions.append(name)

    async def want(self, value: str) -> None:
        for name in NAMES:
            await self.cluster.patch(CONFIG_MAPS, name, {"data": {"wanted": value}}, namespace="default")

    async def have(self) -> set[str]:
        found = await self.cluster.list(CONFIG_MAPS, namespace="default")
        return {obj["data"].get("have", "") for obj in found.items if obj["metadata"]["name"] in NAMES}


async def furnished(stack: AsyncExitStack, seed: int = 0) -> World:
    """A world with two settled replicas and the objects they care for."""
    cluster = await stack.enter_async_context(homes.in_process(Surroundings(clock=time.VirtualClock())))
    for name in NAMES:
        await cluster.create(CONFIG_MAPS, {"metadata": {"name": name}, "data": {"wanted": "0"}}, namespace="default")
    world = World(cluster, seed)
    for replica in world.replicas:
        stack.push_async_callback(replica.stop)
    await asyncio.sleep(5)
    return world


def test_a_replica_that_wakes_up_late_changes_nothing_that_the_new_owner_wrote() -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            world = await furnished(stack)
            assert await world.have() == {"0"}
            sleeper = world.replicas[0]
            sleeper.wire.flowing.clear()
            await world.want("1")
            await asyncio.sleep(10)
            assert await world.have() == {"1"}, "the other replica goes on within 10 seconds"
            await world.want("2")
            await asyncio.sleep(1)
            sleeper.wire.flowing.set()
            await asyncio.sleep(20)
            assert await world.have() == {"2"}
            assert world.intrusions == []
            assert sleeper.wire.refused, "its late writes arrived"
            assert all(isinstance(error, Conflict) for error in sleeper.wire.refused)

    time.run(main())


@settings(max_examples=12)
@given(st.integers(0, 2**16), st.lists(st.tuples(st.integers(0, 1), st.floats(0.1, 8.0)), max_size=6))
def test_however_replicas_hang_and_wake_everything_is_done_in_the_end(
    seed: int, stalls: list[tuple[int, float]]
) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            world = await furnished(stack, seed)
            for step, (number, seconds) in enumerate(stalls):
                flowing = world.replicas[number].wire.flowing
                flowing.set() if step % 2 else flowing.clear()
                await world.want(str(step))
                await asyncio.sleep(seconds)
            for replica in world.replicas:
                replica.wire.flowing.set()
            await world.want("last")
            await asyncio.sleep(20)
            assert await world.have() == {"last"}

    time.run(main())
