"""Numbers as Kubernetes writes resources: ``500m``, ``128Mi``, ``1e3``; pure."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

_FORM: Final = re.compile(r"([+-]?(?:\d++\.?\d*+|\.\d++))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,2}))?")
_LONGEST: Final = 100  # characters
_DECIMAL: Final = {
    unit: Decimal(10) ** power for unit, power in zip("numkMGTPE", (-9, -6, -3, 3, 6, 9, 12, 15, 18), strict=True)
}
_BINARY: Final = {f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", start=1)}
_UNITS: Final = {**_DECIMAL, **_BINARY}


def parse(quantity: object) -> float:
    """The number that a quantity says; ValueError if it is none."""
    text = str(quantity)
    match = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise ValueError(f"{text[:_LONGEST]} is no quantity; write one such as 500m or 128Mi")
    number, unit, exponent = match.groups()
    return float(Decimal(number) * _UNITS.get(unit, Decimal(1)) * Decimal(10) ** int(exponent or 0))
