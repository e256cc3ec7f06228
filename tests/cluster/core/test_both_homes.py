"""The same landscapes on the embedded home and on Kubernetes: every object they leave behind is the same."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.cluster.core.mistakes import MISTAKES
from tests.cluster.core.pictures import picture
from tests.cluster.core.users import EXAMPLES, PATIENCE_SECONDS
from tests.engine.landscapes import ended

from landform.cli import manifests
from landform.cluster.kinds import CONTEXTS, DATA_OBJECTS, INSTALLATIONS, TARGETS
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES, SECRETS
from landform.deployers.mock import MockDeployer
from landform.engine.engine import Engine
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.cluster.core.users import User

    from landform.cluster.interface import Cluster

pytestmark = pytest.mark.usefixtures("controller")

PLATFORM = Path(__file__).parent / "platform"
RESOURCES = {resource.kind: resource for resource in (INSTALLATIONS, DATA_OBJECTS, TARGETS, SECRETS, CONFIG_MAPS)}


@asynccontextmanager
async def embedded(namespace: str) -> AsyncIterator[Cluster]:
    """An embedded home with an engine, and a namespace in it."""
    async with homes.in_process() as cluster, Engine(cluster, deployers=[MockDeployer()]).running():
        await cluster.create(NAMESPACES, {"metadata": {"name": namespace}})
        await cluster.create(CONTEXTS, {"metadata": {"name": "default"}}, namespace=namespace)
        yield cluster


async def run(cluster: Cluster, namespace: str, objects: list[dict[str, Any]]) -> dict[str, Any]:
    """What a namespace looks like when all Installations have run that these objects hold."""
    for obj in objects:
        resource: Any = RESOURCES[obj["kind"]]
        if resource is INSTALLATIONS:
            asked = {"landscaper.gardener.cloud/operation": "reconcile"}
            # The embedded home fills in the Context when it stores the object, our controller does on Kubernetes.
            spec = {"context": "default", **obj["spec"]}
            obj = {**obj, "metadata": {**obj["metadata"], "annotations": asked}, "spec": spec}
        await cluster.create(resource, obj, namespace=namespace)
    async with asyncio.timeout(PATIENCE_SECONDS):
        for obj in objects:
            if obj["kind"] == INSTALLATIONS.kind:
                await ended(cluster, obj["metadata"]["name"], namespace)
    return await picture(cluster, namespace)


async def run_on_both(user: User, objects: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    async with embedded(user.namespace) as cluster:
        return (
            await run(cluster, user.namespace, objects),
            await run(user.cluster, user.namespace, objects),
        )


def assert_same(embedded: dict[str, Any], kubernetes: dict[str, Any]) -> None:
    assert sorted(embedded) == sorted(kubernetes)
    for name, obj in embedded.items():
        assert obj == kubernetes[name], name


@pytest.mark.parametrize("name", ["data-flow", "sub-installations", "targets", "conditional-imports", "error-handling"])
async def test_an_example_leaves_the_same_objects(user: User, name: str) -> None:
    objects = [manifest.obj for manifest in manifests.read([EXAMPLES / name])]
    assert_same(*await run_on_both(user, objects))


async def test_a_mistake_is_told_in_the_same_words(user: User) -> None:
    embedded, kubernetes = await run_on_both(user, list(MISTAKES.values()))
    assert_same(embedded, kubernetes)
    said = {name: _said(kubernetes[f"Installation {name}"]) for name in MISTAKES}
    assert {name: words for name, words in said.items() if words[0] != "Failed"} == {}


def _said(obj: dict[str, Any]) -> tuple[str, str]:
    status = obj["status"]
    return status["phase"], status.get("lastError", {}).get("message", "")


async def test_a_landscape_as_others_write_them_leaves_the_same_objects_and_the_right_ones(user: User) -> None:
    objects = [manifest.obj for manifest in manifests.read([PLATFORM])]
    embedded, kubernetes = await run_on_both(user, objects)
    assert_same(embedded, kubernetes)
    assert kubernetes["DataObject platform-address"]["data"] == "https://www.live.example.com"
    assert kubernetes["DataObject platform-upper"]["data"] == "www.live.example.com"
    assert kubernetes["Target gateway-cluster"]["spec"]["config"] == {"kubeconfig": "host-www.live.example.com"}
    red, blue, green = {"kubeconfig": "apiVersion: v1\nkind: Config\n"}, {"region": "blue-1"}, {"region": "green-1"}
    assert kubernetes["DataObject platform-summary"]["data"] == {
        "from": {"go": "more.json;motd.txt;", "spiff": "zones:a,b a=1 team=reds"},
        "gateway": "gw.live.example.com",
        "regions": {
            key: {"key": key, **{zone: _zone(zone, here, [red, blue, green]) for zone in ("a", "b")}}
            for key, here in {"blue": blue, "green": green}.items()
        },
    }


def _zone(name: str, here: dict[str, Any], every: list[dict[str, Any]]) -> dict[str, Any]:
    """What the blueprint three levels down exports."""
    return {
        "zone": name,
        "gateway": "gw.live.example.com",
        "clusters": ["blue", "green"],
        "list": every,
        "here": here,
        "first": every[0],
        "second": every[1],
    }
