"""What people do in a run: it may wait, but not in vain, and it may insist on something."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import pytest
from tests.simulation import worlds

if TYPE_CHECKING:
    from landform.testing.simulation.processes import Process
    from landform.testing.simulation.scenarios import World


async def idle(process: Process) -> None:
    await asyncio.Event().wait()


def test_a_workload_that_waits_in_vain_is_a_violation_and_no_hang() -> None:
    async def waits(world: World) -> None:
        while not world.history.calm_at:  # noqa: ASYNC110 # nothing tells when that changes
            await asyncio.sleep(1.0)

    [violation] = worlds.run(idle, workload=waits).violations
    assert str(violation) == "the workload comes to an end: it still waits for something after 420 s"


def test_what_a_workload_asserts_must_hold() -> None:
    async def insists(world: World) -> None:
        await asyncio.sleep(1.0)
        raise AssertionError("nobody did it")

    [violation] = worlds.run(idle, workload=insists).violations
    assert str(violation) == "the workload finds what it expects: nobody did it"


def test_another_error_comes_out_and_says_where_it_was() -> None:
    async def stumbles(world: World) -> None:
        raise KeyError("spec")

    with pytest.raises(KeyError) as caught:
        worlds.run(idle, workload=stumbles, seed=7)
    assert caught.value.__notes__ == ["in the scenario 'test' with seed 7"]


def test_a_run_leaves_the_chance_of_others_alone() -> None:
    random.seed(1)
    expected = random.random()
    random.seed(1)
    worlds.run(idle)
    assert random.random() == expected
