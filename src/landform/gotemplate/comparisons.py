"""Go templates' comparisons, with Go's rules for which types compare."""

from __future__ import annotations

from typing import Any

from landform.gotemplate import budgets
from landform.gotemplate.errors import GoError
from landform.gotemplate.formatting import Flags, Printer, text_of
from landform.gotemplate.values import MISSING, Integer, encoded, is_nil, kind_name, type_name

_BASIC = {bool: "bool", str: "string", int: "int", float: "float", complex: "complex"}


def _basic(value: Any) -> str:
    """The basic kind of a value; empty for all others."""
    kind = _BASIC.get(type(value))
    if kind is None:
        if isinstance(value, Integer):
            return "uint" if value.unsigned else "int"
        return next((name for known, name in _BASIC.items() if isinstance(value, known)), "")
    return kind


def equal(first: Any, *others: Any) -> bool:
    """Whether the first equals one of the others."""
    if not others:
        raise GoError("missing argument for comparison")
    first = None if first is MISSING else first
    return any(_same(first, None if other is MISSING else other) for other in others)


def _same(first: Any, other: Any) -> bool:
    left, right = _basic(first), _basic(other)
    if left != right:
        if {left, right} == {"int", "uint"}:
            return bool(first == other)
        if first is not None and other is not None:
            raise GoError(f"incompatible types for comparison: {type_name(first)} and {type_name(other)}")
        return False
    if left:
        return bool(first == other)
    if first is not None and other is not None and kind_name(first) != kind_name(other):
        raise GoError(f"non-comparable types {_shown(first)}: {type_name(first)}, {type_name(other)}: {text_of(other)}")
    if is_nil(first) or is_nil(other):
        return is_nil(first) == is_nil(other)
    if isinstance(other, list | dict | bytes):
        raise GoError(f"non-comparable type {_shown(other)}: {type_name(other)}")
    return type(first) is type(other) and bool(first == other)


def _shown(value: Any) -> str:
    return Printer(Flags()).argument(value, "s")


def unequal(first: Any, other: Any) -> bool:
    """Whether two values differ."""
    return not equal(first, other)


def less(first: Any, other: Any) -> bool:
    """Whether the first comes before the other."""
    left, right = _basic(first), _basic(other)
    if not left or not right:
        raise GoError("invalid type for comparison")
    if left != right and {left, right} != {"int", "uint"}:
        raise GoError(f"incompatible types for comparison: {type_name(first)} and {type_name(other)}")
    if left in ("bool", "complex"):
        raise GoError("invalid type for comparison")
    if left == "string" and not (first.isascii() and other.isascii()):
        return encoded(first) < encoded(other)
    return bool(first < other)


def less_or_equal(first: Any, other: Any) -> bool:
    """Whether the first comes before the other or equals it."""
    return less(first, other) or equal(first, other)


def greater(first: Any, other: Any) -> bool:
    """Whether the first comes after the other."""
    return not less_or_equal(first, other)


def greater_or_equal(first: Any, other: Any) -> bool:
    """Whether the first comes after the other or equals it."""
    return not less(first, other)


def deep_equal(first: Any, other: Any) -> bool:
    """Whether two values are equal in type and content, as reflect.DeepEqual sees it."""
    if first is None or other is None:
        return first is other
    if isinstance(first, list | dict) and isinstance(other, list | dict):
        budgets.current().steps(1 + len(first) // 16)
        if type_name(first) != type_name(other) or is_nil(first) != is_nil(other) or len(first) != len(other):
            return False
        if isinstance(first, dict) and isinstance(other, dict):
            return all(key in other and deep_equal(value, other[key]) for key, value in first.items())
        return all(deep_equal(left, right) for left, right in zip(first, other, strict=True))
    return type(first) is type(other) and bool(first == other)
