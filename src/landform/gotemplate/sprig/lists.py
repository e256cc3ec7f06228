"""Lists: made, cut, searched and put together; none is changed in place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from landform.gotemplate import budgets
from landform.gotemplate.comparisons import deep_equal
from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.sprig.casting import to_int64
from landform.gotemplate.sprig.defaults import is_empty
from landform.gotemplate.values import LIST, TypedList, Uint8, kind_name

if TYPE_CHECKING:
    from collections.abc import Callable

_NIL_TYPE = "runtime error: invalid memory address or nil pointer dereference"


def _elements(value: Any, complaint: str) -> list[Any]:
    """The elements of a list; the complaint names what it cannot do on other kinds."""
    if isinstance(value, list):
        budgets.current().steps(len(value) // 16)
        return value
    if isinstance(value, bytes):
        return [Uint8(byte) for byte in value]
    if value is None:
        raise GoError(_NIL_TYPE)
    raise GoError(f"{complaint} {kind_name(value)}")


def _nil_list() -> TypedList:
    return TypedList(LIST, is_nil=True)


def push(items: Any, value: Any) -> list[Any]:
    """The list with a value at its end."""
    return [*_elements(items, "Cannot push on type"), value]


def prepend(items: Any, value: Any) -> list[Any]:
    """The list with a value at its beginning."""
    return [value, *_elements(items, "Cannot prepend on type")]


def chunk(size: int, items: Any) -> TypedList:
    """The list in lists of the size."""
    elements = _elements(items, "Cannot chunk type")
    if size == 0:
        raise GoError("runtime error: makeslice: len out of range")
    if size < 0:
        count = math.floor((len(elements) - 1) / size) + 1
        if count <= 0:
            if count < 0:
                raise GoError("runtime error: makeslice: len out of range")
            return TypedList("[][]interface {}")
        raise GoError("runtime error: makeslice: len out of range")
    pieces = [list(elements[start : start + size]) for start in range(0, len(elements), size)]
    return TypedList("[][]interface {}", pieces)


def last(items: Any) -> Any:
    """The last element, or nil."""
    elements = _elements(items, "Cannot find last on type")
    return elements[-1] if elements else None


def first(items: Any) -> Any:
    """The first element, or nil."""
    elements = _elements(items, "Cannot find first on type")
    return elements[0] if elements else None


def rest(items: Any) -> list[Any]:
    """All elements but the first."""
    elements = _elements(items, "Cannot find rest on type")
    return list(elements[1:]) if elements else _nil_list()


def initial(items: Any) -> list[Any]:
    """All elements but the last."""
    elements = _elements(items, "Cannot find initial on type")
    return list(elements[:-1]) if elements else _nil_list()


def reverse(items: Any) -> list[Any]:
    """The elements in the other order."""
    return list(reversed(_elements(items, "Cannot find reverse on type")))


def compact(items: Any) -> list[Any]:
    """The elements that are not empty."""
    return [item for item in _elements(items, "Cannot compact on type") if not is_empty(item)]


def _contains(elements: list[Any] | tuple[Any, ...], value: Any) -> bool:
    budgets.current().steps(len(elements) // 16)
    return any(deep_equal(value, element) for element in elements)


def uniq(items: Any) -> list[Any]:
    """The elements without those that came before."""
    found: list[Any] = []
    known: set[tuple[type, Any]] = set()
    for item in _elements(items, "Cannot find uniq on type"):
        if isinstance(item, str | int | float):
            mark = (type(item), item)
            if mark in known:
                continue
            known.add(mark)
            found.append(item)
        elif not _contains(found, item):
            found.append(item)
    return found


def without(items: Any, *unwanted: Any) -> list[Any]:
    """The elements that equal none of the others."""
    return [item for item in _elements(items, "Cannot find without on type") if not _contains(unwanted, item)]


def has(value: Any, items: Any) -> bool:
    """Whether the value is an element of the list."""
    return items is not None and _contains(_elements(items, "Cannot find has on type"), value)


def cut(items: Any, *places: Any) -> Any:
    """A stretch of the list."""
    elements = _elements(items, "list should be type of slice or array but")
    if not elements:
        return None
    start = to_int64(places[0]) if places else 0
    end = to_int64(places[1]) if len(places) > 1 else len(elements)
    if not 0 <= start <= end <= len(elements):
        raise GoError("reflect.Value.Slice: slice index out of bounds")
    if isinstance(items, bytes):
        return items[start:end]
    return TypedList(items.go_type, items[start:end]) if isinstance(items, TypedList) else items[start:end]


def concat(*lists: Any) -> list[Any]:
    """The elements of all lists."""
    result: list[Any] = []
    for items in lists:
        if items is not None and not isinstance(items, list | bytes):
            raise GoError(f"Cannot concat type {kind_name(items)} as list")
        result += _elements(items, "")
    budgets.current().steps(len(result) // 16)
    return result or _nil_list()


_BOTH: dict[str, tuple[str, Callable[..., Any]]] = {
    "prepend": ("any, any", prepend),
    "first": ("any", first),
    "rest": ("any", rest),
    "last": ("any", last),
    "initial": ("any", initial),
    "reverse": ("any", reverse),
    "uniq": ("any", uniq),
    "without": ("any, ...any", without),
    "has": ("any, any", has),
    "slice": ("any, ...any", cut),
    "compact": ("any", compact),
    "chunk": ("int, any -> [][]interface {}", chunk),
    "append": ("any, any", push),
    "push": ("any, any", push),
}


FUNCTIONS: dict[str, Function] = {
    "tuple": function("...any", lambda *values: list(values)),
    "list": function("...any", lambda *values: list(values)),
    "concat": function("...any", concat),
    **{name: function(*given) for name, given in _BOTH.items()},
    **{f"must{name[0].upper()}{name[1:]}": function(*given) for name, given in _BOTH.items()},
}
