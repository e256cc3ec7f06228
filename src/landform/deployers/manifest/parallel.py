"""Doing the same to many objects at a time, and hearing of all that fails."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from landform.api.errors import ErrorCode, OperationFailed
from landform.cluster.errors import Unauthorized, Unreachable
from landform.deployers.library import AccessGone, NoAccess
from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator

T = TypeVar("T")
R = TypeVar("R")

AT_ONCE: Final = 64
"""Requests of one item at a time. A cluster that syncs each write to disk needs many to be busy; clusters limit how
many they take of one client, but not to so few."""

_MOST_TOLD: Final = 5


class Batch(Generic[R]):
    """What came of it."""

    def __init__(self) -> None:
        self.results: list[R] = []
        self.failures: list[LandformError] = []
        self.is_cut = False
        """Whether the rest was not tried, because the cluster lets nobody do anything now."""

    def check(self, operation: str, reason: str) -> None:
        """Raise all that failed as one failure."""
        if self.failures:
            raise failure(operation, reason, self.failures)


async def each(things: Iterable[T], function: Callable[[T], Awaitable[R]]) -> Batch[R]:
    """Call the function for each thing, some at a time; errors for people are gathered, bugs end it.

    What one thing is refused does not keep the others away. But when the cluster cannot be reached, or does not let us
    in, the others are not tried.
    """
    batch: Batch[R] = Batch()
    left = iter(things)
    first = list(itertools.islice(left, AT_ONCE))
    if len(first) == 1:  # most items have one object
        await _one(first[0], function, batch)
        return batch
    async with asyncio.TaskGroup() as group:
        for thing in first:
            group.create_task(_worker(thing, left, function, batch))
    return batch


def failure(operation: str, reason: str, failures: list[LandformError]) -> OperationFailed:
    """Several errors as one."""
    texts = list(dict.fromkeys(map(str, failures)))
    more = len(texts) - _MOST_TOLD
    told = "; ".join(texts[:_MOST_TOLD]) + (f"; and {more} more" if more > 0 else "")
    unauthorized = any(isinstance(each, Unauthorized) for each in failures)
    kind = NoAccess if any(isinstance(each, AccessGone) for each in failures) else OperationFailed
    return kind(operation, reason, told, codes=(ErrorCode.UNAUTHORIZED,) if unauthorized else ())


async def _worker(thing: T, left: Iterator[T], function: Callable[[T], Awaitable[R]], batch: Batch[R]) -> None:
    for each_thing in itertools.chain((thing,), left):
        await _one(each_thing, function, batch)
        if batch.is_cut:
            return


async def _one(thing: T, function: Callable[[T], Awaitable[R]], batch: Batch[R]) -> None:
    try:
        batch.results.append(await function(thing))
    except LandformError as error:
        batch.failures.append(error)
        batch.is_cut |= isinstance(error, Unreachable | Unauthorized | AccessGone)
