"""How long commands that watch bear with a cluster that does not answer."""

from __future__ import annotations

import asyncio

import pytest

from landform.cli.waits import Patience
from landform.cluster.errors import Unreachable
from landform.cluster.watching import Troubled
from landform.testing.time import VirtualClock, run


def tried(patience: Patience, delay: float) -> None:
    patience.strain(Troubled(Unreachable("no answer"), delay))


def test_a_cluster_that_is_away_for_long_is_told() -> None:
    async def scenario() -> None:
        patience = Patience(VirtualClock())
        for _ in range(3):
            tried(patience, 4)
            await asyncio.sleep(4)
        with pytest.raises(Unreachable, match="no answer"):
            tried(patience, 4)

    run(scenario())


def test_a_cluster_that_is_away_for_a_moment_now_and_then_is_fine() -> None:
    async def scenario() -> None:
        patience = Patience(VirtualClock())
        for _ in range(10):
            tried(patience, 1)
            await asyncio.sleep(3600)

    run(scenario())
