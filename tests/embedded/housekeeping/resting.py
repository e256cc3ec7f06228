"""A clock that the test moves, and how to know that the home has nothing left to do."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from datetime import UTC, datetime, timedelta

_CHORES = ("garbage collection ", "namespace ", "accounts ", "definition ")
_QUIET_TURNS = 20
"""So many turns of the event loop without a chore: a commit takes two, and an event at once leads to a chore."""


class ManualClock:
    """Short pauses pass at once; long ones only when the test says so."""

    def __init__(self) -> None:
        self._now = datetime(2030, 1, 1, tzinfo=UTC)
        self._sleepers: list[tuple[datetime, int, asyncio.Event]] = []
        self._numbers = itertools.count()

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._now.timestamp()

    async def sleep(self, seconds: float) -> None:
        if seconds <= 1:
            await asyncio.sleep(0)
            return
        woken = asyncio.Event()
        heapq.heappush(self._sleepers, (self._now + timedelta(seconds=seconds), next(self._numbers), woken))
        await woken.wait()

    async def advance(self, seconds: float) -> None:
        """Let time pass, waking everyone whose time has come, in order."""
        end = self._now + timedelta(seconds=seconds)
        while self._sleepers and self._sleepers[0][0] <= end:
            self._now, _, woken = heapq.heappop(self._sleepers)
            woken.set()
            await at_rest()
        self._now = end


async def at_rest() -> None:
    """Return once no chore runs or follows."""
    quiet = 0
    async with asyncio.timeout(30):
        while quiet < _QUIET_TURNS:
            await asyncio.sleep(0)
            busy = any(task.get_name().startswith(_CHORES) for task in asyncio.all_tasks())
            quiet = 0 if busy else quiet + 1
