"""Acts: what people do, put together from small deeds."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from landform.api.names import TRUE, Annotation

if TYPE_CHECKING:
    from tests.simulation.scenarios.core.landscapes import Part
    from tests.simulation.scenarios.core.people import People
    from tests.simulation.scenarios.core.stories import Act


def in_turn(*acts: Act) -> Act:
    """One after the other."""

    async def act(people: People) -> None:
        for each in acts:
            await each(people)

    return act


def applied(*parts: Part) -> Act:
    """People apply these in any order, a little time apart."""

    async def act(people: People) -> None:
        for part in people.world.chance.sample(parts, len(parts)):
            await people.apply(part)
            await people.pause(1.0)

    return act


def later(longest: float) -> Act:
    """People wait, at most so long."""

    async def act(people: People) -> None:
        await people.pause(longest)

    return act


def idle(*names: str) -> Act:
    """People wait until these have no job."""

    async def act(people: People) -> None:
        await people.idle(*names)

    return act


def phase(name: str, phase: str) -> Act:
    """People wait until an Installation is in a phase, or has finished its job."""

    async def act(people: People) -> None:
        await people.working(name, phase)

    return act


def run_again(*names: str, times: int = 1, longest: float = 6.0) -> Act:
    """People ask for new jobs, at any moment."""

    async def act(people: People) -> None:
        for _ in range(times):
            await people.pause(longest)
            await people.run(*names)

    return act


def interrupted(name: str) -> Act:
    """People interrupt."""

    async def act(people: People) -> None:
        await people.interrupt(name)

    return act


def annotated(name: str, annotation: Annotation) -> Act:
    """People switch something on."""

    async def act(people: People) -> None:
        await people.annotate(name, annotation, TRUE)

    return act


def deleted(*names: str, longest: float = 0.0) -> Act:
    """People delete these in any order, a little time apart."""

    async def act(people: People) -> None:
        for name in people.world.chance.sample(names, len(names)):
            await people.delete(name)
            await people.pause(longest)

    return act


def forced(name: str) -> Act:
    """People take off what holds an Installation and its Execution, whatever is below them."""

    async def act(people: People) -> None:
        await people.force(name)

    return act


def gone(*names: str) -> Act:
    """People wait until these are gone."""

    async def act(people: People) -> None:
        await people.gone(*names)

    return act


def given(**values: str) -> Act:
    """People give data."""

    async def act(people: People) -> None:
        await people.give(**values)

    return act


def crashed(*processes: str, times: int = 2, longest: float = 4.0) -> Act:
    """Processes crash now and then, besides all else that goes wrong."""

    async def act(people: People) -> None:
        for _ in range(times):
            await people.pause(longest)
            people.world.processes[people.world.chance.choice(processes)].crash("as the story has it")

    return act


def frozen(*processes: str, seconds: float) -> Act:
    """One of the processes stands still, longer than its lease holds."""

    async def act(people: People) -> None:
        await people.pause(4.0)
        people.world.processes[people.world.chance.choice(processes)].freeze(seconds)

    return act


def at_once(*acts: Act) -> Act:
    """All at the same time."""

    async def act(people: People) -> None:
        async with asyncio.TaskGroup() as group:
            for each in acts:
                group.create_task(_done(each, people))

    return act


async def _done(act: Act, people: People) -> None:
    await act(people)
