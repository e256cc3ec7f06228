"""What the simulator has found in the engine: each run that failed once, with exactly its faults."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from tests.simulation.test_core_scenarios import SCENARIOS

from landform.testing.simulation import Kind, run


class Found(NamedTuple):
    """A run that failed."""

    scenario: str
    seed: int
    faults: dict[str, Kind]


FOUND = {
    "an execution whose creation took effect when its installation was gone does not stay": Found(
        "core: tree is deleted during its job",
        13,
        {
            "engine/patch/installations/default/rootbb-naj6o/2": Kind.CRASH_BEFORE,
            "engine/create/executions/default/rootba-3n7mq/2": Kind.LATE,
        },
    ),
    "passes go on though the clock of the controllers is ahead": Found(
        "core: passes below a tree", 7, {"controllers/clock/1": Kind.SKEW}
    ),
    "a replica that has not seen an execution yet does not take it for gone": Found(
        "core: replicas in two namespaces",
        80,
        {
            "replica-b/list/dataobjects///1": Kind.TOO_MANY,
            "replica-b/event/executions//4": Kind.WATCH_DROPPED,
            "replica-b/watch/executions///2": Kind.TOO_MANY,
        },
    ),
    "a replica that has not seen an item yet does not call its execution unhealthy": Found(
        "core: a replica stands still",
        99,
        {
            "replica-a/list/targetsyncs///1": Kind.SLOW,
            "replica-b/list/executions///1": Kind.SLOW,
            "replica-b/patch/installations/default/p1-ufsao/1": Kind.SLOW,
            "replica-a/event/deployitems//8": Kind.WATCH_DELAYED,
            "replica-a/watch-lagging/1": Kind.WATCH_LAGGING,
        },
    ),
    "a replica that sees a child before its parent does not take it for its own": Found(
        "core: a replica stands still", 86, {"replica-b/event/installations//1": Kind.WATCH_DELAYED}
    ),
    "an interrupt is not lost on children that have yet to get the job": Found(
        "core: tree is interrupted and mended",
        4,
        {"engine/patch/installations/default/p0-ogatn/1": Kind.TIMEOUT_BEFORE},
    ),
}


@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND)
def test_it_stays_mended(found: Found) -> None:
    scenario = next(each for each in SCENARIOS if each.name == found.scenario)
    result = run(scenario, found.seed, script=found.faults)
    assert result.violations == ()
    assert result.script() == found.faults, "the run has changed so much that it shows nothing any more"
