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


@pytest.mark.parametrize(
    "folder",
    [
        PLATFORM,
        *(
            EXAMPLES / name
            for name in ("data-flow", "sub-installations", "targets", "conditional-imports", "error-handling")
        ),
    ],
    ids=lambda folder: folder.name,
)
async def test_a_landscape_leaves_the_same_objects(user: User, folder: Path) -> None:
    objects = [manifest.obj for manifest in manifests.read([folder])]
    assert_same(*await run_on_both(user, objects))


async def test_a_mistake_is_told_in_the_same_words(user: User) -> None:
    embedded, kubernetes = await run_on_both(user, list(MISTAKES.values()))
    assert_same(embedded, kubernetes)
    said = {name: _said(kubernetes[f"Installation {name}"]) for name in MISTAKES}
    assert {name: words for name, words in said.items() if words[0] != "Failed"} == {}


def _said(obj: dict[str, Any]) -> tuple[str, str]:
    status = obj["status"]
    return status["phase"], status.get("lastError", {}).get("message", "")


async def test_the_platform_exports_what_flowed_through_it(user: User) -> None:
    objects = [manifest.obj for manifest in manifests.read([PLATFORM])]
    await run(user.cluster, user.namespace, objects)
    assert await user.data("platform-address") == "https://www.live.example.com"
    assert await user.data("platform-upper") == "www.live.example.com"
    summary = await user.data("platform-summary")
    assert summary["from"] == {"go": "more.json;motd.txt;", "spiff": "zones:a,b a=1 team=reds"}
    assert summary["gateway"] == "gw.live.example.com"
    red, blue, green = {"kubeconfig": "apiVersion: v1\nkind: Config\n"}, {"region": "blue-1"}, {"region": "green-1"}
    for key, here in {"blue": blue, "green": green}.items():
        for zone in ("a", "b"):
            assert summary["regions"][key][zone] == {
                "zone": zone,
                "gateway": "gw.live.example.com",
                "clusters": ["blue", "green"],
                "list": [red, blue, green],
                "here": here,
                "first": red,
                "second": blue,
            }
