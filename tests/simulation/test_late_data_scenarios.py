"""Late data in the simulator: through a calm, and through storms with crashes and dropped watches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.simulation.scenarios import late_data

from landform.testing import simulation

if TYPE_CHECKING:
    from landform.testing.simulation.scenarios import Scenario


@pytest.mark.parametrize("seed", [0, 4])
@pytest.mark.parametrize("scenario", late_data.SCENARIOS, ids=lambda scenario: str(scenario.name))
def test_the_newest_values_arrive_unmixed(scenario: Scenario, seed: int) -> None:
    simulation.check(scenario, [seed])
