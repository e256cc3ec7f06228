"""State and output of programs reach nobody who reads Secrets for other reasons."""

from __future__ import annotations

import asyncio

from tests.deployers.programs.state.stores import NAMESPACE, files, world

from landform.cluster.informers import Caches
from landform.cluster.resources import SECRETS
from landform.deployers.programs.runs import logs


async def test_the_cache_of_secrets_passes_over_what_programs_leave() -> None:
    async with world() as place:
        await place.store().save(place.made(files(a=b"1")), "run-1")
        async with Caches(place.cluster) as caches:
            secrets = caches.secrets()
            arrived = asyncio.Event()
            secrets.subscribe(lambda _old, new: arrived.set() if new and new["type"] == "Opaque" else None)
            await caches.synced()
            await place.store().save(place.made(files(a=b"2")), "run-2")
            for name, kind in (("output", logs.TYPE), ("password", "Opaque")):
                await place.cluster.create(SECRETS, {"metadata": {"name": name}, "type": kind}, namespace=NAMESPACE)
            await arrived.wait()
            assert [secret["metadata"]["name"] for secret in secrets.list()] == ["password"]
