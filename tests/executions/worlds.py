"""A home with the controllers of this package, a tiny deployer, and a record of every write; in virtual time."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import random
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from landform.api import jobs
from landform.api.names import Annotation, Finalizer
from landform.cluster.codec import key_of
from landform.cluster.errors import NotFound
from landform.cluster.informers import Caches
from landform.cluster.interface import WriteOptions
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS
from landform.cluster.resources import SECRETS
from landform.executions import controller, pickups
from landform.kit import clocks
from landform.kit.surroundings import Surroundings
from landform.runtime.intents import Hands
from landform.runtime.manager import Life, Part
from landform.runtime.metrics import Metrics
from landform.runtime.recorders import Recorder
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from landform.api.deployitems import DeployItem
    from landform.api.executions import Execution
    from landform.cluster.interface import Cluster

NAMESPACE = "default"
TYPE = "example.com/tiny"
STATUS = WriteOptions(subresource="status")


class Recording:
    """A cluster that remembers what was written through it, as ``verb Kind/subresource``."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.writes: list[str] = []

    def __getattr__(self, name: str) -> Any:
        wanted = getattr(self._cluster, name)
        if name not in ("create", "patch", "replace", "delete"):
            return wanted

        async def write(resource: Any, *args: Any, **kwargs: Any) -> Any:
            answer = await wanted(resource, *args, **kwargs)
            sub = kwargs["options"].subresource if name != "delete" and "options" in kwargs else ""
            if resource.kind != "Event":
                self.writes.append(f"{name} {resource.kind}{'/' + sub if sub else ''}")
            return answer

        return write


@dataclass
class Tiny:
    """A deployer for one type: it takes a while, and does to each item, by its name in the Execution, as it is told."""

    cluster: Cluster
    seconds: float = 0.0
    """From taking an item up to being done with it."""

    fails: set[str] = field(default_factory=set)
    exports: dict[str, Any] = field(default_factory=dict)
    ignores: set[str] = field(default_factory=set)
    types: frozenset[str] = frozenset({TYPE})
    log: list[str] = field(default_factory=list)
    """What it began and ended, in order: ``+a``, ``-a`` for installing, ``+a!``, ``-a!`` for uninstalling."""

    _tasks: dict[tuple[str, str | None], asyncio.Task[None]] = field(default_factory=dict)

    def seen(self, old: DeployItem | None, new: DeployItem | None) -> None:
        if new is None or not jobs.is_busy(new.status) or new.spec.type not in self.types:
            return
        if jobs.is_pass(new.status.job_id):
            return  # scheduled passes are played by the tests
        identity = (new.metadata.uid or "", new.status.job_id)
        if name_of(new) not in self.ignores and identity not in self._tasks:
            self._tasks[identity] = asyncio.get_running_loop().create_task(self._serve(new))

    async def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _serve(self, item: DeployItem) -> None:
        name = name_of(item) + ("!" if item.metadata.deletion_timestamp else "")
        self.log.append("+" + name)
        if self.seconds:
            await self._say(item, {"phase": "Progressing", "transitionTimes": {"initTime": now()}})
            await asyncio.sleep(self.seconds)
        with contextlib.suppress(NotFound):
            await self._finish(item, name)
        self.log.append("-" + name)

    async def _finish(self, item: DeployItem, name: str) -> None:
        current = await self.cluster.get(DEPLOY_ITEMS, item.metadata.name or "", namespace=NAMESPACE)
        if current.status.job_id != item.status.job_id or not jobs.is_busy(current.status):
            return  # interrupted
        if name in self.fails:
            error = {"operation": "Deploy", "reason": "Broken", "message": f"{name} does not work", **_times()}
            await self._end(item, "DeleteFailed" if name.endswith("!") else "Failed", lastError=error)
        elif name.endswith("!"):
            others = [each for each in item.metadata.finalizers or () if each != Finalizer.LANDSCAPER]
            await self.cluster.patch(
                DEPLOY_ITEMS, item.metadata.name or "", {"metadata": {"finalizers": others}}, namespace=NAMESPACE
            )
        elif name in self.exports:
            reference = await self._export(item, self.exports[name])
            await self._end(item, "Succeeded", exportRef=reference, lastError=None)
        else:
            await self._end(item, "Succeeded", lastError=None)

    async def _export(self, item: DeployItem, value: Any) -> dict[str, str]:
        name = f"{item.metadata.name}-export"
        data = {"data": {"config": base64.b64encode(json.dumps(value).encode()).decode()}}
        try:
            await self.cluster.patch(SECRETS, name, data, namespace=NAMESPACE)
        except NotFound:
            await self.cluster.create(SECRETS, {"metadata": {"name": name}, **data}, namespace=NAMESPACE)
        return {"name": name, "namespace": NAMESPACE}

    async def _end(self, item: DeployItem, phase: str, **more: Any) -> None:
        times = {"initTime": now(), "finishedTime": now()}
        done = {
            "phase": phase,
            "jobIDFinished": item.status.job_id,
            "transitionTimes": times,
            "lastReconcileTime": now(),
        }
        await self._say(item, {**done, **more})

    async def _say(self, item: DeployItem, status: Mapping[str, Any]) -> None:
        change = {"status": {"observedGeneration": item.metadata.generation, **status}}
        with contextlib.suppress(NotFound):
            await self.cluster.patch(
                DEPLOY_ITEMS, item.metadata.name or "", change, namespace=NAMESPACE, options=STATUS
            )


def name_of(item: DeployItem) -> str:
    return (item.metadata.labels or {})["execution.landscaper.gardener.cloud/name"]


def now() -> str:
    return clocks.rfc3339(time.VirtualClock().now())


def _times() -> dict[str, str]:
    return {"lastTransitionTime": now(), "lastUpdateTime": now()}


def template(name: str, *depends_on: str, type: str = TYPE, **more: Any) -> dict[str, Any]:
    """An item of an Execution."""
    config = {"apiVersion": "example.com/v1", "kind": "Configuration"}
    return {"name": name, "type": type, "config": config, "dependsOn": list(depends_on), **more}


@dataclass
class World:
    """Everything that runs."""

    cluster: Cluster
    recording: Recording
    tiny: Tiny

    async def apply(self, *templates: dict[str, Any], name: str = "shop", **spec: Any) -> None:
        """Create the Execution, or give it other items."""
        body = {"spec": {"deployItems": list(templates), **spec}}
        try:
            await self.cluster.patch(EXECUTIONS, name, body, namespace=NAMESPACE)
        except NotFound:
            metadata = {"name": name, "finalizers": [Finalizer.LANDSCAPER]}
            await self.cluster.create(EXECUTIONS, {"metadata": metadata, **body}, namespace=NAMESPACE)

    async def annotate(self, annotation: Annotation, value: str, name: str = "shop") -> None:
        change = {"metadata": {"annotations": {annotation: value}}}
        await self.cluster.patch(EXECUTIONS, name, change, namespace=NAMESPACE)

    async def trigger(self, job: str, name: str = "shop") -> None:
        """Do what an Installation does."""
        change = {"status": {"jobID": job, "transitionTimes": {"triggerTime": now()}}}
        await self.cluster.patch(EXECUTIONS, name, change, namespace=NAMESPACE, options=STATUS)

    async def run(self, job: str, name: str = "shop", *, within: float = 3600) -> Execution:
        """Trigger, and wait for the end of the job."""
        await self.trigger(job, name)
        return await self.ended(name, within=within)

    async def ended(self, name: str = "shop", *, within: float = 3600) -> Execution:
        async with asyncio.timeout(within):
            while True:
                found = await self.execution(name)
                if not jobs.is_busy(found.status):
                    return found
                await asyncio.sleep(0.01)

    async def delete(self, job: str, name: str = "shop", *, within: float = 3600) -> Execution | None:
        """Delete and trigger; None when it is gone, or the Execution that could not go."""
        await self.cluster.delete(EXECUTIONS, name, namespace=NAMESPACE)
        await self.trigger(job, name)
        try:
            return await self.ended(name, within=within)
        except NotFound:
            return None

    async def execution(self, name: str = "shop") -> Execution:
        return await self.cluster.get(EXECUTIONS, name, namespace=NAMESPACE)

    async def items(self) -> dict[str, DeployItem]:
        """By their names in the Execution."""
        found = await self.cluster.list(DEPLOY_ITEMS, namespace=NAMESPACE)
        return {name_of(item): item for item in found.items}

    async def item(self, name: str) -> DeployItem:
        return (await self.items())[name]

    async def delete_item(self, name: str) -> None:
        await self.cluster.delete(DEPLOY_ITEMS, (await self.item(name)).metadata.name or "", namespace=NAMESPACE)

    async def say(self, item: str, status: Mapping[str, Any]) -> None:
        """Write to an item's status, as a deployer does."""
        found = await self.item(item)
        change = {"status": {"observedGeneration": 1, **status}}
        await self.cluster.patch(DEPLOY_ITEMS, key_of(found).name, change, namespace=NAMESPACE, options=STATUS)

    async def exports(self) -> Any:
        found = await self.cluster.list(DATA_OBJECTS, namespace=NAMESPACE)
        return [json.loads(bytes(each.data)) for each in found.items]


@asynccontextmanager
async def world(*, pickup: timedelta | None = timedelta(minutes=5), seconds: float = 0.0) -> AsyncIterator[World]:
    surroundings = Surroundings(clock=time.VirtualClock(), random=random.Random(0))
    async with homes.in_process(surroundings) as home, Caches(home, surroundings=surroundings) as caches:
        recording = Recording(home)
        recorder = Recorder(recording, "landform", surroundings=surroundings)
        hands = Hands(recording, recorder, caches, surroundings=surroundings)
        metrics = Metrics()
        parts: list[Part] = [
            controller.controller(caches, hands, metrics, reader=home),
            pickups.controller(caches, hands, metrics, timeout=pickup),
        ]
        tiny = Tiny(recording, seconds)
        caches.informer(DEPLOY_ITEMS).subscribe(tiny.seen)
        await caches.synced()
        lives = [Life() for _ in parts]
        running = [asyncio.create_task(part.run(life)) for part, life in zip(parts, lives, strict=True)]
        try:
            yield World(home, recording, tiny)
        finally:
            for life in lives:
                life.stop()
            await asyncio.gather(*running)
            await tiny.close()


def in_a_world(scenario: Callable[[World], Awaitable[None]], **options: Any) -> None:
    """Run a scenario in a world of its own."""

    async def main() -> None:
        async with world(**options) as opened:
            await scenario(opened)

    time.run(main())
