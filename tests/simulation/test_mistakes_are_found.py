"""Each mistake that people make is found within a bounded number of seeds; and the right version has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.simulation.mistakes import MISTAKES
from tests.simulation.scenarios.fleets import FLEET, REPLICATED

from landform.testing import simulation
from landform.testing.simulation import exhausting

if TYPE_CHECKING:
    from landform.testing.simulation.scenarios import Scenario

FOUND_BY = {
    "stale cache": "no duplicate children",
    "two-step status": "everything converges",
    "forgotten requeue": "everything converges",
    "swallowed errors": "everything converges",
    "names by chance": "no duplicate children",
    "claim before work": "claims are true",
    "nothing holds ships": "nothing left behind",
    "ships not watched": "everything converges",
    "lost updates": "no lost updates",
    "forced conflicts": "no lost updates, no ship is launched early",
    "state in memory": "everything converges",
    "trusted clock": "no ship is launched early",
    "hot loop": "no process writes for ever",
    "released too early": "nothing left behind",
    "events only": "everything converges",
    "dies of errors": "processes survive",
    "busy waiting": "no process spins",
    "leader for ever": "one owner per key",
}
ENOUGH_SEEDS = 40


@pytest.mark.parametrize("scenario", MISTAKES, ids=lambda scenario: scenario.name)
def test_the_mistake_is_found(scenario: Scenario) -> None:
    for seed in range(ENOUGH_SEEDS):
        result = simulation.run(scenario, seed)
        if result.violations:
            assert result.violations[0].invariant in FOUND_BY[scenario.name]
            return
    pytest.fail(f"{ENOUGH_SEEDS} seeds have not found it")


@pytest.mark.parametrize("scenario", [FLEET, REPLICATED], ids=lambda scenario: scenario.name)
def test_the_right_version_has_none(scenario: Scenario) -> None:
    simulation.check(scenario, range(10))


def test_a_crash_at_a_single_write_is_enough_to_find_a_status_in_two_steps() -> None:
    [two_steps] = [scenario for scenario in MISTAKES if scenario.name == "two-step status"]
    assert any(result.violations for result in exhausting.run_all(two_steps))


def test_there_is_a_crash_before_and_after_each_write_of_the_processes() -> None:
    calm = simulation.run(FLEET, 0, script={})
    ids = {write.request.id for write in calm.history.writes if write.actor in FLEET.processes}
    scripts = exhausting.scripts(FLEET)
    assert len(scripts) == 2 * len(ids) > 50
    for script in scripts[::10]:
        result = simulation.run(FLEET, 0, script=script)
        assert result.script() == script
        assert [str(entry)[:7] for entry in result.history.entries if str(entry).startswith("crashes")] == ["crashes"]
        assert not result.violations
