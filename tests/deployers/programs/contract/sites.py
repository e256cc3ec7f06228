"""What the contract's tests need: a place where programs run, a home with the deployer, and ways to play a user."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
from tests.deployers.library.worlds import World, world

from landform.api import anyjson, jobs
from landform.api.names import Annotation, ItemType, Operation
from landform.api.phases import Phase
from landform.cluster import codec
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import NAMESPACES, SECRETS
from landform.deployers.container import ContainerDeployer
from landform.deployers.programs.runs import logs
from landform.deployers.programs.setup.building import Site
from landform.deployers.script import ScriptDeployer
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    from landform.api.deployitems import DeployItem
    from landform.deployers.library import Deployer
    from landform.deployers.programs.contract.sandboxes import Sandbox, SandboxName

SCRIPT = "script.deployer.landscaper.gardener.cloud/v1alpha1"
CONTAINER = "container.deployer.landscaper.gardener.cloud/v1alpha1"
KIND = "ProviderConfiguration"


@dataclass(frozen=True)
class Place:
    """Where programs run."""

    name: SandboxName
    folder: Path
    config: Mapping[str, Any] = field(default_factory=dict)
    """The deployer's configuration."""

    image: str = ""
    """An image with a shell; none where programs need no image."""

    moment: float = 1.5
    """Seconds after which a program surely has begun."""

    patience: float = 30.0
    """Seconds that a program without work may take on a busy machine."""

    def deployer(self) -> ScriptDeployer:
        """A new deployer of scripts."""
        config = {"grace": "1s", "sandbox": str(self.name), **self.config}
        return ScriptDeployer.configured(config, Site(self.folder, environ={"PATH": "/usr/bin:/bin"}))

    def image_deployer(self) -> ContainerDeployer:
        """A new deployer of images."""
        config = {"grace": "1s", "sandbox": str(self.name), **self.config}
        return ContainerDeployer.configured(config, Site(self.folder, environ={"PATH": "/usr/bin:/bin"}))


@dataclass
class User:
    """Somebody with a home and a deployer."""

    place: Place
    world: World

    async def create(self, script: str, name: str = "one", **more: Any) -> None:
        """An item that runs a script; `more` are fields of the specification, `config` further ones of its own."""
        given = {"apiVersion": SCRIPT, "kind": KIND, "script": script, **more.pop("config", {})}
        if self.place.image:
            given["image"] = self.place.image
        await self.world.create(name, config={key: value for key, value in given.items() if value is not None}, **more)

    async def run(self, script: str, name: str = "one", **more: Any) -> DeployItem:
        """The item when its first job is over."""
        await self.create(script, name, **more)
        await self.world.trigger(name)
        return await self.done(name)

    async def again(self, name: str = "one") -> DeployItem:
        """The item after another job."""
        await self.world.trigger(name)
        return await self.done(name)

    async def done(self, name: str = "one") -> DeployItem:
        """The item when its job is over."""
        await self.until(lambda item: not jobs.is_busy(item.status), name)
        return await self.world.item(name)

    async def until(self, condition: Callable[[DeployItem], object], name: str = "one") -> DeployItem:
        """The item once it is as wanted."""
        async with asyncio.timeout(self.place.patience):
            while True:
                item = await self.world.item(name)
                if condition(item):
                    return item
                await asyncio.sleep(0.02)

    async def running(self, name: str = "one") -> DeployItem:
        """The item when its program runs and has printed something."""
        item = await self.until(is_running, name)
        async with asyncio.timeout(self.place.patience):
            while True:
                if await self.printed(name):
                    return item
                await asyncio.sleep(0.05)

    async def gone(self, name: str = "one") -> None:
        """Return when the item is gone."""
        async with asyncio.timeout(self.place.patience):
            while True:
                if await self.world.is_gone(name):
                    return
                await asyncio.sleep(0.02)

    async def exported(self, name: str = "one") -> Any:
        """What the item exports."""
        return await self.world.exported(f"{name}-export")

    async def printed(self, name: str = "one", which: str = logs.LOG) -> str:
        """What its program printed, as far as it is kept."""
        kept = [secret for secret in await self.secrets() if secret["metadata"]["name"] == f"{name}-logs"]
        found = logs.read(kept[0], which) if kept else None
        return found.content.decode() if found is not None else ""

    async def secrets(self) -> list[Any]:
        """All Secrets of the namespace."""
        return list((await self.world.cluster.list(SECRETS, namespace="default")).items)

    async def interrupt(self, name: str = "one") -> None:
        """End the item's job as its Execution does for an interrupt."""
        job = (await self.world.item(name)).status.job_id
        await self.world.write_status(name, {"phase": "Failed", "jobIDFinished": job})

    async def annotate(self, key: str, value: str, name: str = "one") -> None:
        await self.world.patch(name, {"metadata": {"annotations": {key: value}}})

    async def restart(self, *, after: float = 0.0) -> None:
        """Another deployer takes over after some seconds; the first is gone without a word."""
        working = next(task for task in asyncio.all_tasks() if task.get_name() == "controller")
        working.cancel()
        await asyncio.wait([working])
        with contextlib.suppress(asyncio.CancelledError):
            await self.world.stop()
        await asyncio.sleep(after)
        await self.world.start()

    async def left(self) -> tuple[list[str], list[str]]:
        """The tokens of runs and items of which anything is left."""
        async with self.sandbox() as sandbox:
            runs, items = await sandbox.runs(), await sandbox.items()
        return [run.token for run in runs], [item.token for item in items]

    @asynccontextmanager
    async def sandbox(self) -> AsyncIterator[Sandbox]:
        """The sandbox itself, as another deployer sees it."""
        made = self.place.image_deployer() if self.world.deployer.type == ItemType.CONTAINER else self.place.deployer()
        grounds = made._equipment.grounds
        async with (
            grounds.serving(),
            grounds.sandbox(self.place.name, self.world.cluster, self.world.surroundings) as sandbox,
        ):
            yield sandbox

    async def namespace(self, name: str) -> None:
        await self.world.cluster.create(NAMESPACES, {"metadata": {"name": name}})


def provider_status(item: DeployItem) -> Any:
    """What the deployer says of the program."""
    return anyjson.value(item.status.provider_status)


def is_running(item: DeployItem) -> bool:
    """Whether the program has begun."""
    status = item.status.provider_status
    return bool(status) and anyjson.value(status).get("reason") == "Running"


def error_of(item: DeployItem) -> str:
    """What the item's error says."""
    assert item.status.last_error is not None
    return item.status.last_error.message


@asynccontextmanager
async def user(place: Place, deployer: Deployer | None = None) -> AsyncIterator[User]:
    """A home with the deployer at work, in real time: programs know no other."""
    async with world(deployer or place.deployer(), surroundings=Surroundings()) as opened:
        yield User(place, opened)


async def run_elsewhere(user: User, namespace: str, like: DeployItem) -> Any:
    """Run an item like another one in another namespace; what it exports."""
    cluster, name = user.world.cluster, like.metadata.name or ""
    annotations = {str(Annotation.OPERATION): str(Operation.TEST_RECONCILE)}
    body = {"metadata": {"name": name, "annotations": annotations}, "spec": like.spec}
    await cluster.create(DEPLOY_ITEMS, msgspec.json.decode(codec.encode(body)), namespace=namespace)
    async with asyncio.timeout(user.place.patience):
        while True:
            item = await cluster.get(DEPLOY_ITEMS, name, namespace=namespace)
            if item.status.phase == Phase.SUCCEEDED:
                break
            await asyncio.sleep(0.02)
    secret = await cluster.get(SECRETS, f"{name}-export", namespace=namespace)
    return msgspec.json.decode(base64.b64decode(secret["data"]["config"]))
