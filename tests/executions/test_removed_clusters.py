"""Items whose cluster may be gone before they are: then nothing has to be uninstalled."""

from __future__ import annotations

import base64
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.executions.worlds import NAMESPACE, World, in_a_world, template

from landform.api.names import Annotation, Finalizer, Label
from landform.cluster.codec import key_of
from landform.cluster.kinds import DEPLOY_ITEMS, TARGET_SYNCS, TARGETS
from landform.cluster.resources import CUSTOM_RESOURCE_DEFINITIONS, EVENTS, SECRETS
from landform.embedded.access.certificates import admin_kubeconfig
from landform.embedded.serving.server import Address, serve
from landform.executions import clusters, items
from landform.executions.clusters import SHOOTS
from landform.runtime.intents import Hands
from landform.runtime.recorders import Recorder
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.api.deployitems import DeployItem
    from landform.cluster.interface import Cluster

KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: shoot
contexts: [{{name: shoot, context: {{cluster: shoot}}}}]
clusters: [{{name: shoot, cluster: {{server: "{server}"}}}}]
"""
TARGET = {"name": "eu", "namespace": NAMESPACE}
SKIP = {"skipUninstallIfClusterRemoved": True}


async def prepare(world: World, server: str) -> None:
    """A Target as a TargetSync makes it, and an Execution that uses it."""
    text = base64.b64encode(KUBECONFIG.format(server=server).encode()).decode()
    secret = {"metadata": {"name": "eu"}, "data": {"kubeconfig": text}}
    await world.cluster.create(SECRETS, secret, namespace=NAMESPACE)
    spec = {"type": "landscaper.gardener.cloud/kubernetes-cluster", "secretRef": {"name": "eu", "key": "kubeconfig"}}
    target = {"metadata": {"name": "eu", "labels": {Label.TARGET_SYNC: "ok"}}, "spec": spec}
    await world.cluster.create(TARGETS, target, namespace=NAMESPACE)
    await world.apply(template("a", target=TARGET, onDelete=SKIP), template("plain", target=TARGET))


@pytest.mark.parametrize(
    ("server", "name"),
    [
        ("https://api.blue.project.example.com", "blue"),
        ("https://api.blue:443", "blue"),
        ("https://elsewhere.example.com", ""),
        ("http://api.blue.example.com", ""),
    ],
)
def test_the_name_of_a_cluster_is_in_its_address(server: str, name: str) -> None:
    assert clusters.name_of(server) == name


def test_an_item_is_noted_with_the_name_of_its_cluster() -> None:
    async def scenario(world: World) -> None:
        await prepare(world, "https://api.blue.project.example.com")
        assert (await world.run("J")).status.phase == "Succeeded"
        assert ((await world.item("a")).metadata.annotations or {})[Annotation.CLUSTER_NAME] == "blue"
        assert Annotation.CLUSTER_NAME not in ((await world.item("plain")).metadata.annotations or {})

    in_a_world(scenario)


def test_a_cluster_without_a_name_fails_the_job() -> None:
    async def scenario(world: World) -> None:
        await prepare(world, "https://elsewhere.example.com")
        ended = await world.run("J")
        assert ended.status.phase == "Failed"
        assert ended.status.last_error is not None
        assert ended.status.last_error.reason == "ClusterName"
        assert "https://elsewhere.example.com" in ended.status.last_error.message

    in_a_world(scenario)


def test_without_a_target_sync_it_is_uninstalled_as_usual() -> None:
    async def scenario(world: World) -> None:
        await prepare(world, "https://api.blue.project.example.com")
        await world.run("J")
        world.tiny.log.clear()
        assert await world.delete("D") is None
        assert sorted(world.tiny.log) == ["+a!", "+plain!", "-a!", "-plain!"]

    in_a_world(scenario)


@asynccontextmanager
async def garden(*shoots: str) -> AsyncIterator[tuple[Cluster, str]]:
    """A Gardener with some shoots, and the kubeconfig for it."""
    names = {"kind": "Shoot", "plural": "shoots"}
    schema = {"openAPIV3Schema": {"type": "object"}}
    version = {"name": "v1beta1", "served": True, "storage": True, "schema": schema}
    definition = {
        "metadata": {"name": "shoots.core.gardener.cloud"},
        "spec": {"group": "core.gardener.cloud", "names": names, "scope": "Namespaced", "versions": [version]},
    }
    async with homes.home() as opened, serve(opened, Address()) as url:
        await opened.cluster.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
        for name in shoots:
            body = {"metadata": {"name": name, "finalizers": ["gardener.cloud/x"]}}
            await opened.cluster.create(SHOOTS, body, namespace=NAMESPACE)
        yield opened.cluster, admin_kubeconfig(url, opened.authority.ca, opened.authority.admin_token)


async def uninstalled(cluster: Cluster, kubeconfig: str) -> DeployItem | None:
    """What becomes of an item on cluster blue that is to go; None if it has gone at once."""
    data = {"kubeconfig": base64.b64encode(kubeconfig.encode()).decode()}
    await cluster.create(SECRETS, {"metadata": {"name": "garden"}, "data": data}, namespace=NAMESPACE)
    sync: dict[str, Any] = {"sourceNamespace": NAMESPACE, "secretRef": {"name": "garden", "key": "kubeconfig"}}
    made = await cluster.create(TARGET_SYNCS, {"metadata": {"name": "sync"}, "spec": sync}, namespace=NAMESPACE)
    metadata = {
        "name": "a",
        "annotations": {Annotation.CLUSTER_NAME: "blue"},
        "finalizers": [Finalizer.LANDSCAPER],
    }
    spec = {"type": "example.com/tiny", "target": TARGET, "onDelete": SKIP}
    await cluster.create(DEPLOY_ITEMS, {"metadata": metadata, "spec": spec}, namespace=NAMESPACE)
    item = await cluster.delete(DEPLOY_ITEMS, "a", namespace=NAMESPACE)
    assert item is not None
    assert clusters.may_be_gone(item)
    recorder = Recorder(cluster, "test")
    triggered = items.triggered(item, "D", time.START)
    intent = clusters.UninstallIfThere(item, triggered, (made,), cluster)
    await intent.perform(Hands(cluster, recorder), key_of(item))
    await recorder.flush()
    found = (await cluster.list(DEPLOY_ITEMS, namespace=NAMESPACE)).items
    return found[0] if found else None


async def test_a_cluster_that_is_there_is_cleaned_up() -> None:
    async with garden("blue") as (_, kubeconfig), homes.in_process() as cluster:
        left = await uninstalled(cluster, kubeconfig)
        assert left is not None
        assert left.status.job_id == "D"


async def test_a_cluster_that_is_gone_needs_no_cleaning() -> None:
    async with garden("red") as (_, kubeconfig), homes.in_process() as cluster:
        assert await uninstalled(cluster, kubeconfig) is None


async def test_a_cluster_that_is_going_needs_no_cleaning() -> None:
    async with garden("blue") as (gardener, kubeconfig), homes.in_process() as cluster:
        await gardener.delete(SHOOTS, "blue", namespace=NAMESPACE)
        assert await uninstalled(cluster, kubeconfig) is None


async def test_a_gardener_that_does_not_answer_holds_up_nothing() -> None:
    async with homes.in_process() as cluster:
        left = await uninstalled(cluster, KUBECONFIG.format(server="http://127.0.0.1:1"))
        assert left is not None
        assert left.status.job_id == "D"
        [event] = (await cluster.list(EVENTS, namespace=NAMESPACE)).items
        assert event["reason"] == "ClusterUnknown"
        assert "whether cluster blue still exists" in event["message"]
