"""From a failing run to the shortest list of faults that still makes it fail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from landform.testing.simulation import runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.testing.simulation.faults import Kind
    from landform.testing.simulation.runs import Result
    from landform.testing.simulation.scenarios import Scenario

MOST_RUNS = 200
"""After so many runs the shortest list so far is good enough."""

Strikes: TypeAlias = "Sequence[tuple[str, Kind]]"


@dataclass
class _Search:
    """What is the shortest failing list known so far, and what else there is to try."""

    scenario: Scenario
    best: Result
    left: int

    @property
    def strikes(self) -> list[tuple[str, Kind]]:
        return list(self.best.script().items())

    def fails(self, strikes: Strikes) -> bool:
        """Whether only these faults break the same invariant; if so, it is the best from now on."""
        if self.left <= 0:
            return False
        self.left -= 1
        result = runs.run(self.scenario, self.best.seed, script=dict(strikes))
        wanted = self.best.violations[0].invariant
        if not result.violations or result.violations[0].invariant != wanted:
            return False
        self.best = result
        return True


def shrink(scenario: Scenario, failed: Result, most_runs: int = MOST_RUNS) -> Result:
    """A run that breaks the same invariant with as few faults as could be found."""
    search = _Search(scenario, failed, most_runs)
    if search.fails(()):
        return search.best
    # Whole kinds first: most have nothing to do with it.
    for kind in dict.fromkeys(kind for _, kind in search.strikes):
        search.fails([strike for strike in search.strikes if strike[1] is not kind])
    _halve(search)
    return search.best


def _halve(search: _Search) -> None:
    """Leave out ever smaller parts, as long as it still fails without them (delta debugging)."""
    parts = 2
    while search.left > 0 and len(search.strikes) > 1:
        strikes = search.strikes
        size = max(1, len(strikes) // parts)
        if _any_dispensable(search, strikes, size):
            parts = max(2, parts - 1)
        elif size == 1:
            return
        else:
            parts = min(2 * parts, len(strikes))


def _any_dispensable(search: _Search, strikes: Strikes, size: int) -> bool:
    """Whether it still fails without one of the parts of that size."""
    return any(search.fails([*strikes[:start], *strikes[start + size :]]) for start in range(0, len(strikes), size))
