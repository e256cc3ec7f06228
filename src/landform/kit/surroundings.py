"""The one object through which time, identifiers and chance reach every part."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from landform.kit.clocks import Clock, SystemClock
from landform.kit.ids import Ids, RandomIds


@dataclass(frozen=True)
class Surroundings:
    """What a part may not take by itself. Real by default; the simulator replaces all three."""

    clock: Clock = field(default_factory=SystemClock)
    """Where the time comes from."""

    ids: Ids = field(default_factory=RandomIds)
    """Where new uids and name suffixes come from."""

    random: random.Random = field(default_factory=random.Random)
    """Where jitter and other harmless chance come from; not for secrets."""
