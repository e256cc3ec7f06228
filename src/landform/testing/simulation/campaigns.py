"""Many runs of one scenario, on as many cores as there are, until one fails."""

from __future__ import annotations

import logging
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from landform.testing.simulation import exhausting, finding, runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from landform.testing.simulation.faults import Kind
    from landform.testing.simulation.scenarios import Scenario

Task: TypeAlias = "tuple[int, Mapping[str, Kind] | None]"
"""A run: its seed, and its faults if they do not follow from that."""

_BATCH = 10


@dataclass(frozen=True)
class Tally:
    """What came of several runs."""

    runs: int = 0
    seconds: float = 0.0
    """Virtual time, of all runs together."""

    failed: Task | None = None
    """The first run that failed."""

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.runs + other.runs, self.seconds + other.seconds, self.failed or other.failed)


def seeds(first: int, count: int) -> list[Task]:
    """One run for each seed."""
    return [(seed, None) for seed in range(first, first + count)]


def crashes(scenario: Scenario) -> list[Task]:
    """One run for each crash there can be, and one without."""
    return [(runs.CALM_SEED, script) for script in ({}, *exhausting.scripts(scenario))]


def run_some(scenario: Scenario, tasks: Iterable[Task]) -> Tally:
    """Run until one fails."""
    tally = Tally()
    for seed, script in tasks:
        result = runs.run(scenario, seed, script=script)
        tally += Tally(1, result.seconds, (seed, script) if result.violations else None)
        if tally.failed is not None:
            break
    return tally


class Workers:
    """Processes that run tasks; with one job, this process does."""

    def __init__(self, places: Sequence[str], jobs: int) -> None:
        self._places = tuple(places)
        self._jobs = jobs
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Workers:
        if self._jobs > 1:
            # A new interpreter for each: what a run depends on must not be inherited.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._jobs, context, _quieten)
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def run(self, scenario: Scenario, tasks: Sequence[Task]) -> Tally:
        """Run all, or until one fails; of several that fail, the first in order counts as far as it was run."""
        if self._pool is None:
            return run_some(scenario, tasks)
        futures = [self._pool.submit(_run_batch, self._places, scenario.name, batch) for batch in _batches(tasks)]
        for future in as_completed(futures):
            if future.result().failed is not None:
                for other in futures:
                    other.cancel()
        done = [future.result() for future in futures if not future.cancelled()]
        return sum(done, Tally())


def _batches(tasks: Sequence[Task]) -> Iterator[Sequence[Task]]:
    for start in range(0, len(tasks), _BATCH):
        yield tasks[start : start + _BATCH]


def _run_batch(places: tuple[str, ...], name: str, tasks: Sequence[Task]) -> Tally:
    """In a worker."""
    return run_some(finding.find(places)[name], tasks)


def _quieten() -> None:
    """Thousands of injected errors are nothing to log."""
    logging.disable(logging.CRITICAL)
