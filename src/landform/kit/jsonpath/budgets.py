"""A bound on the work of one evaluation, so that no path and no data can keep us busy for long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from landform.kit.jsonpath.errors import TooMuchWork

MAX_VALUES = 500_000
"""How many values one evaluation may visit, and how many it may print.

Paths with several `..` or open ranges grow exponentially, and so does data that holds the same part many times.
"""


@dataclass(slots=True)
class Budget:
    """How many values may still be looked at."""

    left: int = MAX_VALUES

    def spend(self, values: int) -> None:
        """Account for some values; TooMuchWork when the budget is used up."""
        self.left -= values
        if self.left < 0:
            self.stop()

    def stop(self) -> NoReturn:
        """Say that the budget is used up."""
        raise TooMuchWork(f"the path visits or prints more than {MAX_VALUES} values; select less with each step")
