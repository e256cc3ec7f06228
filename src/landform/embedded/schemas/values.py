"""JSON values as Go sees them: their type names, and when two of them are equal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from landform.embedded.schemas import gotexts
from landform.kit.patches import same

if TYPE_CHECKING:
    from collections.abc import Iterable

_LARGEST_SAFE = 2.0**53 - 1
_EPSILON = 1e-9


def type_name(value: Any) -> str:
    """The JSON schema type of a value; an integer beyond 64 bits is only a number."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int | float):
        return "integer" if gotexts.is_integer(value) else "number"
    return "array" if isinstance(value, list) else "object"


def is_number(value: Any) -> bool:
    """Whether it is a JSON number; to Python, true and false are numbers as well."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_whole(value: float) -> bool:
    """Whether a float64 counts as an integer: it has no fraction to speak of and is exact in JSON."""
    if not -_LARGEST_SAFE <= value <= _LARGEST_SAFE:
        return False
    if value == math.trunc(value):
        return True
    near = math.trunc(value)
    if value < 0 or near == 0:
        return False
    return abs(value - near) / (abs(value) + near) < _EPSILON


def is_one_of(value: Any, allowed: Iterable[Any]) -> bool:
    """Whether a value is in an enumeration; numbers are compared by value, and null never is."""
    if value is None:
        return False
    if is_number(value):
        return any(is_number(one) and one == value for one in allowed)
    return any(same(one, value) for one in allowed)


def has_duplicates(values: list[Any]) -> bool:
    """Whether two of the values are the same JSON."""
    return any(same(one, other) for place, one in enumerate(values) for other in values[:place])


def is_multiple(value: float, factor: float) -> bool:
    """Whether a number is a multiple of another, by integers if it is one, else near enough as a float64."""
    if gotexts.is_integer(value):
        whole = int(factor)
        return whole > 0 and value % whole == 0
    if factor <= 0:
        return False
    number = gotexts.as_float(value)
    return is_whole(1 / factor * number if factor < 1 else number / factor)
