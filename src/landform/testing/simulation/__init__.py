"""The simulator: one seed, one exact run of controllers and their cluster in virtual time, with all that can go wrong.

A `Scenario` names the programs of its processes, what people do meanwhile, and the invariants. `check` runs it for
some seeds in a test, ``python -m landform.testing.simulation`` for many. What goes wrong is injected between the
processes and the embedded home; neither knows of it. Programs under test must take time, ids and chance from their
surroundings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.testing.simulation import invariants, reports, runs, shrinking
from landform.testing.simulation.faults import Faults, Kind
from landform.testing.simulation.history import History, Write
from landform.testing.simulation.processes import Process
from landform.testing.simulation.runs import Result, run
from landform.testing.simulation.scenarios import Scenario, Violation, World

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Faults",
    "History",
    "Kind",
    "Process",
    "Result",
    "Scenario",
    "Violation",
    "World",
    "Write",
    "check",
    "invariants",
    "run",
]


def check(scenario: Scenario, seeds: Iterable[int]) -> None:
    """Run a scenario for each seed; AssertionError with the whole report if one fails."""
    for seed in seeds:
        result = runs.run(scenario, seed)
        if result.violations:
            raise AssertionError(reports.failure(result, shrinking.shrink(scenario, result)))
