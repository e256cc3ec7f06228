"""A world for deployers: a home, caches, a deployer that does as a test says, and ways to play the Execution."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api.names import Finalizer
from landform.api.structs import API_VERSION
from landform.cluster.codec import key_of
from landform.cluster.errors import NotFound
from landform.cluster.informers import Caches
from landform.cluster.interface import WriteOptions
from landform.cluster.kinds import DEPLOY_ITEMS, EXECUTIONS, TARGETS
from landform.cluster.resources import EVENTS, SECRETS
from landform.deployers.library import (
    Clusters,
    Deployer,
    DeployerController,
    Hooks,
    Item,
    Selectors,
    deployer_controller,
)
from landform.kit.clocks import rfc3339
from landform.kit.ids import RandomIds
from landform.kit.surroundings import Surroundings
from landform.runtime.intents import Hands, NoFence
from landform.runtime.manager import Life
from landform.runtime.metrics import Metrics
from landform.runtime.recorders import Recorder
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime

    from landform.api.deployitems import DeployItem
    from landform.cluster.interface import Cluster
    from landform.runtime.intents import Fence

TYPE = "example.org/sample"
CONFIG = {"apiVersion": "sample.example.org/v1", "kind": "ProviderConfiguration"}

Work = Callable[[Item], Awaitable[None]]


class Sample(Deployer):
    """Does what a test says, for all items or by name; notes each call."""

    type = TYPE
    name = "sample.deployer.example.org"
    version = "1.2.3"

    def __init__(self) -> None:
        self.calls: list[tuple[str, str, float]] = []
        self.on_reconcile: Work = _nothing
        self.on_delete: Work = _nothing
        self.running: list[str] = []
        self.overlaps = 0

    async def reconcile(self, item: Item) -> None:
        await self._do("reconcile", item, self.on_reconcile)

    async def delete(self, item: Item) -> None:
        await self._do("delete", item, self.on_delete)

    async def _do(self, what: str, item: Item, work: Work) -> None:
        self.calls.append((what, item.name, asyncio.get_running_loop().time()))
        self.overlaps += item.name in self.running
        self.running.append(item.name)
        try:
            await work(item)
        finally:
            self.running.remove(item.name)

    def times(self, what: str = "reconcile", name: str = "one") -> list[float]:
        """When a method was called for an item."""
        return [at for call, called, at in self.calls if (call, called) == (what, name)]


async def _nothing(item: Item) -> None:
    return None


class Counting:
    """A cluster that notes its writes, and takes its time for them if a test says so."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.writes: list[str] = []
        self.seconds = 0.0

    def __getattr__(self, verb: str) -> Any:
        call = getattr(self._cluster, verb)
        if verb not in ("create", "replace", "patch", "delete"):
            return call

        async def counted(resource: Any, *args: Any, **kwargs: Any) -> Any:
            options = kwargs.get("options")
            part = getattr(options, "subresource", "")
            self.writes.append(" ".join(filter(None, (verb, resource.plural, part))))
            await asyncio.sleep(self.seconds)
            return await call(resource, *args, **kwargs)

        return counted


@dataclass
class World:
    """Everything running."""

    cluster: Cluster
    counting: Counting
    deployer: Deployer
    controller: DeployerController
    recorder: Recorder
    hands: Hands
    surroundings: Surroundings
    stop: Callable[[], Awaitable[None]]
    start: Callable[[], Awaitable[None]]
    jobs: int = 0
    clusters: dict[str, Cluster] = field(default_factory=dict)
    execution: dict[str, Any] = field(default_factory=dict)

    @property
    def sample(self) -> Sample:
        assert isinstance(self.deployer, Sample)
        return self.deployer

    @property
    def writes(self) -> list[str]:
        """What the deployer has written."""
        return self.counting.writes

    def now(self) -> datetime:
        return self.surroundings.clock.now()

    async def create(self, name: str = "one", *, config: Mapping[str, Any] | None = None, **more: Any) -> DeployItem:
        """A DeployItem as an Execution makes it; `more` are fields of the specification or `metadata`."""
        metadata = {
            "name": name,
            "finalizers": [str(Finalizer.LANDSCAPER)],
            "ownerReferences": [await self._execution()],
            **more.pop("metadata", {}),
        }
        spec = {"type": self.deployer.type, "config": {**CONFIG, **(config or {})}, **more}
        return await self.cluster.create(DEPLOY_ITEMS, {"metadata": metadata, "spec": spec}, namespace="default")

    async def _execution(self) -> dict[str, Any]:
        """A reference to the Execution that all items belong to."""
        if not self.execution:
            body = {"metadata": {"name": "owner"}, "spec": {}}
            made = await self.cluster.create(EXECUTIONS, body, namespace="default")
            named = {"apiVersion": API_VERSION, "kind": EXECUTIONS.kind, "name": "owner", "uid": made.metadata.uid}
            self.execution = {**named, "controller": True}
        return self.execution

    async def trigger(self, name: str = "one", job: str = "") -> str:
        """Give the item a new job."""
        self.jobs += 1
        job = job or f"job-{self.jobs}"
        now = rfc3339(self.now())
        await self.write_status(
            name, {"jobID": job, "jobIDGenerationTime": now, "transitionTimes": {"triggerTime": now}}
        )
        return job

    async def write_status(self, name: str, status: Mapping[str, Any]) -> None:
        options = WriteOptions(subresource="status")
        status = {"observedGeneration": (await self.item(name)).status.observed_generation, **status}
        await self.cluster.patch(DEPLOY_ITEMS, name, {"status": status}, namespace="default", options=options)

    async def run_job(self, name: str = "one", *, seconds: float = 0.05, **options: Any) -> DeployItem:
        """Create an item, give it a job, and see what it is a moment later."""
        await self.create(name, **options)
        await self.trigger(name)
        await asyncio.sleep(seconds)
        return await self.item(name)

    async def item(self, name: str = "one") -> DeployItem:
        return await self.cluster.get(DEPLOY_ITEMS, name, namespace="default")

    async def is_gone(self, name: str = "one") -> bool:
        try:
            await self.item(name)
        except NotFound:
            return True
        return False

    async def delete(self, name: str = "one") -> None:
        """Delete the item and give it the job that this needs."""
        await self.cluster.delete(DEPLOY_ITEMS, name, namespace="default")
        await self.trigger(name)

    async def patch(self, name: str, change: Mapping[str, Any]) -> None:
        await self.cluster.patch(DEPLOY_ITEMS, name, change, namespace="default")

    async def exported(self, name: str = "one-export") -> Any:
        secret = await self.cluster.get(SECRETS, name, namespace="default")
        return msgspec.json.decode(base64.b64decode(secret["data"]["config"]))

    async def create_target(self, name: str = "place", **spec: Any) -> None:
        metadata = {"name": name, **spec.pop("metadata", {})}
        body = {"metadata": metadata, "spec": {"type": "example.org/place", **spec}}
        await self.cluster.create(TARGETS, body, namespace="default")

    async def events(self) -> list[tuple[str, str, str]]:
        """Type, reason and message of all Events."""
        await self.recorder.flush()
        found = await self.cluster.list(EVENTS, namespace="default")
        return [(event["type"], event["reason"], event["message"]) for event in found.items]


@asynccontextmanager
async def world(
    deployer: Deployer | None = None,
    *,
    hooks: Hooks | None = None,
    selectors: Selectors | None = None,
    fence: Fence | None = None,
    seed: int = 0,
    surroundings: Surroundings | None = None,
) -> AsyncIterator[World]:
    """Everything running, in virtual time if nothing else is said; `stop` and `start` play a restart of the process."""
    chance = random.Random(seed)
    surroundings = surroundings or Surroundings(clock=time.VirtualClock(), ids=RandomIds(chance), random=chance)
    async with homes.in_process(surroundings) as cluster:
        chosen = deployer or Sample()
        if hooks is not None:
            chosen.hooks = hooks
        opened = World(cluster, Counting(cluster), chosen, None, None, None, surroundings, None, None)  # type: ignore[arg-type]
        stack = contextlib.AsyncExitStack()

        async def start() -> None:
            clusters = await stack.enter_async_context(
                Clusters(
                    cluster,
                    connect=lambda connection: opened.clusters[connection.server],
                    surroundings=surroundings,
                )
            )
            caches = await stack.enter_async_context(Caches(cluster, surroundings=surroundings))
            opened.recorder = Recorder(cluster, "sample", surroundings=surroundings)
            hands = opened.hands = Hands(opened.counting, opened.recorder, caches, fence or NoFence(), surroundings)
            opened.controller = deployer_controller(
                chosen, caches, hands, Metrics(), clusters, selectors=selectors or Selectors(), identity="me"
            )
            await caches.synced()
            life = Life()
            running = asyncio.create_task(opened.controller.run(life), name="controller")

            async def end() -> None:
                life.stop()
                await running

            stack.push_async_callback(end)
            await life.until_ready()

        opened.start, opened.stop = start, stack.aclose
        await start()
        try:
            yield opened
        finally:
            await stack.aclose()


def in_a_world(scenario: Callable[[World], Awaitable[None]], **options: Any) -> None:
    """Run a scenario in a world of its own."""

    async def main() -> None:
        async with world(**options) as opened:
            await scenario(opened)

    time.run(main())


def key(item: DeployItem) -> str:
    return str(key_of(item))
