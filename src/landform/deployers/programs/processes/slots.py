"""How many programs run at once: a fixed number of slots, given in the order in which they were asked for."""

from __future__ import annotations

import asyncio
from collections import deque


class Slots:
    """Slots by the name of their holder.

    Invariant: a slot is given only while fewer than `limit` are held. Those that were taken over may be more.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._held: set[str] = set()
        self._waiting: deque[tuple[str, asyncio.Future[None]]] = deque()

    def is_free(self) -> bool:
        """Whether one would be given at once."""
        return len(self._held) < self.limit and not self._waiting

    def adopt(self, holder: str) -> None:
        """Count somebody who holds a slot already."""
        self._held.add(holder)

    async def take(self, holder: str) -> None:
        """Wait for a slot; nothing happens to one that is held already."""
        if holder in self._held:
            return
        if self.is_free():
            self._held.add(holder)
            return
        turn = asyncio.get_running_loop().create_future()
        entry = (holder, turn)
        self._waiting.append(entry)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give(holder)
            else:
                self._waiting.remove(entry)
            raise

    def give(self, holder: str) -> None:
        """Give a slot back; the next in the row gets it."""
        self._held.discard(holder)
        while self._waiting and len(self._held) < self.limit:
            following, turn = self._waiting.popleft()
            if not turn.cancelled():
                self._held.add(following)
                turn.set_result(None)
