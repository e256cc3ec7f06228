"""What a run in a pod takes over the same program in a bare pod, on a real node.

Both are begun at a random moment: the kubelet looks at its containers once a second, and whoever begins when the last
one has just ended always meets it at the same point.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
import uuid
from contextlib import ExitStack
from typing import TYPE_CHECKING

from tests.cluster.controlplane.plane import ControlPlane
from tests.cluster.node import images
from tests.cluster.node.nodes import Node

from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.interface import ListOptions
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.identities import ItemId, RunId
from landform.deployers.programs.contract.sandboxes import Inputs, Order, Program
from landform.deployers.programs.pods.podspecs import PODS
from landform.deployers.programs.pods.sandbox import PodSandbox
from landform.deployers.programs.pods.settings import ContainerSettings, PodSettings
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from benchmarks.figures import Report

ROUNDS = 20
NAMESPACE = "default"
COMMAND = ("true",)
TARGET_SECONDS = 1.0


def measure(report: Report) -> None:
    """Print the figures."""
    with ExitStack() as stack:
        plane = stack.enter_context(ControlPlane())
        node = stack.enter_context(Node(plane))
        for archive in images.everything():
            node.load(archive)
        asyncio.run(_measure(report, plane))


async def _measure(report: Report, plane: ControlPlane) -> None:
    own = ContainerSettings(images.LANDFORM)
    settings = PodSettings(init=own, wait=own, default=ContainerSettings(images.SHELL))
    async with HttpCluster(kubeconfig.load(plane.kubeconfig)) as cluster:
        sandbox = PodSandbox(cluster, NAMESPACE, "benchmark", settings, Surroundings())
        try:
            await _ours(sandbox)
            rounds = [(await _bare(cluster), await _ours(sandbox)) for _ in range(ROUNDS)]
        finally:
            await sandbox.close()
    bare, ours = (statistics.median(each) for each in zip(*rounds, strict=True))
    report.figure("empty program in a bare pod", bare, "s")
    report.figure("empty program in a pod by Landform", ours, "s")
    report.at_most("overhead of Landform in a pod", ours - bare, TARGET_SECONDS, "s")


async def _bare(cluster: HttpCluster) -> float:
    """Seconds until a pod with nothing but the program has succeeded."""
    name = f"bare-{uuid.uuid4().hex[:8]}"
    container = {"name": "main", "image": images.SHELL, "imagePullPolicy": "IfNotPresent", "command": [*COMMAND]}
    spec = {"restartPolicy": "Never", "automountServiceAccountToken": False, "containers": [container]}
    await _some_moment()
    started = time.perf_counter()
    await cluster.create(PODS, {"metadata": {"name": name}, "spec": spec}, namespace=NAMESPACE)
    selection = ListOptions(field_selector=f"metadata.name={name}")
    async with cluster.watch(PODS, namespace=NAMESPACE, options=selection) as events:
        async for event in events:
            if event.object and event.object["status"].get("phase") == "Succeeded":
                break
    elapsed = time.perf_counter() - started
    await cluster.delete(PODS, name, namespace=NAMESPACE)
    return elapsed


async def _ours(sandbox: PodSandbox) -> float:
    """Seconds until the result of a run is there."""
    run = RunId(ItemId("default", "empty", str(uuid.uuid4())), "job", Operation.RECONCILE)
    await _some_moment()
    started = time.perf_counter()
    await sandbox.begin(Order(run, Program(command=COMMAND), Inputs(imports=b"{}")))
    result = await sandbox.finished(run, lambda _: None)
    elapsed = time.perf_counter() - started
    assert result.outcome.succeeded, result
    await sandbox.forget(run.item)
    return elapsed


async def _some_moment() -> None:
    await asyncio.sleep(random.uniform(0, 1))
