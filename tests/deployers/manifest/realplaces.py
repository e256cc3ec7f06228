"""Manifest items in real time, deployed over HTTPS to real servers: embedded homes and Kubernetes control planes."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.deployers.library import worlds

from landform.api.crds import crds
from landform.api.names import KUBERNETES_CLUSTER, Finalizer, ItemType
from landform.api.phases import is_final
from landform.cluster import kubeconfig
from landform.cluster.errors import NotFound
from landform.cluster.http import HttpCluster
from landform.cluster.informers import Caches
from landform.cluster.interface import ListOptions, WriteOptions
from landform.cluster.kinds import DEPLOY_ITEMS, TARGETS
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES, Resource, Unstructured
from landform.deployers.library import Clusters, DeployerController, deployer_controller
from landform.deployers.manifest import ManifestDeployer
from landform.deployers.manifest.configuration import V1ALPHA2
from landform.embedded.access.certificates import admin_kubeconfig
from landform.embedded.serving.server import Address, serve
from landform.kit import yamls
from landform.kit.clocks import SystemClock, rfc3339
from landform.runtime.intents import Hands
from landform.runtime.manager import Life
from landform.runtime.metrics import Metrics
from landform.runtime.recorders import Recorder
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.cluster.controlplane.plane import ControlPlane

    from landform.api.deployitems import DeployItem
    from landform.cluster.connections import Connection
    from landform.cluster.interface import Cluster
    from landform.embedded.home import EmbeddedHome

PATIENCE = 60.0


def kubeconfig_of_plane(plane: ControlPlane) -> str:
    return admin_kubeconfig(plane.url, plane.ca.read_text(), plane.token)


def kubeconfig_of_home(home: EmbeddedHome, url: str) -> str:
    return admin_kubeconfig(url, home.authority.ca, home.authority.admin_token)


@asynccontextmanager
async def embedded_target() -> AsyncIterator[str]:
    """The kubeconfig of an embedded home that is served."""
    async with homes.home() as home, serve(home, Address()) as url:
        yield kubeconfig_of_home(home, url)


@dataclass
class RealPlace:
    """A home with a deployer of manifests."""

    home: Cluster
    counting: worlds.Counting
    """What the deployer has written there."""

    controller: DeployerController
    deployer: ManifestDeployer
    namespace: str
    """In all targets, fresh."""

    at: str = "default"
    """At home, where items and Targets are."""

    async def add_target(self, name: str, text: str) -> HttpCluster:
        """A Target with a kubeconfig, the fresh namespace in its cluster, and a client for it."""
        await self.create_target(name, config={"kubeconfig": text})
        client = HttpCluster(kubeconfig.parse(text))
        await client.create(NAMESPACES, {"metadata": {"name": self.namespace}})
        return client

    async def create_target(self, name: str = "place", **spec: Any) -> None:
        body = {"metadata": {"name": name}, "spec": {"type": KUBERNETES_CLUSTER, **spec}}
        await self.home.create(TARGETS, body, namespace=self.at)

    def config_map(self, name: str = "one", data: dict[str, str] | None = None, **metadata: Any) -> Unstructured:
        metadata = {"name": name, "namespace": self.namespace, **metadata}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data or {}}

    async def create(self, *objs: Unstructured, name: str = "one", target: str = "place", **config: Any) -> None:
        spec = {key: config.pop(key) for key in ("timeout",) if key in config}
        manifests = [{"manifest": obj} for obj in objs]
        content = {"apiVersion": V1ALPHA2, "kind": "ProviderConfiguration", "manifests": manifests, **config}
        body = {
            "metadata": {"name": name, "finalizers": [str(Finalizer.LANDSCAPER)]},
            "spec": {
                "type": str(ItemType.MANIFEST),
                "target": {"name": target, "namespace": self.at},
                "config": content,
                **spec,
            },
        }
        await self.home.create(DEPLOY_ITEMS, body, namespace=self.at)
        await self.trigger(name)

    async def change(self, *objs: Unstructured, name: str = "one", **config: Any) -> None:
        config["manifests"] = [{"manifest": obj} for obj in objs]
        await self.home.patch(DEPLOY_ITEMS, name, {"spec": {"config": config}}, namespace=self.at)
        await self.trigger(name)

    async def trigger(self, name: str = "one") -> None:
        now = rfc3339(SystemClock().now())
        status = {"jobID": uuid.uuid4().hex, "jobIDGenerationTime": now, "observedGeneration": 0}
        options = WriteOptions(subresource="status")
        await self.home.patch(DEPLOY_ITEMS, name, {"status": status}, namespace=self.at, options=options)

    async def delete(self, name: str = "one") -> None:
        """Delete the item; no Execution has it, so that is all."""
        await self.home.delete(DEPLOY_ITEMS, name, namespace=self.at)

    async def until(self, wanted: Callable[[DeployItem], bool], name: str = "one") -> DeployItem:
        """The item, once it is as wanted."""
        async with asyncio.timeout(PATIENCE):
            options = ListOptions(field_selector=f"metadata.name={name}")
            async with self.home.watch(DEPLOY_ITEMS, namespace=self.at, options=options) as events:
                async for event in events:
                    if event.object is not None and wanted(event.object):
                        return event.object
        raise AssertionError("the watch ended")

    async def item(self, name: str = "one") -> DeployItem:
        return await self.home.get(DEPLOY_ITEMS, name, namespace=self.at)

    async def finished(self, name: str = "one") -> DeployItem:
        """The item, once its job is over."""
        return await self.until(
            lambda item: is_final(item.status.phase) and item.status.job_id == item.status.job_id_finished, name
        )

    async def gone(self, name: str = "one") -> None:
        """Return when the item is gone."""
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    await self.home.get(DEPLOY_ITEMS, name, namespace=self.at)
                except NotFound:
                    return
                await asyncio.sleep(0.02)

    async def exists(self, client: Cluster, name: str, resource: Resource[Unstructured] = CONFIG_MAPS) -> bool:
        try:
            await client.get(resource, name, namespace=self.namespace if resource.namespaced else "")
        except NotFound:
            return False
        return True


@asynccontextmanager
async def real_place(
    home: Cluster | None = None,
    *,
    at: str = "default",
    connection: Connection | None = None,
    connect: Callable[[Connection], Cluster] | None = None,
) -> AsyncIterator[RealPlace]:
    """A home with a deployer of manifests: the given one, whose items are in a namespace that is there, or one in here.

    `connection` is how the home is reached, for Targets that name it without an address; `connect` makes the clients
    of targets.
    """
    async with AsyncExitStack() as stack:
        found: Cluster = home if home is not None else await stack.enter_async_context(homes.in_process())
        clusters = await stack.enter_async_context(Clusters(found, home_connection=connection, connect=connect))
        caches = await stack.enter_async_context(Caches(found))
        counting, deployer = worlds.Counting(found), ManifestDeployer()
        hands = Hands(counting, Recorder(found, "test"), caches)
        controller = deployer_controller(deployer, caches, hands, Metrics(), clusters)
        await caches.synced()
        life = Life()
        running = asyncio.create_task(controller.run(life), name="controller")
        await life.until_ready()
        try:
            yield RealPlace(found, counting, controller, deployer, f"m-{uuid.uuid4().hex[:8]}", at)
        finally:
            life.stop()
            await running


def install_kinds(plane: ControlPlane) -> None:
    """Make a control plane know Landform's kinds, so that it can be a home."""
    plane.kubectl("apply", "--server-side", "--filename=-", input="---\n".join(map(yamls.dump, crds())))
    plane.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
