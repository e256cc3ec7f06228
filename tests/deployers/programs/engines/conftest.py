"""An engine that does as it is told, and, in the run on a real cluster, a real one."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cluster.node import fixtures as node_fixtures
from tests.deployers.programs import folder_worlds
from tests.deployers.programs.engines import fake_engine

from landform.deployers.programs.engines.api import EngineApi
from landform.deployers.programs.engines.launcher import EngineLauncher
from landform.deployers.programs.engines.settings import EngineSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.deployers.programs.engines.fake_engine import FakeEngine
    from tests.deployers.programs.folder_worlds import World

collect_ignore = [] if node_fixtures.wanted() else ["test_real_engine.py"]


def pytest_configure(config: pytest.Config) -> None:
    node_fixtures.install(config)


@pytest.fixture
async def fake() -> AsyncIterator[FakeEngine]:
    """An engine in memory, on a real socket."""
    with tempfile.TemporaryDirectory(prefix="landform-") as folder:
        async with fake_engine.serve(Path(folder) / "engine.sock") as engine:
            yield engine


@pytest.fixture
async def place(fake: FakeEngine) -> AsyncIterator[World]:
    """A sandbox at that engine."""
    settings = EngineSettings(pull_patience=timedelta(seconds=3))
    async with folder_worlds.world(
        lambda: EngineLauncher(EngineApi(str(fake.socket)), "here", settings, clock=fake.clock)
    ) as world:
        yield world


@pytest.fixture
async def real(podman_socket: Path) -> AsyncIterator[World]:
    """A sandbox at a real podman."""
    async with folder_worlds.world(lambda: EngineLauncher(EngineApi(str(podman_socket)), "here")) as world:
        yield world
