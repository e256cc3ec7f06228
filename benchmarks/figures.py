"""How figures are printed: what was measured, against which target, reached or not."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field


@dataclass
class Report:
    """The figures of one benchmark; `finish` ends the process with 1 if a target was missed."""

    missed: list[str] = field(default_factory=list)

    def figure(self, what: str, value: float, unit: str = "") -> None:
        """A figure without a target."""
        print(f"  {what:<58} {value:>10.2f} {unit}", flush=True)

    def at_least(self, what: str, value: float, target: float, unit: str = "x") -> None:
        """A figure that should be large."""
        self._judge(what, value, unit, f">= {target:g}", reached=value >= target)

    def at_most(self, what: str, value: float, target: float, unit: str = "") -> None:
        """A figure that should be small."""
        self._judge(what, value, unit, f"<= {target:g}", reached=value <= target)

    def _judge(self, what: str, value: float, unit: str, target: str, *, reached: bool) -> None:
        print(f"  {what:<58} {value:>10.2f} {unit:<5} target {target:<9} {'ok' if reached else 'MISSED'}", flush=True)
        if not reached:
            self.missed.append(what)

    def finish(self) -> None:
        """End the process."""
        sys.exit(1 if self.missed else 0)
