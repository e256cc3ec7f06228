"""Informers on the embedded home, in this process and over HTTPS: many writers, one truth."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from landform.cluster.codec import key_of
from landform.cluster.informers import Caches
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES, SECRETS, ObjectKey
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from landform.cluster.informers import Informer
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Unstructured


async def live(cluster: Cluster, informer: Informer[Unstructured], name: str, *, dies: bool) -> None:
    """The life of an object whose writer reads the cache only."""
    created = await cluster.create(CONFIG_MAPS, {"metadata": {"name": name}}, namespace="many")
    informer.observe_write(created)
    seen = informer.get(key_of(created))
    assert seen is not None
    change = {"metadata": {"resourceVersion": seen["metadata"]["resourceVersion"]}, "data": {"name": name}}
    changed = await cluster.patch(CONFIG_MAPS, name, change, namespace="many")
    informer.observe_write(changed)
    assert (informer.get(key_of(created)) or {}).get("data") == {"name": name}
    if dies:
        await cluster.delete(CONFIG_MAPS, name, namespace="many")


@pytest.mark.parametrize("open_home", [homes.in_process, homes.over_https])
async def test_writers_see_their_writes_and_the_cache_ends_where_the_cluster_is(
    open_home: Callable[[], AbstractAsyncContextManager[Any]],
) -> None:
    async with open_home() as cluster:
        await cluster.create(NAMESPACES, {"metadata": {"name": "many"}})
        async with Caches(cluster) as caches:
            informer = caches.informer(CONFIG_MAPS, namespace="many")
            caught_up = asyncio.Event()
            informer.subscribe(lambda old, new: caught_up.set() if new and key_of(new).name == "last" else None)
            await caches.synced()
            lives = (live(cluster, informer, f"c{index}", dies=index % 3 == 0) for index in range(60))
            await asyncio.gather(*lives)
            await cluster.create(CONFIG_MAPS, {"metadata": {"name": "last"}}, namespace="many")
            await caught_up.wait()
            stored = (await cluster.list(CONFIG_MAPS, namespace="many")).items
            assert sorted(informer.list(), key=key_of) == sorted(stored, key=key_of)
            assert {f"c{index}" for index in range(60) if index % 3} <= {key_of(obj).name for obj in stored}


async def test_all_who_read_secrets_share_one_cache_without_what_helm_keeps() -> None:
    async with homes.in_process() as cluster, Caches(cluster) as caches:
        for name, kind in (("password", "Opaque"), ("release", "helm.sh/release.v1")):
            secret = {"metadata": {"name": name}, "type": kind, "stringData": {"a": "b"}}
            await cluster.create(SECRETS, secret, namespace="default")
        secrets = caches.secrets()
        await caches.synced()
        assert caches.secrets() is secrets
        kept = {name: secrets.get(ObjectKey("default", name)) for name in ("password", "release")}
        assert {name: (secret or {})["data"] for name, secret in kept.items()} == {
            "password": {"a": "Yg=="},
            "release": {},
        }
