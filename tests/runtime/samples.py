"""A sample controller: ConfigMaps whose `data.wanted` is copied to `data.have`; and a world to run it in."""

from __future__ import annotations

import asyncio
import contextlib
import random
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from landform.cluster.codec import key_of
from landform.cluster.informers import Caches
from landform.cluster.resources import CONFIG_MAPS
from landform.kit.surroundings import Surroundings
from landform.runtime.controllers import Controller, Settings
from landform.runtime.intents import Hands, Intent, NoFence, Patch
from landform.runtime.manager import Life
from landform.runtime.metrics import Metrics
from landform.runtime.recorders import Recorder
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from landform.cluster.informers import Informer
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import ObjectKey, Unstructured
    from landform.runtime.errors import Terminal
    from landform.runtime.intents import Fence


@dataclass
class Copier:
    """Does what the module says; `decisions` may say otherwise for some names."""

    informer: Informer[Unstructured]
    decisions: dict[str, Callable[[Unstructured], list[Intent]]] = field(default_factory=dict)
    seen: list[tuple[str, float]] = field(default_factory=list)
    """Each name that was decided about, and when."""

    def observe(self, key: ObjectKey) -> Unstructured | None:
        return self.informer.get(key)

    def decide(self, snapshot: Unstructured) -> list[Intent]:
        name = key_of(snapshot).name
        self.seen.append((name, asyncio.get_running_loop().time()))
        if name in self.decisions:
            return self.decisions[name](snapshot)
        return copy(snapshot)

    def mark(self, snapshot: Unstructured, error: Terminal) -> list[Intent]:
        return [Patch(CONFIG_MAPS, snapshot, {"data": {"error": f"{error.reason}: {error}"}})]


def keys_of(obj: Unstructured) -> list[ObjectKey]:
    """Itself, but for the one that every namespace has."""
    return [key for key in (key_of(obj),) if key.name != "kube-root-ca.crt"]


def copy(snapshot: Unstructured) -> list[Intent]:
    """The usual decision."""
    data = snapshot.get("data") or {}
    if "wanted" not in data or data["wanted"] == data.get("have"):
        return []
    return [Patch(CONFIG_MAPS, snapshot, {"data": {"have": data["wanted"]}})]


@dataclass
class World:
    """A home, a cache and a running controller."""

    cluster: Cluster
    informer: Informer[Unstructured]
    copier: Copier
    controller: Controller[Unstructured]
    hands: Hands
    life: Life
    metrics: Metrics

    async def create(self, name: str, **data: str) -> Unstructured:
        return await self.cluster.create(CONFIG_MAPS, {"metadata": {"name": name}, "data": data}, namespace="default")

    async def data(self, name: str) -> dict[str, str]:
        found = await self.cluster.get(CONFIG_MAPS, name, namespace="default")
        return dict(found.get("data") or {})

    def result_count(self, result: str) -> float:
        labels = {"controller": "copier", "result": result}
        return self.metrics.registry.get_sample_value("landform_reconciles_total", labels) or 0.0


@asynccontextmanager
async def world(
    *, fence: Fence | None = None, wrap: Callable[[Cluster], Any] = lambda cluster: cluster, seed: int = 0
) -> AsyncIterator[World]:
    """Everything running, in virtual time."""
    surroundings = Surroundings(clock=time.VirtualClock(), random=random.Random(seed))
    async with homes.in_process(surroundings) as cluster, Caches(cluster, surroundings=surroundings) as caches:
        informer = caches.informer(CONFIG_MAPS, namespace="default")
        recorder = Recorder(cluster, "copier", surroundings=surroundings)
        hands = Hands(wrap(cluster), recorder, (informer,), fence or NoFence(), surroundings)
        copier, metrics, life = Copier(informer), Metrics(), Life()
        controller = Controller("copier", copier, hands, metrics=metrics, settings=Settings(concurrency=4))
        controller.follow(informer, keys_of)
        await caches.synced()
        running = asyncio.create_task(controller.run(life))
        try:
            yield World(cluster, informer, copier, controller, hands, life, metrics)
        finally:
            life.stop()
            with contextlib.suppress(asyncio.CancelledError):
                await running


def in_a_world(scenario: Callable[[World], Awaitable[None]], **options: Any) -> None:
    """Run a scenario in a world of its own."""

    async def main() -> None:
        async with world(**options) as opened:
            await scenario(opened)

    time.run(main())
