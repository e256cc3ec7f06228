"""How long ago something was, in the few characters that Kubernetes shows to people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from landform.kit.clocks import parse_rfc3339

if TYPE_CHECKING:
    from datetime import datetime

UNKNOWN = "<unknown>"
INVALID = "<invalid>"

_MINUTE, _HOUR = 60, 3600


def humanised(seconds: float) -> str:
    """A span of time with two or three significant digits: 5s, 2m30s, 3h, 4d20h, 2y1d."""
    if seconds <= -2:
        return INVALID
    whole = max(0, math.floor(seconds))
    minutes, hours, days = whole // _MINUTE, whole // _HOUR, whole // _HOUR // 24
    if whole < 2 * _MINUTE:
        return f"{whole}s"
    if minutes < 10:
        return _two(minutes, "m", whole % 60, "s")
    if minutes < 3 * 60:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    if days < 2 * 365:
        return f"{days}d"
    if days < 8 * 365:
        return _two(days // 365, "y", days % 365, "d")
    return f"{days // 365}y"


def since(timestamp: str | None, now: datetime) -> str:
    """The age of something that happened at a time in an object."""
    if not timestamp:
        return UNKNOWN
    return humanised((now - parse_rfc3339(timestamp)).total_seconds())


def _two(high: int, high_unit: str, low: int, low_unit: str) -> str:
    return f"{high}{high_unit}{low}{low_unit}" if low else f"{high}{high_unit}"
