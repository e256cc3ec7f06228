"""Defaults, choices and questions about emptiness and type."""

from __future__ import annotations

from typing import Any

from landform.gotemplate.comparisons import deep_equal
from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.values import kind_name, type_name


def is_empty(value: Any) -> bool:
    """Whether the value is the zero of its type; structs never are."""
    return not value


def default(fallback: Any, *given: Any) -> Any:
    """The given value, or the fallback when it is empty."""
    return given[0] if given and given[0] else fallback


def coalesce(*values: Any) -> Any:
    """The first value that is not empty."""
    return next((value for value in values if value), None)


def type_of(value: Any) -> str:
    """The Go type of a value."""
    return "<nil>" if value is None else type_name(value)


def fail(message: str) -> str:
    """Stops the render with a message."""
    raise GoError(message)


FUNCTIONS: dict[str, Function] = {
    "default": function("any, ...any", default),
    "empty": function("any -> bool", is_empty),
    "coalesce": function("...any", coalesce),
    "all": function("...any -> bool", lambda *values: all(values)),
    "any": function("...any -> bool", lambda *values: any(values)),
    "ternary": function("any, any, bool", lambda yes, no, choice: yes if choice else no),
    "typeOf": function("any -> string", type_of),
    "typeIs": function("string, any -> bool", lambda name, value: name == type_of(value)),
    "typeIsLike": function("string, any -> bool", lambda name, value: type_of(value) in (name, "*" + name)),
    "kindOf": function("any -> string", kind_name),
    "kindIs": function("string, any -> bool", lambda name, value: name == kind_name(value)),
    "deepEqual": function("any, any -> bool", deep_equal),
    "fail": function("string", fail),
}
