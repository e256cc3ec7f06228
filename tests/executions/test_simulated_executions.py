"""Executions in the simulator: whatever goes wrong, every job ends, in order, with the exports of that very job."""

from __future__ import annotations

import pytest
from tests.simulation.scenarios.executions import EXECUTIONS_ALONE, EXECUTIONS_SHARED

from landform.testing.simulation.runs import run


@pytest.mark.parametrize("seed", range(6))
def test_one_controller_gets_through_every_storm(seed: int) -> None:
    assert run(EXECUTIONS_ALONE, seed).violations == ()


@pytest.mark.parametrize("seed", [0, 1, 2, 92])
def test_two_controllers_get_through_every_storm(seed: int) -> None:
    assert run(EXECUTIONS_SHARED, seed).violations == ()
