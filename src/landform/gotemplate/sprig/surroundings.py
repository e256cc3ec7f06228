"""What functions take from outside: time, chance and the local zone."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.gotemplate.times.zones import ZERO, Location

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Surroundings:
    """Real ones by default; tests give their own."""

    now: Callable[[], int] = time.time_ns
    """Nanoseconds since 1970."""
    random: Callable[[int], bytes] = os.urandom
    """So many random bytes, fit for secrets."""
    local: Location = ZERO
    """The zone that Go calls Local: UTC, so that a render does not depend on where it runs."""

    def below(self, limit: int) -> int:
        """A random number from zero to below the limit, each as likely as the others."""
        bits = max(1, (limit - 1).bit_length())
        while True:
            number = int.from_bytes(self.random((bits + 7) // 8), "big") >> (-bits % 8)
            if number < limit:
                return number
