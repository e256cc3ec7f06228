"""Budgets of an evaluation: how much text, how many steps, how deep and how long."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from landform.spiff.errors import Overspent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Answer = TypeVar("Answer")

_STRIDE = 256  # steps between two looks at the clock
_FRAMES = 60_000  # calls inside calls that the interpreter may hold while a document is evaluated


@dataclass(frozen=True)
class Budgets:
    """The limits of one evaluation; each has a default that no honest document meets."""

    text: int = 4 << 20
    """Characters of one document."""
    nesting: int = 250
    """Maps and lists inside each other, in a document or in what expressions make."""
    calls: int = 1500
    """Lambda calls and templates inside each other."""
    steps: int = 400_000
    """Nodes visited, calls made and list entries created."""
    produced: int = 24 << 20
    """Characters of text that expressions create on the way."""
    seconds: float = 1.2
    """Wall time."""


class Meter:
    """What one evaluation has used up."""

    __slots__ = ("_clock", "_deadline", "_depth", "_left", "_looked", "_text_left", "budgets")

    def __init__(self, budgets: Budgets, clock: Callable[[], float] = time.monotonic) -> None:
        self.budgets = budgets
        self._depth = 0
        self._left = budgets.steps
        self._looked = budgets.steps
        self._text_left = budgets.produced
        self._clock = clock
        self._deadline = clock() + budgets.seconds

    def step(self, count: int = 1) -> None:
        """Pays for that many steps, and looks at the clock now and then."""
        self._left -= count
        if self._looked - self._left >= _STRIDE:
            if self._left < 0:
                raise Overspent(f"the evaluation needs more than {self.budgets.steps} steps")
            self._looked = self._left
            self.look()

    def look(self) -> None:
        """Stops an evaluation that has run too long."""
        if self._clock() > self._deadline:
            raise Overspent(f"the evaluation takes more than {self.budgets.seconds:g} seconds")

    def text(self, characters: int) -> None:
        """Pays for a text that an expression creates."""
        self._text_left -= characters
        if self._text_left < 0:
            raise Overspent(f"expressions create more than {self.budgets.produced} characters of text")

    def pause(self, steps: int, slow: Callable[[], Answer]) -> Answer:
        """Does honest but slow work, such as hashing a password: paid in steps, not in time."""
        self.step(steps)
        began = self._clock()
        result = slow()
        self._deadline += self._clock() - began
        return result

    def enter(self) -> None:
        """One more lambda call or template inside the others."""
        self._depth += 1
        if self._depth > self.budgets.calls:
            raise Overspent(f"lambda calls and templates are nested more than {self.budgets.calls} deep")

    def leave(self) -> None:
        """The end of a lambda call or template. What is stopped on the way needs no end: nothing goes on after it."""
        self._depth -= 1


class _Stack:
    """The interpreter's limit of calls inside calls, raised while somebody needs it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._usual = 0

    @contextmanager
    def raised(self) -> Iterator[None]:
        with self._lock:
            if not self._users:
                self._usual = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._usual, _FRAMES))
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    sys.setrecursionlimit(self._usual)


deep_stack = _Stack()
