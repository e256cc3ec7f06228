"""Several things done side by side, but not all at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

T = TypeVar("T")
R = TypeVar("R")


async def each(function: Callable[[T], Awaitable[R]], things: Sequence[T], *, most: int) -> list[R]:
    """What the function makes of each thing, in order, `most` at a time; the first failure ends all and is raised."""
    results: dict[int, R] = {}
    waiting = iter(enumerate(things))

    async def work() -> None:
        for number, thing in waiting:
            results[number] = await function(thing)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(most, len(things))):
                group.create_task(work(), name=f"work for {function}")
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [results[number] for number in range(len(things))]
