"""Finding fields in objects by their paths."""

from __future__ import annotations

import json
from typing import Any


def value_at(value: Any, path: tuple[str, ...]) -> Any:
    """The value of a field; KeyError or StopIteration if there is no such field."""
    for element in path:
        value = _step(value, element)
    return value


def has_null(value: Any, *, but_in: str = "") -> bool:
    """Whether something in the value is null, other than inside of fields of one name."""
    if isinstance(value, dict):
        return any(has_null(inner, but_in=but_in) for name, inner in value.items() if name != but_in or inner is None)
    return value is None or (isinstance(value, list) and any(has_null(item, but_in=but_in) for item in value))


def _step(value: Any, element: str) -> Any:
    kind, content = element[0], element[2:]
    if kind == "f":
        return value[content]
    wanted = json.loads(content)
    if kind == "v":
        return next(item for item in value if item == wanted)
    defaults = {"protocol": "TCP"} if "port" in wanted else {}
    return next(item for item in value if wanted.items() <= (defaults | item).items())
