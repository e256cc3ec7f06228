"""When something that keeps changing is acted upon: once it is quiet, or when it has waited long enough; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

QUIET_SECONDS: Final = 1.0
"""A value counts once it has stayed the same for so long."""

LONGEST_SECONDS: Final = 10.0
"""So long after its first change a value counts, even if it never stays the same."""

PAUSE_SECONDS: Final = 10.0
"""Between two times that the values of one item are renewed."""


@dataclass
class Debounce:
    """What was seen and since when. Times are seconds of one clock.

    Invariant: what was dealt with is dealt with again only after it was something else.
    """

    _seen: Any = None
    _first: float | None = None
    """Since when there has been something to deal with; None if there is nothing."""

    _last: float = 0.0
    """When what is seen last changed."""

    _renewed: float | None = None
    _is_done: bool = False

    def see(self, what: Any, now: float, *, differs: bool) -> bool:
        """Take in what is there and whether it differs from what should be; whether that is to be dealt with now."""
        if not differs:
            self._seen, self._first, self._is_done = what, None, False
            return False
        if what != self._seen:
            self._seen, self._last, self._is_done = what, now, False
            self._first = now if self._first is None else self._first
        elif self._first is None and not self._is_done:
            self.put_off(now)
        left = self.left(now)
        return left is not None and left <= 0

    def left(self, now: float) -> float | None:
        """In how many seconds there is something to deal with; None if there is nothing."""
        if self._first is None:
            return None
        due = min(self._last + QUIET_SECONDS, self._first + LONGEST_SECONDS)
        if self._renewed is not None:
            due = max(due, self._renewed + PAUSE_SECONDS)
        return max(0.0, due - now)

    def done(self) -> None:
        """It was dealt with."""
        self._first, self._is_done = None, True

    def renewed(self, now: float) -> None:
        """It was dealt with by renewing what should be."""
        self._renewed = now
        self.done()

    def put_off(self, now: float) -> None:
        """It could not be dealt with: wait as if it were new."""
        self._first = self._last = now
