"""How a run ended, and what it left; pure."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime

PERHAPS_MEMORY: Final = "killed (SIGKILL), possibly out of memory"
"""Of a kill that nobody explains: whoever ran the program does not always learn that memory was the reason."""

PAST_ITS_GRACE: Final = "it did not end within its grace, and was killed"


class End(enum.StrEnum):
    """How a program came to its end."""

    EXITED = "Exited"
    SIGNALED = "Signaled"
    OUT_OF_MEMORY = "OutOfMemory"
    NOT_STARTED = "NotStarted"
    """It never began: its image or interpreter is not there, or its inputs could not be staged."""

    LOST = "Lost"
    """Nobody knows: its machine, pod or container is gone."""


@dataclass(frozen=True)
class Outcome:
    """The end of a program."""

    end: End
    exit_code: int | None = None
    signal: int | None = None
    reason: str = ""
    """In the words of whoever ran it, such as ``Evicted`` or ``ErrImagePull``; empty if there is nothing to add."""

    message: str = ""
    """For people: more than the reason says."""

    started: datetime | None = None
    finished: datetime | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the program says that it did its work."""
        return self.end is End.EXITED and self.exit_code == 0


@dataclass(frozen=True)
class Result:
    """All that is left of a run: its state is kept already, its exports are here."""

    outcome: Outcome
    exports: bytes | None = None
    """What the program wrote as its exports, as it is; None if nothing, or if it failed."""

    fault: str = ""
    """Why its exports or state could not be collected, for people; empty if they could."""
