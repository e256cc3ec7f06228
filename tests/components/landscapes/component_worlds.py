"""An embedded home whose Installations are made from components: engine, mock deployer, Context, in real time."""

from __future__ import annotations

import asyncio
import base64
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.api import anyjson, conditions, jobs
from landform.api.names import Annotation
from landform.cluster.errors import AlreadyExists, NotFound
from landform.cluster.kinds import (
    COMPONENT_VERSION_OVERWRITES,
    CONTEXTS,
    DATA_OBJECTS,
    DEPLOY_ITEMS,
    INSTALLATIONS,
    TARGETS,
)
from landform.cluster.resources import CONFIG_MAPS, SECRETS
from landform.cluster.retries import Backoff
from landform.components.httpclients import HttpSettings
from landform.components.settings import Repositories
from landform.deployers.mock import MockDeployer
from landform.engine.engine import Engine, Settings
from landform.kit import yamls
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from landform.api.conditions import Condition
    from landform.api.installations import Installation
    from landform.cluster import Cluster

NAMESPACE = "default"
CLUSTER = "landscaper.gardener.cloud/kubernetes-cluster"
KUBECONFIG = yamls.dump(
    {
        "clusters": [{"name": "nowhere", "cluster": {"server": "http://127.0.0.1:1"}}],
        "contexts": [{"name": "nowhere", "context": {"cluster": "nowhere"}}],
        "current-context": "nowhere",
    }
)
"""A cluster that the mock deployer never asks for anything."""

HTTP = HttpSettings(tries=2, backoff=Backoff(0.001, 0.002), connect_seconds=2.0, silence_seconds=2.0)


@dataclass
class World:
    """A home at work."""

    cluster: Cluster

    async def create(self, name: str, **spec: Any) -> None:
        """An Installation that is asked to run."""
        annotations = {str(Annotation.OPERATION): "reconcile"}
        await self.cluster.create(
            INSTALLATIONS, {"metadata": {"name": name, "annotations": annotations}, "spec": spec}, namespace=NAMESPACE
        )

    async def run(self, name: str, **spec: Any) -> Installation:
        """An Installation once its first job is over."""
        await self.create(name, **spec)
        return await self.ended(name)

    async def get(self, name: str) -> Installation:
        return await self.cluster.get(INSTALLATIONS, name, namespace=NAMESPACE)

    async def ended(self, name: str) -> Installation:
        async with asyncio.timeout(40):
            while True:
                found = await self.get(name)
                if found.status.job_id and not jobs.is_busy(found.status):
                    return found
                await asyncio.sleep(0.02)

    async def waiting(self, name: str) -> Condition:
        """What it waits for, once it says so."""
        async with asyncio.timeout(40):
            while True:
                found = conditions.find((await self.get(name)).status.conditions, "Waiting")
                if found is not None:
                    return found
                await asyncio.sleep(0.02)

    async def deleted(self, name: str) -> None:
        """Delete it, and return when it is gone."""
        await self.cluster.delete(INSTALLATIONS, name, namespace=NAMESPACE)
        async with asyncio.timeout(40):
            while True:
                try:
                    await self.get(name)
                except NotFound:
                    return
                await asyncio.sleep(0.02)

    async def child(self, template: str) -> Installation:
        """The sub-Installation of that name in its blueprint."""
        for installation in (await self.cluster.list(INSTALLATIONS, namespace=NAMESPACE)).items:
            if (installation.metadata.annotations or {}).get(Annotation.SUBINSTALLATION_NAME) == template:
                return installation
        raise AssertionError(f"there is no sub-installation {template}")

    async def context(self, **fields: Any) -> None:
        """Have the default Context say this."""
        async with asyncio.timeout(10):
            while True:
                try:
                    await self.cluster.patch(CONTEXTS, "default", fields, namespace=NAMESPACE)
                    return
                except NotFound:
                    await asyncio.sleep(0.02)

    async def secret(self, name: str, **data: str) -> None:
        encoded = {key.replace("__", "."): base64.b64encode(text.encode()).decode() for key, text in data.items()}
        await self.cluster.create(SECRETS, {"metadata": {"name": name}, "data": encoded}, namespace=NAMESPACE)

    async def config_map(self, name: str, **data: str) -> None:
        made = {"metadata": {"name": name}, "data": {key.replace("__", "."): text for key, text in data.items()}}
        await self.cluster.create(CONFIG_MAPS, made, namespace=NAMESPACE)

    async def overwrites(self, name: str, overwrites: list[dict[str, Any]]) -> None:
        made = {"metadata": {"name": name}, "overwrites": overwrites}
        await self.cluster.create(COMPONENT_VERSION_OVERWRITES, made, namespace=NAMESPACE)

    async def greeting(self) -> None:
        """What the recorded blueprints import: a text and a Target."""
        data = {"metadata": {"name": "greeting"}, "data": "hello"}
        target = {"metadata": {"name": "cluster"}, "spec": {"type": CLUSTER, "config": {"kubeconfig": KUBECONFIG}}}
        try:
            await self.cluster.create(DATA_OBJECTS, data, namespace=NAMESPACE)
            await self.cluster.create(TARGETS, target, namespace=NAMESPACE)
        except AlreadyExists:
            pass

    async def exported(self, name: str) -> Any:
        return anyjson.value((await self.cluster.get(DATA_OBJECTS, name, namespace=NAMESPACE)).data)

    async def items(self) -> list[Any]:
        """The configurations of all deploy items."""
        found = (await self.cluster.list(DEPLOY_ITEMS, namespace=NAMESPACE)).items
        return [anyjson.value(item.spec.config) for item in found]


GREETED = {
    "imports": {
        "data": [{"name": "greeting", "dataRef": "greeting"}],
        "targets": [{"name": "cluster", "target": "cluster"}],
    },
    "exports": {"data": [{"name": "result", "dataRef": "result"}]},
}
"""What an Installation of a recorded blueprint says about data."""


def by_name(name: str, version: str = "1.0.0", where: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A component by reference."""
    context = {"repositoryContext": where} if where else {}
    return {"ref": {"componentName": name, "version": version, **context}}


def failure(installation: Installation) -> str:
    """Why a job failed."""
    assert installation.status.phase == "Failed", installation.status
    assert installation.status.last_error is not None
    return f"{installation.status.last_error.reason}: {installation.status.last_error.message}"


@asynccontextmanager
async def world(folder: Path, *, root: Path | None = None, **settings: Any) -> AsyncIterator[World]:
    """A home with access to repositories; its cache is in the folder."""
    repositories = Repositories(folder / "cache", root=root, **{"http": HTTP, **settings})
    async with homes.in_process() as cluster:
        engine = Engine(cluster, deployers=[MockDeployer()], settings=Settings(repositories=repositories))
        async with engine.running():
            yield World(cluster)


@dataclass
class Authored:
    """A folder for the repository type `local` that a test writes."""

    folder: Path

    @property
    def spec(self) -> dict[str, Any]:
        return {"type": "local"}

    def component(
        self, name: str, *, blueprint: Any = None, version: str = "1.0.0", references: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Write a component version with a blueprint; references are names of others of version 1.0.0."""
        resources = []
        if blueprint is not None:
            place = self.folder / "blobs" / f"{name.rpartition('/')[2]}-{version}"
            place.mkdir(parents=True)
            (place / "blueprint.yaml").write_text(yamls.dump(blueprint))
            access = {"type": "localFilesystemBlob", "fileName": place.name, "mediaType": "application/x-tar"}
            resources.append(resource("blueprint", "landscaper.gardener.cloud/blueprint", access, version))
        made = descriptor(name, resources, version=version, references=references)
        self.write(made)
        return made

    def write(self, made: dict[str, Any]) -> None:
        component = made["component"]
        self.folder.mkdir(exist_ok=True)
        file = self.folder / f"{component['name'].rpartition('/')[2]}-{component['version']}.yaml"
        file.write_text(yamls.dump(made))


def resource(name: str, kind: str, access: dict[str, Any], version: str = "1.0.0") -> dict[str, Any]:
    return {"name": name, "version": version, "type": kind, "relation": "local", "access": access}


def descriptor(
    name: str,
    resources: list[dict[str, Any]],
    *,
    version: str = "1.0.0",
    references: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """A descriptor of schema v2."""
    return {
        "meta": {"schemaVersion": "v2"},
        "component": {
            "name": name,
            "version": version,
            "provider": "example.com",
            "repositoryContexts": [],
            "sources": [],
            "componentReferences": [
                {"name": each, "componentName": other, "version": "1.0.0"} for each, other in (references or {}).items()
            ],
            "resources": resources,
        },
    }


def mock_blueprint(template: str = "", **parts: Any) -> dict[str, Any]:
    """A blueprint with one mock item whose `export.value` is what a Go template gives."""
    item = f"""\
deployItems:
- name: item
  type: landscaper.gardener.cloud/mock
  config:
    apiVersion: mock.deployer.landscaper.gardener.cloud/v1alpha1
    kind: ProviderConfiguration
    export: {{value: {template or "fine"}}}
"""
    return {"deployExecutions": [{"name": "main", "type": "GoTemplate", "template": item}], **parts}
