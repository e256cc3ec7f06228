"""Versions that a real API server no longer knows. (Those of the embedded home have tests beside its history.)"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.contract import objects

from landform.cluster import errors, kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.interface import ListOptions
from landform.cluster.resources import untyped

if TYPE_CHECKING:
    from tests.cluster.controlplane.plane import ControlPlane

RECOLLECTIONS = untyped(f"{objects.GROUP}/v1", "Recollection", "recollections")


async def test_a_watch_from_before_the_servers_memory_is_gone(control_plane: ControlPlane) -> None:
    since = ListOptions(resource_version="1")
    async with HttpCluster(kubeconfig.load(control_plane.kubeconfig)) as cluster:
        # Of a new kind the API server remembers only what happened since it began to serve it.
        await objects.ensure_served(cluster, objects.definition("Recollection"))
        with pytest.raises(errors.Gone, match=r"^too old resource version: 1 \(\d+\)$") as caught:
            async with asyncio.timeout(30), cluster.watch(RECOLLECTIONS, options=since) as stream:
                await anext(stream)
    assert (caught.value.code, caught.value.reason) == (410, "Expired")
