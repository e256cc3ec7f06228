"""Whether a process is behind with its work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from landform.runtime.queue import Queue

MANY: Final = 16
"""So many reconciles of one controller that wait or run are more than a process does at once."""


class Pressure:
    """How the queues of one process are doing, for whoever can put off what is not urgent.

    While it is high, objects stand still only because nobody has got round to them: saying so would cost a write for
    each, and make the rest slower still.
    """

    def __init__(self) -> None:
        self._queues: list[Queue] = []

    def follow(self, queue: Queue) -> None:
        """Count the reconciles of a queue; they must be short."""
        self._queues.append(queue)

    @property
    def is_high(self) -> bool:
        """Whether a controller has more to do than it does at once."""
        return any(queue.depth + len(queue.running) >= MANY for queue in self._queues)
