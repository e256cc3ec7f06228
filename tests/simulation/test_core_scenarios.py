"""The whole engine in the simulator: each landscape comes through a calm and through a storm of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.simulation.scenarios import core_changes, core_data_flow, core_deletion, core_processes, core_schedules

from landform.testing import simulation

if TYPE_CHECKING:
    from landform.testing.simulation.scenarios import Scenario

SCENARIOS = [
    *core_data_flow.SCENARIOS,
    *core_changes.SCENARIOS,
    *core_deletion.SCENARIOS,
    *core_schedules.SCENARIOS,
    *core_processes.SCENARIOS,
]


def test_there_are_enough_of_them() -> None:
    assert len({scenario.name for scenario in SCENARIOS}) == len(SCENARIOS) >= 40


@pytest.mark.parametrize(
    ("scenario", "seed"), [pytest.param(each, 100 + place, id=each.name) for place, each in enumerate(SCENARIOS)]
)
def test_all_comes_right_after_a_storm(scenario: Scenario, seed: int) -> None:
    simulation.check(scenario, [seed])
