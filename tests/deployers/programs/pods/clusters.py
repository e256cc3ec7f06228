"""Runs on a cluster with a real node."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from tests.cluster.node import images

from landform.cluster.http import HttpCluster
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.identities import ItemId, RunId
from landform.deployers.programs.contract.sandboxes import Inputs, Order, Program
from landform.deployers.programs.pods.sandbox import PodSandbox
from landform.deployers.programs.pods.settings import ContainerSettings, PodSettings
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.cluster.controlplane.plane import ControlPlane

    from landform.deployers.programs.contract.outcomes import Result

SETTINGS = PodSettings(
    init=ContainerSettings(images.LANDFORM),
    wait=ContainerSettings(images.LANDFORM),
    default=ContainerSettings(images.SHELL),
    image_patience=timedelta(seconds=5),
)


DEPLOYER = "deployer"
"""The user that deployers are in tests; it has the rights of ``host-role.yaml``."""


@dataclass
class Host:
    """A namespace of a cluster with a node."""

    cluster: HttpCluster
    namespace: str
    plane: ControlPlane

    @asynccontextmanager
    async def sandbox(self, settings: PodSettings = SETTINGS) -> AsyncIterator[PodSandbox]:
        """A sandbox there, of a deployer with no more rights than it needs."""
        connection = replace(self.cluster.connection, headers=(("Impersonate-User", DEPLOYER),))
        async with HttpCluster(connection) as cluster:
            sandbox = PodSandbox(cluster, self.namespace, "tests", settings, Surroundings())
            try:
                yield sandbox
            finally:
                await sandbox.close()


def item() -> ItemId:
    """An item that was never there before."""
    return ItemId("garden", "flowers", str(uuid.uuid4()))


def script(
    text: str, of: ItemId, job: str = "job-1", operation: Operation = Operation.RECONCILE, inputs: Inputs | None = None
) -> Order:
    """A run of a shell script."""
    return Order(RunId(of, job, operation), Program(command=("sh", "-c", text)), inputs or Inputs())


async def ran(sandbox: PodSandbox, order: Order) -> Result:
    """What became of an order, from its beginning to its end; it is removed."""
    await sandbox.begin(order)
    result = await sandbox.finished(order.run, lambda _: None)
    await sandbox.remove(order.run)
    return result


async def printed(sandbox: PodSandbox, run: RunId) -> bytes:
    """All that a run prints."""
    return b"".join([chunk async for chunk in sandbox.output(run)])


async def started(sandbox: PodSandbox, run: RunId) -> None:
    """Return when the program has printed something."""
    async for _ in sandbox.output(run):
        await asyncio.sleep(0)
        return


async def gone(sandbox: PodSandbox, forgotten: ItemId) -> None:
    """Return when nothing is left of an item; its last pod takes the kubelet a moment."""
    async with asyncio.timeout(30):
        while True:
            if forgotten not in await sandbox.items():
                return
            await asyncio.sleep(0.1)
