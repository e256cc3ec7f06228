"""A journal that a test leads by the hand: groups reach the disk, or do not, when the test says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from landform.embedded.journal import Change, Settled


class LedJournal:
    """Keeps the rules of `Journal`: order, whole groups, and silence about what was appended in a failed epoch."""

    def __init__(self) -> None:
        self.disk: list[Change] = []
        self.closed = False
        self._waiting: list[tuple[Change, int]] = []
        self._failed_epoch = -1
        self._settled: Settled | None = None

    @property
    def waiting(self) -> int:
        """How many changes are on their way."""
        return len(self._live())

    def start(self, settled: Settled) -> None:
        self._settled = settled

    def append(self, change: Change, epoch: int) -> None:
        assert not self.closed
        self._waiting.append((change, epoch))

    def close(self) -> None:
        self.closed = True

    def settle(self, count: int, error: Exception | None = None) -> None:
        """End a group of the next `count` changes; with an error, nothing of this epoch is written any more."""
        assert self._settled is not None
        self._waiting = self._live()
        group, self._waiting = self._waiting[:count], self._waiting[count:]
        if error is None:
            self.disk += [change for change, _ in group]
        else:
            self._failed_epoch = max(epoch for _, epoch in group)
        self._settled(len(group), error)

    def _live(self) -> list[tuple[Change, int]]:
        return [(change, epoch) for change, epoch in self._waiting if epoch > self._failed_epoch]
