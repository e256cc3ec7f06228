"""No more programs than slots run at once; the others wait in a row, and say so."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from tests.deployers.programs.folder_worlds import a_run, until

from landform.deployers.programs.contract.outcomes import End
from landform.deployers.programs.processes.slots import Slots

if TYPE_CHECKING:
    from tests.deployers.programs.folder_worlds import World

UNTIL_TOLD = "echo up; while [ ! -e $STATE_PATH/../../../go ]; do sleep 0.01; done"


async def test_a_third_program_waits_for_one_of_two_slots(narrow: World) -> None:
    runs = [a_run(f"job-{number}") for number in range(3)]
    for run in runs:
        await narrow.begin(run, UNTIL_TOLD)
    waiting = asyncio.create_task(narrow.finished(runs[2]))
    await until(lambda: bool(narrow.reports))
    assert narrow.reports[0].message == "waits for a free slot: at most 2 programs run at once"
    assert not (narrow.folder(runs[2]) / "started").exists()
    (narrow.root / "go").touch()
    assert (await waiting).outcome.succeeded
    assert [(await narrow.finished(run)).outcome.succeeded for run in runs] == [True] * 3


async def test_a_run_that_waits_can_be_stopped(narrow: World) -> None:
    runs = [a_run(f"job-{number}") for number in range(3)]
    for run in runs:
        await narrow.begin(run, UNTIL_TOLD)
    await narrow.sandbox.stop(runs[2], timedelta(seconds=30))
    outcome = (await narrow.finished(runs[2])).outcome
    assert (outcome.end, outcome.reason) == (End.NOT_STARTED, "Stopped")
    (narrow.root / "go").touch()


async def test_the_output_of_a_run_that_waits_begins_with_its_program(narrow: World) -> None:
    runs = [a_run(f"job-{number}") for number in range(3)]
    for run in runs:
        await narrow.begin(run, UNTIL_TOLD)
    printed = asyncio.create_task(narrow.printed(runs[2]))
    finished = asyncio.create_task(narrow.finished(runs[2]))
    (narrow.root / "go").touch()
    await finished
    assert await printed == "up\n"


async def test_slots_are_given_in_the_order_of_asking() -> None:
    slots, order = Slots(1), list[str]()

    async def use(name: str) -> None:
        await slots.take(name)
        order.append(name)
        slots.give(name)

    await slots.take("first")
    async with asyncio.TaskGroup() as group:
        for name in "abc":
            group.create_task(use(name))
        await asyncio.sleep(0)
        slots.give("first")
    assert order == ["a", "b", "c"]
    assert slots.is_free()


async def test_a_cancelled_wait_gives_its_turn_to_the_next() -> None:
    slots = Slots(1)
    await slots.take("first")
    impatient, patient = asyncio.create_task(slots.take("impatient")), asyncio.create_task(slots.take("patient"))
    await asyncio.sleep(0)
    slots.give("first")
    impatient.cancel()  # its turn had come, and it did not know yet
    await patient
    assert impatient.cancelled()
    slots.give("patient")
    assert slots.is_free()


async def test_more_may_be_taken_over_than_there_are_slots() -> None:
    slots = Slots(1)
    for name in ("a", "b"):
        slots.adopt(name)
    waiting = asyncio.create_task(slots.take("c"))
    slots.give("a")
    await asyncio.sleep(0)
    assert not waiting.done()
    slots.give("b")
    await waiting
