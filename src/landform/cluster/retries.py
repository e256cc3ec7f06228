"""Whether and when a request that failed is sent again; pure decisions, no I/O.

Reads are sent again after anything that may pass. A write is sent again only

- when it is certain that nothing happened: the connection could not be made, or the cluster turned the request away
  with 429, or with 503 and a Retry-After;
- when it is conditional (`requests.Repeat.CONDITIONAL`) and its answer was lost, or a gateway or the API server
  answered 502, 503 or 504. A Conflict or NotFound that follows may then be the echo of the first one's success.
"""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from landform.cluster.requests import Repeat

if TYPE_CHECKING:
    import random
    from datetime import datetime

_IN_BETWEEN = (502, 503, 504)


@dataclass(frozen=True)
class Failure:
    """What is known of a request that failed."""

    code: int = 0
    """Status code of the answer; 0 = there was none."""

    sent: bool = True
    """Whether the request may have reached the cluster."""

    retry_after: float | None = None
    """Seconds that the cluster asks us to wait."""

    @property
    def is_refusal(self) -> bool:
        """Whether it is certain that nothing happened."""
        return not self.sent or self.code == 429 or (self.code == 503 and self.retry_after is not None)


def may_repeat(repeat: Repeat, failure: Failure) -> bool:
    """Whether the request may be sent again."""
    if failure.is_refusal:
        return True
    if repeat is Repeat.HARMLESS:
        return failure.code == 0 or failure.code >= 500
    return repeat is Repeat.CONDITIONAL and (failure.code == 0 or failure.code in _IN_BETWEEN)


@dataclass(frozen=True)
class Backoff:
    """Growing delays with chance in them, so that many clients do not come back at the same moment."""

    first: float = 0.1
    """Longest delay before the first repetition, in seconds."""

    longest: float = 5.0
    """What the delays grow to, in seconds."""

    def delay(self, tries: int, chance: random.Random) -> float:
        """Seconds to wait after that many failed tries: between half and all of a bound that doubles each time."""
        bound = min(self.longest, self.first * 2.0 ** min(tries - 1, 30))
        return bound * chance.uniform(0.5, 1.0)


def parse_retry_after(text: str | None, now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for, given as a number or as a moment; None if it is neither."""
    if not text:
        return None
    if text.isdecimal() and text.isascii():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
        return max(0.0, (moment - now).total_seconds())
    except (ValueError, TypeError):
        return None
