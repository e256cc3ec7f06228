"""A sandbox of processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.deployers.programs import folder_worlds

from landform.deployers.programs.processes.launcher import ProcessLauncher
from landform.deployers.programs.processes.settings import ProcessSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.deployers.programs.folder_worlds import World


@pytest.fixture(
    params=[
        "own user",
        pytest.param("dropped", marks=pytest.mark.skipif(not folder_worlds.IS_ROOT, reason="root drops")),
    ]
)
async def place(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """Processes as whoever runs the tests, and as the user that root drops to."""
    async with folder_worlds.world(lambda: ProcessLauncher(drops=request.param == "dropped")) as world:
        yield world


@pytest.fixture
async def narrow() -> AsyncIterator[World]:
    """Only two at once."""
    async with folder_worlds.world(lambda: ProcessLauncher(ProcessSettings(slots=2))) as world:
        yield world
