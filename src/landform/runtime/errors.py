"""What a reconcile raises to say how to go on; everything else that it raises means: back off and try again.

LandformError
├── Retry       not now: try again, after so many seconds at the least
├── Terminal    trying again cannot help: mark the object, and stop until it changes
└── LeaseLost   another replica owns the object now, or may: leave it alone at once
"""

from __future__ import annotations

from landform.kit.errors import LandformError


class Retry(LandformError):
    """It failed in a way that passes."""

    def __init__(self, message: str, *, after: float = 0.0) -> None:
        super().__init__(message)
        self.after = after
        """Seconds to wait at the least."""


class Terminal(LandformError):
    """It failed in a way that only a change of the object can mend."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """One word for a condition or an event."""


class LeaseLost(LandformError):
    """This replica must not write for the object."""
