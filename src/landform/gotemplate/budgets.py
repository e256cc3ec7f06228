"""Budgets of a render: how much text, how many steps, how deep and how long."""

from __future__ import annotations

import time
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.gotemplate.errors import Overspent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_PAUSES = 1  # pieces of slow work that a render may do on top of its time
_STRIDE = 64  # steps between two looks at the clock


@dataclass(frozen=True)
class Budgets:
    """The limits of one template; each has a default that no honest template meets."""

    text: int = 4 << 20
    """Characters of template text."""
    tokens: int = 30_000
    """Tokens of that text: words, signs and stretches of plain text."""
    nesting: int = 120
    """Blocks inside blocks, and parentheses inside parentheses."""
    output: int = 2 << 20
    """Characters of output, and of any text that a function makes on the way."""
    steps: int = 1_000_000
    """Loop iterations, and elements that functions make."""
    depth: int = 100_000
    """Templates that call templates."""
    seconds: float = 1.5
    """Wall time of one render."""


class Meter:
    """What one render has used up; a function charges the meter of the render that it runs in."""

    __slots__ = ("_clock", "_deadline", "_left", "_looked", "_pauses", "budgets", "depth")

    def __init__(self, budgets: Budgets, clock: Callable[[], float] = time.monotonic) -> None:
        self.budgets = budgets
        self.depth = 0
        self._left = budgets.steps
        self._looked = budgets.steps
        self._clock = clock
        self._pauses = _PAUSES
        self._deadline = clock() + budgets.seconds

    def steps(self, count: int) -> None:
        """Pays for that many steps, and looks at the clock now and then."""
        self._left -= count
        if self._looked - self._left >= _STRIDE:
            if self._left < 0:
                raise Overspent(f"more than {self.budgets.steps} steps")
            self._looked = self._left
            self.look()

    def look(self) -> None:
        """Stops a render that has run too long."""
        if self._clock() > self._deadline:
            raise Overspent(f"more than {self.budgets.seconds:g} seconds")

    def size(self, characters: int) -> None:
        """Refuses a text that is longer than the whole output may be."""
        if characters > self.budgets.output:
            raise Overspent(f"a text of {characters} characters, more than {self.budgets.output}")

    def pause(self, slow: Callable[[], Any]) -> Any:
        """Does slow work, such as making a key; the first time it does not count as time of the render."""
        self.look()
        began = self._clock()
        result = slow()
        if self._pauses:
            self._pauses -= 1
            self._deadline += self._clock() - began
        return result

    def paced(self, items: Sequence[Any]) -> Iterator[Any]:
        """The items of a long list, with a look at the clock now and then."""
        for index, item in enumerate(items):
            if not index % _STRIDE:
                self.steps(_STRIDE)
            yield item


_UNBOUND = Meter(Budgets(output=1 << 40, steps=1 << 60, seconds=1e12))
_current: ContextVar[Meter] = ContextVar("landform.gotemplate.meter", default=_UNBOUND)
current = _current.get
enter = _current.set
leave = _current.reset
