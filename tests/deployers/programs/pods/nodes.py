"""A node that tests play: what a kubelet would say of a pod is written by hand, to a home without nodes."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from landform.cluster.interface import LIST_ALL, PLAIN_DELETE, WriteOptions
from landform.cluster.resources import SECRETS
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.identities import ItemId, RunId
from landform.deployers.programs.contract.sandboxes import Inputs, Order, Program
from landform.deployers.programs.pods import names, results
from landform.deployers.programs.pods.podspecs import PODS
from landform.deployers.programs.pods.sandbox import PodSandbox
from landform.deployers.programs.pods.settings import ContainerSettings, PodSettings
from landform.kit.clocks import parse_rfc3339, rfc3339
from landform.kit.surroundings import Surroundings
from landform.testing import homes
from landform.testing.time import VirtualClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster.interface import Cluster, DeleteOptions, ListOptions, ObjectList, WatchEvent
    from landform.cluster.resources import Resource, Unstructured
    from landform.deployers.programs.contract.outcomes import Result
    from landform.deployers.programs.contract.sandboxes import Progress

NAMESPACE = "default"
ITEM = ItemId("garden", "flowers", "0c6a3f0e-6a3b-4c31-9f53-2d2a8b4a7a10")
RUN = RunId(ITEM, "job-1", Operation.RECONCILE)
ORDER = Order(RUN, Program(image="example/flowers:1"), Inputs(imports=b"{}"))
SETTINGS = PodSettings(
    init=ContainerSettings("example/landform:1"),
    wait=ContainerSettings("example/landform:1"),
    grace=timedelta(seconds=20),
    saving=timedelta(seconds=30),
)

ON_NODE = "tests.landform/on-node"
"""Finalizer of a pod that its node has not ended yet."""

STARTED = "2030-01-01T00:00:01Z"
ENDED = "2030-01-01T00:00:03Z"


def running() -> dict[str, Any]:
    """The state of a container that runs."""
    return {"running": {"startedAt": STARTED}}


def waiting(reason: str, message: str = "") -> dict[str, Any]:
    """The state of a container that does not run yet."""
    return {"waiting": {"reason": reason, "message": message}}


def ended(code: int = 0, reason: str = "", message: str = "") -> dict[str, Any]:
    """The state of a container that has ended."""
    reason = reason or ("Error" if code else "Completed")
    said = {"exitCode": code, "reason": reason, "startedAt": STARTED, "finishedAt": ENDED}
    return {"terminated": {**said, **({"message": message} if message else {})}}


def status(phase: str = "Running", *, more: dict[str, Any] | None = None, **states: dict[str, Any]) -> dict[str, Any]:
    """The status of a pod, from the states of its containers."""
    containers = [_container(name, state) for name, state in states.items() if name == "main"]
    inits = [_container(name, state) for name, state in states.items() if name != "main"]
    return {"phase": phase, "containerStatuses": containers, "initContainerStatuses": inits, **(more or {})}


def _container(name: str, state: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "image": f"example/{name}:1", "imageID": f"sha256:{name}", "ready": False, "restartCount": 0,
            "state": state}  # fmt: skip


@dataclass
class World:
    """A home, a sandbox on it, and the node that is played."""

    home: Cluster
    sandbox: PodSandbox
    clock: VirtualClock
    reports: list[Progress] = field(default_factory=list)

    async def finished(self, run: RunId = RUN) -> Result:
        """What became of the run."""
        return await self.sandbox.finished(run, self.reports.append)

    async def pod(self, run: RunId = RUN) -> Unstructured:
        """The pod of the run as it is stored."""
        return await self.home.get(PODS, names.pod_name(run), namespace=NAMESPACE)

    async def schedule(self, run: RunId = RUN) -> None:
        """Give the pod a node, which has to agree before the pod is gone."""
        change = {"metadata": {"finalizers": [names.FINALIZER, ON_NODE]}, "spec": {"nodeName": "node-1"}}
        await self.home.patch(PODS, names.pod_name(run), change, namespace=NAMESPACE)

    async def say(self, said: dict[str, Any], run: RunId = RUN) -> None:
        """Write what the kubelet says of the pod."""
        options = WriteOptions(subresource="status")
        await self.home.patch(PODS, names.pod_name(run), {"status": said}, namespace=NAMESPACE, options=options)
        if said["phase"] in ("Succeeded", "Failed"):
            await self._release(run)

    async def _release(self, run: RunId) -> None:
        """Agree to the end of the pod."""
        finalizers = [each for each in (await self.pod(run))["metadata"]["finalizers"] if each != ON_NODE]
        change = {"metadata": {"finalizers": finalizers}}
        await self.home.patch(PODS, names.pod_name(run), change, namespace=NAMESPACE)

    async def tell(self, change: dict[str, Any], run: RunId = RUN) -> None:
        """Have the wait container say something in the Secret of the result."""
        await self.home.patch(SECRETS, names.result_name(run), change, namespace=NAMESPACE)

    async def collect(self, result: Result, run: RunId = RUN) -> None:
        """Write what the wait container would."""
        secret = await self.home.get(SECRETS, names.result_name(run), namespace=NAMESPACE)
        change = results.completing(secret, result)
        await self.home.patch(SECRETS, names.result_name(run), change, namespace=NAMESPACE)

    def another(self) -> PodSandbox:
        """A sandbox of another process on the same host."""
        return PodSandbox(self.home, NAMESPACE, "gardener", SETTINGS, Surroundings(clock=self.clock))


class GracefulHome:
    """A home that deletes pods on a node as a cluster with nodes does: not before the node agrees.

    A home without nodes leaves no pod any grace. So it is shown here as it was asked for, as long as the pod is held by
    its node.
    """

    def __init__(self, home: Cluster) -> None:
        self._home = home
        self._graces: dict[str, int] = {}
        self.create, self.replace, self.patch = home.create, home.replace, home.patch
        self.delete_collection, self.discover = home.delete_collection, home.discover
        self.version, self.close = home.version, home.close

    async def get(self, resource: Resource[Any], name: str, *, namespace: str = "", subresource: str = "") -> Any:
        return self._shown(await self._home.get(resource, name, namespace=namespace, subresource=subresource))

    async def list(
        self, resource: Resource[Any], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> ObjectList[Any]:
        found = await self._home.list(resource, namespace=namespace, options=options)
        return replace(found, items=[self._shown(each) for each in found.items])

    @asynccontextmanager
    async def watch(
        self, resource: Resource[Any], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> AsyncIterator[AsyncIterator[WatchEvent[Any]]]:
        async with self._home.watch(resource, namespace=namespace, options=options) as events:
            yield (replace(event, object=self._shown(event.object)) async for event in events)

    async def delete(
        self, resource: Resource[Any], name: str, *, namespace: str = "", options: DeleteOptions = PLAIN_DELETE
    ) -> Any:
        pod = await self._home.get(resource, name, namespace=namespace)
        if resource is PODS:
            asked, usual = options.grace_period_seconds, pod["spec"]["terminationGracePeriodSeconds"]
            wanted = usual if asked is None else asked
            self._graces[name] = min(wanted, self._graces.get(name, wanted))
        return await self._home.delete(resource, name, namespace=namespace, options=options)

    def _shown(self, obj: Any) -> Any:
        metadata = obj["metadata"] if obj else {}
        if ON_NODE not in (metadata.get("finalizers") or ()) or "deletionTimestamp" not in metadata:
            return obj
        grace = self._graces[metadata["name"]]
        due = parse_rfc3339(metadata["deletionTimestamp"]) + timedelta(seconds=grace)
        return {**obj, "metadata": {**metadata, "deletionGracePeriodSeconds": grace, "deletionTimestamp": rfc3339(due)}}


@asynccontextmanager
async def world(settings: PodSettings = SETTINGS) -> AsyncIterator[World]:
    """A home in virtual time with a sandbox on it."""
    clock = VirtualClock()
    surroundings = Surroundings(clock=clock)
    async with homes.in_process(surroundings) as bare:
        home = GracefulHome(bare)
        sandbox = PodSandbox(home, NAMESPACE, "gardener", settings, surroundings)
        try:
            yield World(home, sandbox, clock)
        finally:
            await sandbox.close()
