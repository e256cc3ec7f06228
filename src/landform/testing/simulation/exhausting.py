"""Every crash there can be: before and after each single write of a run, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.testing.simulation import runs
from landform.testing.simulation.faults import Kind
from landform.testing.simulation.history import PEOPLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.testing.simulation.runs import Result
    from landform.testing.simulation.scenarios import Scenario

CRASHES = (Kind.CRASH_BEFORE, Kind.CRASH_AFTER)


def scripts(scenario: Scenario) -> list[dict[str, Kind]]:
    """A crash at each write that the processes do when nothing goes wrong, each in a list of its own."""
    calm = runs.run(scenario, runs.CALM_SEED, script={})
    writes = dict.fromkeys(
        write.request.id for write in calm.history.writes if write.actor not in PEOPLE and write.request.id
    )
    return [{id: crash} for id in writes for crash in CRASHES]


def run_all(scenario: Scenario) -> Iterator[Result]:
    """The run in which nothing goes wrong, and one for each crash."""
    yield runs.run(scenario, runs.CALM_SEED, script={})
    for script in scripts(scenario):
        yield runs.run(scenario, runs.CALM_SEED, script=script)
