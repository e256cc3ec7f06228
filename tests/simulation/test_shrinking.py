"""A failing run is shrunk to the faults that make it fail."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tests.simulation import worlds

from landform.cluster.errors import ClusterError
from landform.testing import simulation
from landform.testing.simulation import shrinking
from landform.testing.simulation.faults import Kind
from landform.testing.simulation.scenarios import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.testing.simulation.history import History
    from landform.testing.simulation.processes import Process

NUMBERS = range(40)


async def creates_many(process: Process) -> None:
    """Gives up on what fails."""
    for number in NUMBERS:
        try:
            await worlds.create(process.cluster, f"c{number}")
        except ClusterError:
            continue
    await asyncio.Event().wait()


def not_both_are_missing(history: History) -> Iterator[str]:
    names = {write.key.name for write in history.writes}
    if history.now > 10 and not names & {"c7", "c23"}:
        yield "neither c7 nor c23 is there"


SCENARIO = Scenario(name="many", processes={"a": creates_many}, eventually=[not_both_are_missing], converge_seconds=5.0)


def identity(number: int) -> str:
    return f"a/create/configmaps/default/c{number}/1"


def test_only_the_faults_that_matter_are_left() -> None:
    script = {identity(number): Kind.RESET if number % 2 else Kind.SERVER_ERROR for number in NUMBERS}
    failed = simulation.run(SCENARIO, 1, script=script)
    assert failed.violations
    shortest = shrinking.shrink(SCENARIO, failed)
    assert set(shortest.script()) == {identity(7), identity(23)}
    assert shortest.violations[0].invariant == failed.violations[0].invariant


def test_shrinking_ends_after_so_many_runs() -> None:
    script = {identity(number): Kind.RESET for number in NUMBERS}
    failed = simulation.run(SCENARIO, 1, script=script)
    assert len(shrinking.shrink(SCENARIO, failed, most_runs=3).script()) >= 2
