"""What people do to a landscape: apply, run, annotate, delete, and wait for what comes of it."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.simulation.scenarios.core import landscapes, objects

from landform.api.names import Annotation, Operation
from landform.cluster.errors import AlreadyExists, NotFound
from landform.cluster.kinds import CONTEXTS, DATA_OBJECTS, EXECUTIONS, INSTALLATIONS, TARGETS
from landform.cluster.resources import NAMESPACES, ObjectKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.scenarios.core.landscapes import Part

    from landform.cluster.resources import Resource, Unstructured
    from landform.testing.simulation.scenarios import World

_LOOK_SECONDS = 0.25


@dataclass(frozen=True)
class People:
    """Those who work in one namespace."""

    world: World
    namespace: str = "default"

    async def settle_in(self) -> None:
        """Have the namespace and its Context."""
        await self.found_namespace()
        await self.world.cluster.create(CONTEXTS, {"metadata": {"name": "default"}}, namespace=self.namespace)

    async def found_namespace(self) -> None:
        """Have the namespace; its Context comes by itself."""
        with contextlib.suppress(AlreadyExists):
            await self.world.cluster.create(NAMESPACES, {"metadata": {"name": self.namespace}})

    async def pause(self, longest: float) -> None:
        """Do nothing for a while."""
        await asyncio.sleep(self.world.chance.uniform(0.0, longest))

    async def apply(self, *parts: Part) -> None:
        """Have Installations be so, and ask them to run."""
        for part in parts:
            obj = landscapes.installation(part)
            if self.found(part.name) is None:
                await self.world.cluster.create(INSTALLATIONS, obj, namespace=self.namespace)
            else:
                await self.world.cluster.patch(INSTALLATIONS, part.name, obj, namespace=self.namespace)

    async def annotate(self, name: str, annotation: Annotation, value: str) -> None:
        """Set an annotation, unless the Installation is gone."""
        change = {"metadata": {"annotations": {str(annotation): value}}}
        with contextlib.suppress(NotFound):
            await self.world.cluster.patch(INSTALLATIONS, name, change, namespace=self.namespace)

    async def run(self, *names: str) -> None:
        """Ask for new jobs."""
        for name in names:
            await self.annotate(name, Annotation.OPERATION, Operation.RECONCILE)

    async def interrupt(self, name: str) -> None:
        """Have everything fail that is not finished."""
        await self.annotate(name, Annotation.OPERATION, Operation.INTERRUPT)

    async def delete(self, *names: str) -> None:
        """Ask for Installations to go."""
        for name in names:
            with contextlib.suppress(NotFound):
                await self.world.cluster.delete(INSTALLATIONS, name, namespace=self.namespace)

    async def force(self, name: str) -> None:
        """Take the finalizers off an Installation and its Execution by hand."""
        resources: tuple[Resource[Any], ...] = (INSTALLATIONS, EXECUTIONS)
        for resource in resources:
            with contextlib.suppress(NotFound):
                change = {"metadata": {"finalizers": None}}
                await self.world.cluster.patch(resource, name, change, namespace=self.namespace)

    async def give(self, **values: str) -> None:
        """Have DataObjects with these values."""
        for name, value in values.items():
            obj = {"metadata": {"name": name}, "data": value}
            if self.world.history.get(DATA_OBJECTS, ObjectKey(self.namespace, name)) is None:
                await self.world.cluster.create(DATA_OBJECTS, obj, namespace=self.namespace)
            else:
                await self.world.cluster.patch(DATA_OBJECTS, name, {"data": value}, namespace=self.namespace)

    async def target(self, *names: str) -> None:
        """Have Targets."""
        for name in names:
            await self.world.cluster.create(TARGETS, landscapes.target(name), namespace=self.namespace)

    async def idle(self, *names: str) -> None:
        """Wait until these have nothing to do, or are gone."""
        await self._until(lambda: all(objects.is_idle(self.found(name)) for name in names))

    async def gone(self, *names: str) -> None:
        """Wait until these are gone."""
        await self._until(lambda: all(self.found(name) is None for name in names))

    async def working(self, name: str, phase: str) -> None:
        """Wait until an Installation is in a phase, or its job is over."""
        await self._until(lambda: self._is_at(name, phase))

    def found(self, name: str) -> Unstructured | None:
        """An Installation as it is."""
        return self.world.history.get(INSTALLATIONS, ObjectKey(self.namespace, name))

    def _is_at(self, name: str, phase: str) -> bool:
        said = objects.status_of(self.found(name))
        return bool(said.get("phase") == phase or (said.get("jobID") and objects.is_idle(self.found(name))))

    async def _until(self, done: Callable[[], bool]) -> None:
        while not done():  # noqa: ASYNC110 - the history has no event to wait for
            await asyncio.sleep(_LOOK_SECONDS)
