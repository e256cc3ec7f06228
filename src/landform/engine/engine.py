"""The engine of one process: caches, controllers and deployers, started and stopped in order."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from landform.cluster.informers import Caches
from landform.cluster.kinds import INSTALLATIONS
from landform.deployers.library import Clusters, Selectors, deployer_controller
from landform.engine.roots import Roots
from landform.executions import controller as executions
from landform.executions import pickups
from landform.installations import controller as installations
from landform.installations.errands import Errands
from landform.installations.fetching.components import FetchedComponents
from landform.kit.surroundings import Surroundings
from landform.lifecycle import contexts
from landform.runtime.health import HealthServer
from landform.runtime.intents import Hands, NoFence
from landform.runtime.manager import Entered, Life, Manager
from landform.runtime.metrics import MeteredCluster, Metrics
from landform.runtime.recorders import Recorder
from landform.runtime.shards import Shards

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from landform.cluster.connections import Connection
    from landform.cluster.interface import Cluster
    from landform.components.settings import Repositories
    from landform.deployers.library import Deployer
    from landform.runtime.controllers import Controller
    from landform.runtime.manager import Part

COMPONENT: Final = "landform"
"""Who Events say they are from."""

_HURRY_SECONDS: Final = 1.0
"""How long running work may take to finish when an error or Ctrl-C ends the process."""


@dataclass(frozen=True)
class Replicas:
    """Several processes that share the work. All of one group must run the same controllers and deployers."""

    namespace: str
    """Where their leases are."""

    holder: str
    """What this process is called in its lease; for people."""

    group: str = COMPONENT
    """Those who share."""


@dataclass(frozen=True)
class HealthAddress:
    """Where operators ask how the process is doing."""

    host: str
    port: int


@dataclass(frozen=True)
class Settings:
    """How an engine runs."""

    replicas: Replicas | None = None
    """None: this is the only process, and needs no leases."""

    identity: str = ""
    """What its deployers write into the items they work on; made from their names and the time by default."""

    health: HealthAddress | None = None
    contexts: contexts.Rules = field(default_factory=contexts.Rules)
    home_connection: Connection | None = None
    """How others reach the cluster that the objects live in; for Targets that name it without an address."""

    repositories: Repositories | None = None
    """How component repositories are reached; None: not at all, Installations must have all in themselves."""

    selectors: Mapping[Deployer, Selectors] = field(default_factory=dict)
    """Which targets a deployer serves; one that is not in here serves all."""


class Engine:
    """Everything that one process runs."""

    def __init__(
        self,
        cluster: Cluster,
        surroundings: Surroundings | None = None,
        *,
        deployers: Sequence[Deployer] = (),
        settings: Settings | None = None,
    ) -> None:
        self._settings = settings or Settings()
        self._surroundings = surroundings or Surroundings()
        self.metrics = Metrics()
        # Figures that nobody can ask for are not taken.
        metered = MeteredCluster(cluster, self.metrics, surroundings=self._surroundings)
        self._cluster: Cluster = metered if self._settings.health is not None else cluster
        self.caches = Caches(self._cluster, surroundings=self._surroundings)
        self._recorder = Recorder(self._cluster, COMPONENT, surroundings=self._surroundings)
        self._shards = self._made_shards()
        self._roots = Roots(self.caches, self._cluster if self._shards is not None else None)
        self._hands = Hands(
            self._cluster, self._recorder, self.caches, self._shards or NoFence(), surroundings=self._surroundings
        )
        self._clusters = Clusters(
            self._cluster, home_connection=self._settings.home_connection, surroundings=self._surroundings
        )
        self._errands = Errands()
        self._components = self._made_components()
        self._controllers = self._made_controllers(deployers)

    async def run(self, life: Life) -> None:
        """Work until asked to stop; then finish what runs. Raises what a part of it raises."""
        manager = Manager(self._groups(life))
        if self._settings.health is not None:
            address = self._settings.health
            server = HealthServer(address.host, address.port, metrics=self.metrics, unready=manager.unready)
            manager.groups = [{"health": server}, *manager.groups]
        stopping = asyncio.create_task(life.stopping(), name="stop of the engine")
        stopping.add_done_callback(lambda _: manager.stop())
        try:
            await manager.run()
        finally:
            stopping.cancel()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """It works while this is entered. Should it fail, the block is cancelled and the failure comes out."""
        life = Life()
        try:
            async with asyncio.TaskGroup() as group:
                working = group.create_task(self.run(life), name="engine")
                await life.until_ready()
                try:
                    yield
                except BaseException:
                    # Whoever leaves in a hurry does not wait for work that takes long; it is done again later.
                    life.stop()
                    await asyncio.wait([working], timeout=_HURRY_SECONDS)
                    raise
                life.stop()
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None

    def _groups(self, life: Life) -> list[Mapping[str, Part]]:
        components = {} if self._components is None else {"components": Entered(self._components)}
        return [
            {"caches": Entered(self.caches), "recorder": self._recorder, "clusters": Entered(self._clusters)},
            {"errands": Entered(self._errands), **components},
            {"synced": _Synced(self.caches)},
            {"shards": self._shards, "roots": self._roots} if self._shards is not None else {},
            {controller.name: controller for controller in self._controllers},
            {"announcement": _Announcement(life)},
        ]

    def _made_shards(self) -> Shards | None:
        replicas = self._settings.replicas
        if replicas is None:
            return None
        return Shards(
            self._cluster,
            replicas.group,
            namespace=replicas.namespace,
            holder=replicas.holder,
            surroundings=self._surroundings,
        )

    def _made_components(self) -> FetchedComponents | None:
        repositories = self._settings.repositories
        if repositories is None:
            return None
        made = FetchedComponents(repositories.resolver(self._surroundings), self._cluster, repositories.policy)
        made.follow(self.caches.informer(INSTALLATIONS))
        return made

    def _made_controllers(self, deployers: Sequence[Deployer]) -> list[Controller[Any]]:
        caches, hands, metrics = self.caches, self._hands, self.metrics
        roots = self._roots
        of_installations = installations.controller(
            caches,
            hands,
            metrics,
            reader=self._cluster,
            components=self._components,
            errands=self._errands,
            root=roots.of_installation,
        )
        of_executions = executions.controller(caches, hands, metrics, reader=self._cluster, root=roots.of_execution)
        of_items: list[Controller[Any]] = [
            pickups.controller(caches, hands, metrics, root=roots.of_item),
            *(self._made_deployer(deployer, roots) for deployer in deployers),
        ]
        of_namespaces = contexts.controller(caches, hands, metrics, rules=self._settings.contexts)
        everyone: list[Controller[Any]] = [of_installations, of_executions, *of_items, of_namespaces]
        if self._shards is not None:
            roots.follow([of_installations], [of_executions], of_items)
            for controller in everyone:
                self._shards.join(controller)
        return everyone

    def _made_deployer(self, deployer: Deployer, roots: Roots) -> Controller[Any]:
        return deployer_controller(
            deployer,
            self.caches,
            self._hands,
            self.metrics,
            self._clusters,
            selectors=self._settings.selectors.get(deployer, Selectors()),
            identity=self._settings.identity,
            root=roots.of_item,
        )


class _Synced:
    """A part that is ready when the caches have everything: what is not in a cache then does not exist."""

    def __init__(self, caches: Caches) -> None:
        self._caches = caches

    async def run(self, life: Life) -> None:
        syncing = asyncio.create_task(self._caches.synced(), name="sync of the caches")
        stopping = asyncio.create_task(life.stopping(), name="stop of the sync")
        try:
            await asyncio.wait((syncing, stopping), return_when=asyncio.FIRST_COMPLETED)
            if syncing.done():
                life.ready()
            await stopping
        finally:
            syncing.cancel()
            stopping.cancel()


class _Announcement:
    """The last part to start: it tells whoever started the engine that all others are ready."""

    def __init__(self, outer: Life) -> None:
        self._outer = outer

    async def run(self, life: Life) -> None:
        life.ready()
        self._outer.ready()
        await life.stopping()
