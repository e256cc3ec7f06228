"""A home with the controllers of Installations and Executions and the mock deployer, and a record of every write."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from landform.api import anyjson, conditions, jobs
from landform.api.names import Annotation, Operation
from landform.cluster.errors import NotFound
from landform.cluster.informers import Caches
from landform.cluster.kinds import CONTEXTS, DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS, TARGETS
from landform.deployers.library import Clusters, deployer_controller
from landform.deployers.mock import MockDeployer
from landform.executions import controller as executions
from landform.installations import controller as installations
from landform.kit.ids import RandomIds
from landform.kit.surroundings import Surroundings
from landform.runtime.intents import Hands
from landform.runtime.manager import Life, Part
from landform.runtime.metrics import Metrics
from landform.runtime.recorders import Recorder
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from landform.api.conditions import Condition
    from landform.api.installations import Installation
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource
    from landform.installations.snapshot import Snapshot
    from landform.installations.sources import Components
    from landform.runtime.controllers import Controller

NAMESPACE = "default"


class Recording:
    """A cluster that remembers what was written through it, as ``verb Kind name``."""

    def __init__(self, cluster: Cluster, crash: Crash | None = None) -> None:
        self._cluster = cluster
        self._crash = crash
        self._begun = 0
        self.writes: list[str] = []
        self.crashed = asyncio.Event()

    @property
    def has_crashed(self) -> bool:
        return self.crashed.is_set()

    def __getattr__(self, name: str) -> Any:
        wanted = getattr(self._cluster, name)
        if name not in ("create", "patch", "replace", "delete"):
            return wanted

        async def write(resource: Any, *args: Any, **kwargs: Any) -> Any:
            is_last = self._crash is not None and self._begun == self._crash.at
            self._begun += resource.kind != "Event"
            if self.has_crashed or (is_last and self._crash is not None and not self._crash.after):
                await self._die()
            try:
                answer = await wanted(resource, *args, **kwargs)
            finally:
                if is_last:
                    await self._die()
            sub = kwargs["options"].subresource if name != "delete" and "options" in kwargs else ""
            if resource.kind != "Event":
                self.writes.append(f"{name} {resource.kind}{'/' + sub if sub else ''}")
            return answer

        return write

    async def _die(self) -> None:
        """Nothing that this process still does is seen by anybody."""
        self.crashed.set()
        await asyncio.Event().wait()


@dataclass(frozen=True)
class Crash:
    """When a process dies."""

    at: int
    """After so many writes."""

    after: bool
    """Whether the next one is still done, and only its answer is lost."""


@dataclass
class World:
    """Everything running."""

    cluster: Cluster
    recording: Recording
    controller: Controller[Snapshot]
    caches: Caches
    phases: dict[str, list[str]] = field(default_factory=dict)
    """The phases that each Installation was seen in, one after the other."""

    @property
    def writes(self) -> list[str]:
        return self.recording.writes

    async def apply(self, installation: dict[str, Any], *, start: bool = True) -> Installation:
        """Create an Installation, and ask it to start."""
        metadata = dict(installation["metadata"])
        if start:
            annotations = {str(Annotation.OPERATION): str(Operation.RECONCILE), **metadata.get("annotations", {})}
            metadata["annotations"] = annotations
        obj = {**installation, "metadata": metadata}
        return await self.cluster.create(INSTALLATIONS, obj, namespace=NAMESPACE)

    async def get(self, name: str) -> Installation:
        return await self.cluster.get(INSTALLATIONS, name, namespace=NAMESPACE)

    async def child(self, template: str) -> Installation:
        """The one sub-Installation of that name in its blueprint."""
        for installation in (await self.cluster.list(INSTALLATIONS, namespace=NAMESPACE)).items:
            if (installation.metadata.annotations or {}).get(Annotation.SUBINSTALLATION_NAME) == template:
                return installation
        raise AssertionError(f"there is no sub-installation {template}")

    async def annotate(self, name: str, **annotations: str | None) -> None:
        """Set annotations; ``delete_ignore_successors`` stands for the one of that name."""
        keys = {key: str(Annotation[key.upper()]) for key in annotations}
        change = {"metadata": {"annotations": {keys[key]: value for key, value in annotations.items()}}}
        await self.cluster.patch(INSTALLATIONS, name, change, namespace=NAMESPACE)

    async def reconcile(self, name: str) -> Installation:
        """Run a job to its end."""
        await self.annotate(name, operation=Operation.RECONCILE)
        return await self.finished(name)

    async def change(self, name: str, **spec: Any) -> None:
        """Change the specification."""
        await self.cluster.patch(INSTALLATIONS, name, {"spec": spec}, namespace=NAMESPACE)

    async def delete(self, name: str) -> None:
        await self.cluster.delete(INSTALLATIONS, name, namespace=NAMESPACE)

    async def data(self, name: str, value: Any) -> None:
        """Have a DataObject of that name with that value."""
        obj = {"metadata": {"name": name}, "data": value}
        try:
            found = await self.cluster.get(DATA_OBJECTS, name, namespace=NAMESPACE)
        except NotFound:
            await self.cluster.create(DATA_OBJECTS, obj, namespace=NAMESPACE)
            return
        version = found.metadata.resource_version
        obj = {"apiVersion": "landscaper.gardener.cloud/v1alpha1", "kind": "DataObject", **obj}
        obj["metadata"] = {"name": name, "namespace": NAMESPACE, "resourceVersion": version}
        await self.cluster.replace(DATA_OBJECTS, obj, namespace=NAMESPACE)

    async def value(self, name: str) -> Any:
        """What a DataObject holds; KeyError if there is none."""
        try:
            return anyjson.value((await self.cluster.get(DATA_OBJECTS, name, namespace=NAMESPACE)).data)
        except NotFound:
            raise KeyError(name) from None

    async def target(self, name: str, **spec: Any) -> None:
        spec = {"type": "landscaper.gardener.cloud/kubernetes-cluster", **(spec or {"config": {"name": name}})}
        obj = {"metadata": {"name": name}, "spec": spec}
        await self.cluster.create(TARGETS, obj, namespace=NAMESPACE)

    async def finished(self, name: str, *, seconds: float = 3600) -> Installation:
        """The Installation when it has no job to do any more, which must be within the time."""

        async def look() -> Installation:
            while True:
                found = await self.get(name)
                asked = (found.metadata.annotations or {}).get(Annotation.OPERATION) == Operation.RECONCILE
                if found.status.job_id and not jobs.is_busy(found.status) and not asked:
                    return found
                await asyncio.sleep(0.01)

        async with asyncio.timeout(seconds):
            return await look()

    async def until(self, name: str, phase: str, *, seconds: float = 3600) -> Installation:
        """The Installation when it is in a phase."""
        async with asyncio.timeout(seconds):
            while True:
                found = await self.get(name)
                if found.status.phase == phase:
                    return found
                await asyncio.sleep(0.01)

    async def gone(self, name: str, *, seconds: float = 3600) -> None:
        """Return when there is no such Installation."""
        async with asyncio.timeout(seconds):
            while True:
                try:
                    await self.get(name)
                except NotFound:
                    return
                await asyncio.sleep(0.01)

    async def left(self) -> list[str]:
        """All objects of ours that exist, as ``Kind name``; the Context is not counted."""
        await asyncio.sleep(60)  # the garbage collector works beside
        found = []
        resources: list[Resource[Any]] = [INSTALLATIONS, EXECUTIONS, DEPLOY_ITEMS, DATA_OBJECTS, TARGETS]
        for resource in resources:
            for obj in (await self.cluster.list(resource, namespace=NAMESPACE)).items:
                found.append(f"{resource.kind} {obj.metadata.name}")
        return sorted(found)


def condition(installation: Installation, type: str) -> Condition:
    """A condition that must be there."""
    found = conditions.find(installation.status.conditions, type)
    assert found is not None, f"there is no condition {type}: {installation.status.conditions}"
    return found


@asynccontextmanager
async def world(*, seed: int = 0, components: Components | None = None, context: bool = True) -> AsyncIterator[World]:
    """Everything running, in virtual time."""
    surroundings = Surroundings(
        clock=time.VirtualClock(), random=random.Random(seed), ids=RandomIds(random.Random(seed))
    )
    async with homes.in_process(surroundings) as cluster:
        if context:
            await cluster.create(CONTEXTS, {"metadata": {"name": "default"}}, namespace=NAMESPACE)
        async with process(cluster, surroundings, components=components) as opened:
            yield opened


@asynccontextmanager
async def process(
    cluster: Cluster,
    surroundings: Surroundings,
    *,
    components: Components | None = None,
    crash: Crash | None = None,
) -> AsyncIterator[World]:
    """One process with all controllers, on a home that is there."""
    async with AsyncExitStack() as stack:
        caches = await stack.enter_async_context(Caches(cluster, surroundings=surroundings))
        clusters = await stack.enter_async_context(Clusters(cluster, surroundings=surroundings))
        recording = Recording(cluster, crash)
        recorder = Recorder(cluster, "test", surroundings=surroundings)
        hands = Hands(recording, recorder, caches, surroundings=surroundings)
        metrics, life = Metrics(), Life()
        of_installations = installations.controller(caches, hands, metrics, reader=cluster, components=components)
        parts: list[Part] = [
            of_installations,
            executions.controller(caches, hands, metrics, reader=cluster),
            deployer_controller(MockDeployer(), caches, hands, metrics, clusters),
            recorder,
        ]
        opened = World(cluster, recording, of_installations, caches)
        caches.informer(INSTALLATIONS).subscribe(lambda old, new: _note(opened, new))
        await caches.synced()
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(part.run(life)) for part in parts]
            try:
                yield opened
            finally:
                life.stop()
                for task in running if recording.has_crashed else ():
                    task.cancel()


def _note(world: World, installation: Installation | None) -> None:
    if installation is not None and installation.status.phase:
        seen = world.phases.setdefault(installation.metadata.name or "", [])
        if not seen or seen[-1] != installation.status.phase:
            seen.append(installation.status.phase)


def in_a_world(scenario: Callable[[World], Awaitable[None]], **options: Any) -> None:
    """Run a scenario in a world of its own."""

    async def main() -> None:
        async with world(**options) as opened:
            await scenario(opened)

    time.run(main())
