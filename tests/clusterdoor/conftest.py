"""A scripted server and a client of it, whose waiting takes no real time."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from tests.clusterdoor.clocks import FakeClock
from tests.clusterdoor.servers import ScriptedServer

from landform.cluster.connections import Connection
from landform.cluster.http import HttpCluster, Limits
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def surroundings(clock: FakeClock) -> Surroundings:
    return Surroundings(clock=clock, random=random.Random(1))


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


@pytest.fixture
async def cluster(server: ScriptedServer, surroundings: Surroundings) -> AsyncIterator[HttpCluster]:
    limits = Limits(request_seconds=5, silence_seconds=5, page=2)
    async with HttpCluster(Connection(server.url), surroundings=surroundings, limits=limits) as client:
        yield client
