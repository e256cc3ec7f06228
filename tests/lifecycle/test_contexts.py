"""Every namespace has a Context for the Installations that name none."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from landform.api import anyjson
from landform.api.contexts import Context
from landform.api.structs import ObjectMeta
from landform.cluster.errors import NotFound
from landform.cluster.informers import Caches
from landform.cluster.kinds import CONTEXTS
from landform.cluster.resources import NAMESPACES
from landform.kit.surroundings import Surroundings
from landform.lifecycle import contexts
from landform.lifecycle.contexts import Rules, Snapshot, decide
from landform.runtime.intents import Create, Hands, Patch
from landform.runtime.manager import Life
from landform.runtime.metrics import Metrics
from landform.runtime.recorders import Recorder
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster import Cluster

OURS = {"type": "OCIRegistry", "baseUrl": "registry.test"}


def namespace(name: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, **metadata}}


def context(repository: Any = None) -> Context:
    metadata = ObjectMeta(name="default", namespace="a", resource_version="1")
    return Context(metadata=metadata, repository_context=anyjson.of(repository))


def test_a_namespace_without_a_context_gets_one() -> None:
    [intent] = decide(Snapshot(namespace("a"), None, Rules()))
    assert isinstance(intent, Create)
    assert isinstance(intent.obj, Context)
    assert (intent.obj.metadata.name, intent.obj.metadata.namespace) == ("default", "a")


@pytest.mark.parametrize(
    ("found", "existing"),
    [
        (namespace("kube-system"), None),
        (namespace("a", deletionTimestamp="2030-01-01T00:00:00Z"), None),
        (namespace("a"), context({"type": "another"})),
    ],
    ids=["excluded", "going", "there"],
)
def test_what_is_excluded_going_or_there_already_is_left_alone(found: dict[str, Any], existing: Context | None) -> None:
    assert decide(Snapshot(found, existing, Rules())) == []


def test_a_configured_repository_is_enforced_and_nothing_else() -> None:
    rules = Rules(repository_context=OURS)
    [intent] = decide(Snapshot(namespace("a"), context({"type": "another", "odd": 1}), rules))
    assert isinstance(intent, Patch)
    assert intent.change == {"repositoryContext": {"odd": None, **OURS}}
    assert decide(Snapshot(namespace("a"), context(OURS), rules)) == []


@asynccontextmanager
async def running(surroundings: Surroundings) -> AsyncIterator[Cluster]:
    async with homes.in_process(surroundings) as cluster:
        caches = Caches(cluster, surroundings=surroundings)
        recorder = Recorder(cluster, "tests", surroundings=surroundings)
        hands = Hands(cluster, recorder, caches, surroundings=surroundings)
        controller = contexts.controller(caches, hands, Metrics())
        life = Life()
        async with caches:
            await caches.synced()
            task = asyncio.create_task(controller.run(life))
            yield cluster
            life.stop()
            await task


async def has_default(cluster: Cluster, where: str) -> bool:
    try:
        await cluster.get(CONTEXTS, "default", namespace=where)
    except NotFound:
        return False
    return True


def test_namespaces_that_are_there_that_come_and_that_lose_their_context_get_one() -> None:
    async def scenario() -> None:
        async with running(Surroundings(clock=time.VirtualClock())) as cluster:
            await asyncio.sleep(1)
            assert await has_default(cluster, "default")
            assert not await has_default(cluster, "kube-system")
            await cluster.create(NAMESPACES, namespace("late"))
            await asyncio.sleep(1)
            assert await has_default(cluster, "late")
            await cluster.delete(CONTEXTS, "default", namespace="late")
            await asyncio.sleep(1)
            assert await has_default(cluster, "late")

    time.run(scenario())
