"""The kinds of values as Go sees them: their type names, and how two of them compare in a filter."""

from __future__ import annotations

import operator
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable


class Byte(int):
    """One byte of a text: a wildcard takes texts apart. Go's uint8."""


class Literal(int):
    """A whole number that stands in the path itself. Go's int, where a number of the data is an int64."""


class Nothing:
    """The value of data that is nil as a whole; a nil inside of the data is None."""


NOTHING: Final = Nothing()

LISTS: Final = (list, tuple)
"""What counts as a list. A tuple of types, for checking against a union of types takes twice as long."""

CONTAINERS: Final = (dict, list, tuple)
"""What is printed in JSON."""


def type_name(value: Any) -> str:
    """The value's type in Go."""
    match value:
        case dict():
            return "map[string]interface {}"
        case list() | tuple():
            return "[]interface {}"
        case str():
            return "string"
        case bool():
            return "bool"
        case Byte():
            return "uint8"
        case Literal():
            return "int"
        case int():
            return "int64"
        case float():
            return "float64"
    return "<nil>"


class _Kind(Enum):
    BOOL = auto()
    INTEGER = auto()
    FLOAT = auto()
    STRING = auto()


class Incomparable(Exception):
    """The two values cannot be compared; the text is Go's."""


def _kind(value: Any) -> _Kind:
    match value:
        case str():
            return _Kind.STRING
        case bool():
            return _Kind.BOOL
        case int():
            return _Kind.INTEGER
        case float():
            return _Kind.FLOAT
    raise Incomparable("invalid type for comparison")


def _same_kind(left: Any, right: Any) -> _Kind:
    kind = _kind(left)
    if kind is not _kind(right):
        raise Incomparable("incompatible types for comparison")
    return kind


def _ordered(left: Any, right: Any) -> None:
    if _same_kind(left, right) is _Kind.BOOL:
        raise Incomparable("invalid type for comparison")


def equal(left: Any, right: Any) -> bool:
    """Whether two values of one kind are the same. A whole number and a float are never comparable."""
    _same_kind(left, right)
    return bool(left == right)


def _ordering(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def ordering(left: Any, right: Any) -> bool:
        _ordered(left, right)
        return compare(left, right)

    return ordering


COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
    "<": _ordering(operator.lt),
    "<=": _ordering(operator.le),
    # Go derives these two by negation, which differs for NaN only.
    ">": _ordering(lambda left, right: not left <= right),
    ">=": _ordering(lambda left, right: not left < right),
}
