"""An example, run to its end in virtual time with everything that one process of Landform has."""

from __future__ import annotations

import asyncio
import random
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api import jobs
from landform.api.names import Annotation, Operation
from landform.cli import applying, manifests
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, INSTALLATIONS
from landform.deployers.programs.setup.building import Site
from landform.engine.deployers import BUILT_IN, chosen
from landform.engine.engine import Engine
from landform.kit.ids import RandomIds
from landform.kit.surroundings import Surroundings
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from landform.api.deployitems import DeployItem
    from landform.api.installations import Installation
    from landform.cluster.interface import Cluster

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMESPACE = "default"


@dataclass(frozen=True)
class Landscape:
    """What an example has become."""

    cluster: Cluster

    async def installation(self, name: str) -> Installation:
        return await self.cluster.get(INSTALLATIONS, name, namespace=NAMESPACE)

    async def exported(self, name: str) -> Any:
        """The value of a DataObject of the root scope."""
        obj = await self.cluster.get(DATA_OBJECTS, name, namespace=NAMESPACE)
        return msgspec.json.decode(obj.data)

    async def items(self) -> list[DeployItem]:
        return list((await self.cluster.list(DEPLOY_ITEMS, namespace=NAMESPACE)).items)

    async def apply(self, *paths: str) -> None:
        """As `landform apply` does it, and until all jobs are over."""
        found = manifests.read([EXAMPLES / path for path in paths])
        await applying.apply_all(self.cluster, found, applying.How(NAMESPACE, is_quiet=True))
        await self.settled()

    async def reconcile(self, name: str) -> None:
        """Have an Installation do its work again, and wait until all jobs are over."""
        change = {"metadata": {"annotations": {str(Annotation.OPERATION): str(Operation.RECONCILE)}}}
        await self.cluster.patch(INSTALLATIONS, name, change, namespace=NAMESPACE)
        await self.settled()

    async def delete(self, name: str) -> None:
        """Delete an Installation and wait until it is gone."""
        await self.cluster.delete(INSTALLATIONS, name, namespace=NAMESPACE)
        async with asyncio.timeout(60):
            while name in await self.phases():  # noqa: ASYNC110 - the condition is in a cluster
                await asyncio.sleep(0.05)

    async def settled(self) -> None:
        """Wait until no Installation has or wants a job."""
        async with asyncio.timeout(600):
            while await self._is_at_work():  # noqa: ASYNC110 - the condition is in a cluster
                await asyncio.sleep(0.1)

    async def _is_at_work(self) -> bool:
        return any(map(_has_or_wants_a_job, (await self.cluster.list(INSTALLATIONS)).items))

    async def phases(self) -> dict[str, str | None]:
        """The phase of each Installation."""
        found = (await self.cluster.list(INSTALLATIONS)).items
        return {str(installation.metadata.name): installation.status.phase for installation in found}


def _has_or_wants_a_job(installation: Installation) -> bool:
    return jobs.is_busy(installation.status) or Annotation.OPERATION in (installation.metadata.annotations or {})


@asynccontextmanager
async def landscape(*paths: str) -> AsyncIterator[Landscape]:
    """A home with an engine, the files of an example applied, and all jobs ended."""
    chance = random.Random(7)
    surroundings = Surroundings(clock=time.VirtualClock(), ids=RandomIds(chance), random=chance)
    async with homes.in_process(surroundings) as cluster:
        engine = Engine(cluster, surroundings, deployers=chosen("mock"))
        async with engine.running():
            landscape = Landscape(cluster)
            await landscape.apply(*paths)
            yield landscape


@asynccontextmanager
async def landscape_of_programs(
    folder: Path, *paths: str, config: Mapping[str, Any] | None = None
) -> AsyncIterator[Landscape]:
    """The same with programs below `folder`: they are real, so the time is, too."""
    site = Site(folder / "programs")
    async with homes.in_process() as cluster:
        engine = Engine(cluster, deployers=[BUILT_IN[name](config or {}, site) for name in ("script", "container")])
        async with engine.running():
            landscape = Landscape(cluster)
            await landscape.apply(*paths)
            yield landscape
