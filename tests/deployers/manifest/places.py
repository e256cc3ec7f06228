"""A world for manifest items: the deployer at home, and targets."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.deployers.library import worlds

from landform.api import anyjson
from landform.api.conditions import ConditionType, find
from landform.api.names import KUBERNETES_CLUSTER
from landform.cluster.errors import NotFound
from landform.cluster.interface import WriteOptions
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES, SECRETS, Resource, Unstructured, untyped
from landform.deployers.manifest import ManifestDeployer
from landform.deployers.manifest.configuration import V1ALPHA2
from landform.testing import time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.deployers.library.worlds import World

    from landform.api.deployitems import DeployItem
    from landform.cluster.interface import Cluster

NAMESPACE = "shop"
DEPLOYMENTS = untyped("apps/v1", "Deployment", "deployments")
LABEL = "manifest.deployer.landscaper.gardener.cloud/deployitem"


def kubeconfig(server: str) -> dict[str, Any]:
    return {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c"}}],
        "clusters": [{"name": "c", "cluster": {"server": server}}],
    }


def config_map(name: str = "one", data: dict[str, str] | None = None, **metadata: Any) -> Unstructured:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": NAMESPACE, **metadata},
        "data": data or {},
    }


def deployment(name: str = "web", replicas: int = 1) -> Unstructured:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
    }


def definition(kind: str = "Widget", *, scope: str = "Namespaced") -> Unstructured:
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "scope": scope,
            "versions": [{**version, "subresources": {"status": {}}}],
        },
    }


WIDGETS = untyped("example.org/v1", "Widget", "widgets")


def widget(name: str = "w", **fields: Any) -> Unstructured:
    metadata = {"name": name, "namespace": NAMESPACE, **fields.pop("metadata", {})}
    return {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": metadata, **fields}


def manifests(*objs: Unstructured, **settings: Any) -> list[dict[str, Any]]:
    return [{"manifest": obj, **settings} for obj in objs]


@dataclass
class Place:
    """The deployer's world and a target."""

    world: World
    target: Cluster
    deployer: ManifestDeployer

    async def create(self, *objs: Unstructured, name: str = "one", settings: Any = None, **config: Any) -> None:
        spec = {key: config.pop(key) for key in ("timeout", "target") if key in config}
        spec.setdefault("target", {"name": "place", "namespace": "default"})
        content = {"apiVersion": V1ALPHA2, "kind": "ProviderConfiguration"}
        given = {"manifests": manifests(*objs, **(settings or {})), **config} if objs else config
        await self.world.create(name, config={**content, **given}, **spec)

    async def run(self, *objs: Unstructured, name: str = "one", seconds: float = 0.5, **config: Any) -> DeployItem:
        """Create an item, give it a job, and see what it is a moment later."""
        await self.create(*objs, name=name, **config)
        return await self.again(name, seconds=seconds)

    async def again(self, name: str = "one", *, seconds: float = 0.5) -> DeployItem:
        """Give the item a new job."""
        await self.world.trigger(name)
        return await self.later(name, seconds)

    async def later(self, name: str = "one", seconds: float = 0.5) -> DeployItem:
        await asyncio.sleep(seconds)
        return await self.world.item(name)

    async def change(self, *objs: Unstructured, name: str = "one", **config: Any) -> None:
        """Change the configuration."""
        settings = config.pop("settings", {})
        given = {"manifests": manifests(*objs, **settings), **config} if objs or not config else config
        await self.world.patch(name, {"spec": {"config": given}})

    async def get(self, resource: Resource[Unstructured], name: str, namespace: str = NAMESPACE) -> Unstructured:
        return await self.target.get(resource, name, namespace=namespace if resource.namespaced else "")

    async def data(self, name: str = "one") -> Any:
        return (await self.get(CONFIG_MAPS, name)).get("data")

    async def exists(self, resource: Resource[Unstructured], name: str) -> bool:
        try:
            await self.get(resource, name)
        except NotFound:
            return False
        return True

    async def put(self, obj: Unstructured, resource: Resource[Unstructured] = CONFIG_MAPS) -> Unstructured:
        return await self.target.create(resource, obj, namespace=NAMESPACE if resource.namespaced else "")

    async def status(self, resource: Resource[Unstructured], name: str, **status: Any) -> None:
        """Play the controller of an object."""
        options = WriteOptions(subresource="status")
        await self.target.patch(resource, name, {"status": status}, namespace=NAMESPACE, options=options)

    async def roll_out(self, name: str = "web", replicas: int = 1) -> None:
        """Play the controller manager: a Deployment becomes ready."""
        counts = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), replicas)
        generation = (await self.get(DEPLOYMENTS, name))["metadata"].get("generation", 1)
        await self.status(DEPLOYMENTS, name, observedGeneration=generation, **counts)

    async def add_target(self, name: str, cluster: Cluster) -> None:
        server = f"https://{name}"
        self.world.clusters[server] = cluster
        config = {"kubeconfig": kubeconfig(server)}
        await self.world.create_target(name, type=KUBERNETES_CLUSTER, config=config)


def managed(item: DeployItem) -> list[str]:
    """The objects that an item remembers."""
    status = anyjson.value(item.status.provider_status) or {}
    return sorted(f"{e['resource']['kind']} {e['resource']['name']}" for e in status.get("managedResources", ()))


def waits_for(item: DeployItem) -> str:
    found = find(item.status.conditions, ConditionType.WAITING)
    return found.message if found is not None else ""


def drifted(item: DeployItem) -> tuple[str, str]:
    """What the item says of drift: status and message."""
    found = find(item.status.conditions, "Drifted")
    return (found.status, found.message) if found is not None else ("", "")


def error(item: DeployItem) -> str:
    return item.status.last_error.message if item.status.last_error is not None else ""


def in_place(scenario: Callable[[Place], Awaitable[None]], **options: Any) -> None:
    """Run a scenario in virtual time; its target is the home itself, which costs half of two homes."""

    async def main() -> None:
        deployer = ManifestDeployer()
        async with worlds.world(deployer, **options) as world:
            place = Place(world, world.cluster, deployer)
            await place.add_target("place", place.target)
            await place.target.create(NAMESPACES, {"metadata": {"name": NAMESPACE}})
            await scenario(place)
            await world.stop()

    time.run(main())


__all__ = ["CONFIG_MAPS", "SECRETS"]
