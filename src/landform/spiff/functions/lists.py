"""Functions on lists and on anything that has entries."""

from __future__ import annotations

from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from landform.spiff.expressions.base import Expr
from landform.spiff.expressions.lambdas import Arguments, LambdaValue
from landform.spiff.expressions.lambdas import call as call_lambda
from landform.spiff.info import CLEAN, Info, Result, done, fail
from landform.spiff.nodes import Issue, Node, RawInt
from landform.spiff.numbers import parse_int
from landform.spiff.texts import byte_length, to_bytes
from landform.spiff.values import counted, equals, plain_text, simple_text, type_name

if TYPE_CHECKING:
    from landform.spiff.environment import Environment
    from landform.spiff.functions.signature import Call, Function


def _length(call: Call) -> Result:
    if call.size != 1:
        return fail("length takes exactly 1 argument")
    value = call.arguments[0]
    if type(value) is str:
        return done(byte_length(value))
    return done(len(value)) if type(value) in (list, dict) else fail("invalid type for function length")


def _contains(call: Call) -> Result:
    if call.size != 2:
        return fail("function contains takes exactly two arguments")
    value, element = call.arguments
    if type(value) is dict:
        return done(type(element) is str and element in value)
    if type(value) is list:
        call.env.state.meter.step(len(value))
        return done(element is not None and any(equals(node.value, element)[0] for node in value))
    if type(value) is not str:
        return fail("list or string expected for argument one of function contains")
    text = simple_text(element)
    return done(text in value) if text is not None else fail("invalid type for check string")


def _index(call: Call) -> Result:
    return _position(call, last=False)


def _lastindex(call: Call) -> Result:
    return _position(call, last=True)


def _position(call: Call, last: bool) -> Result:
    if call.size != 2:
        return fail("function index takes exactly two arguments")
    value, element = call.arguments
    if type(value) is list:
        if element is None:
            return done(RawInt(-1))
        call.env.state.meter.step(len(value))
        found = [index for index, node in enumerate(value) if equals(node.value, element)[0]]
        return done((found[-1] if last else found[0]) if found else -1)
    if type(value) is not str:
        return fail("list or string expected for argument one of function index")
    text = simple_text(element)
    if text is None:
        return fail("invalid type for check string")
    data, part = to_bytes(value), to_bytes(text)
    return done(data.rfind(part) if last else data.find(part))


def _element(call: Call) -> Result:
    if call.size != 2:
        return fail("element takes exactly two arguments")
    value, index = call.arguments
    if value is None or index is None:
        return fail("function element does not take nil arguments")
    if type(value) is dict:
        if type(index) is not str:
            return fail(f"map key ({plain_text(index)}) must be of type string")
        return done(value[index].value) if index in value else fail(f"map key '{index}' not found")
    if type(value) is not list:
        return fail("invalid type for first argument of function element")
    if type(index) is str:
        try:
            index = parse_int(index)
        except ValueError:
            return fail(f"invalid value '{index}' of index argument for function element")
    if type(index) is not int:
        return fail("invalid type of index argument for function element")
    if index < 0:
        return fail("index lower than 0")
    return done(value[index].value) if index < len(value) else fail("index greater or equal list size")


def _uniq(call: Call) -> Result:
    if call.size != 1:
        return fail("uniq takes exactly 1 argument")
    if type(call.arguments[0]) is not list:
        return fail("invalid type for function uniq")
    kept: list[Node] = []
    for node in call.arguments[0]:
        call.env.state.meter.step(len(kept) + 1)
        if not any(equals(node.value, other.value)[0] for other in kept):
            kept.append(node)
    return done(kept)


def _compact(call: Call) -> Result:
    if call.size != 1:
        return fail("compact takes exactly 1 argument")
    if type(call.arguments[0]) is not list:
        return fail("invalid type for function compact")
    return done([node for node in call.arguments[0] if not _is_empty(node.value)])


def _is_empty(value: Any) -> bool:
    return value is None or (type(value) in (str, list, dict) and not value)


def _reverse(call: Call) -> Result:
    if call.size != 1:
        return fail("reverse takes one list argument")
    if type(call.arguments[0]) is not list:
        return fail("argument for reverse must be a list")
    return done(call.arguments[0][::-1])


def _intersect(call: Call) -> Result:
    result: list[Node] | None = None
    for index, argument in enumerate(call.arguments):
        if argument is None:
            continue
        if type(argument) is not list:
            reason = f"argument {index}: type '{type_name(argument)}'(%!s(MISSING)) cannot be intersected"
            return fail(f"intersect: {reason}")
        if result is None:
            result = argument
            continue
        call.env.state.meter.step(len(result) * len(argument))
        result = [node for node in result if any(equals(node.value, other.value)[0] for other in argument)]
    return done(result or [])


class _NotSortable(Exception):
    """Two entries cannot be compared."""

    def __init__(self, info: Info, ok: bool) -> None:
        super().__init__(info.issue.text)
        self.info = info
        self.ok = ok


def _sort(call: Call) -> Result:
    if not 1 <= call.size <= 2:
        return fail("sort takes one or two arguments")
    entries = call.arguments[0]
    if type(entries) is not list:
        return fail("argument for sort must be a list")
    compare = _compare_values
    if call.size == 2:
        function = call.arguments[1]
        if not isinstance(function, LambdaValue):
            return fail("second argument for sort must be a lambda function")
        env = call.env

        def compare(one: Node, other: Node) -> int:
            # stable sorting only asks whether the later entry comes first
            return -1 if _lambda_less(function, one, other, env) else 0

    call.env.state.meter.step(len(entries))
    try:
        return done(insertion_sorted(entries, compare) if call.size == 2 else sorted(entries, key=cmp_to_key(compare)))
    except _NotSortable as error:
        nested = (error.info.issue,) if error.info.issue.text else ()
        issue = Issue("sort failed", None, nested, True)
        return None, error.info._replace(error=True, issue=issue), error.ok


def insertion_sorted(entries: list[Node], compare: Any) -> list[Node]:
    """The entries in order, equal ones as they were; the lambda is asked as the original asks it."""
    result = list(entries)
    _stable(result, compare)
    return result


def _stable(entries: list[Node], compare: Any) -> None:
    """Go's stable sort: blocks of twenty by insertion, then merged."""
    block = 20
    size = len(entries)
    for start in range(0, size, block):
        _insertion(entries, start, min(start + block, size), compare)
    while block < size:
        for start in range(0, size - block, 2 * block):
            _merge(entries, start, start + block, min(start + 2 * block, size), compare)
        block *= 2


def _insertion(entries: list[Node], start: int, end: int, compare: Any) -> None:
    for index in range(start + 1, end):
        place = index
        while place > start and compare(entries[place], entries[place - 1]) < 0:
            entries[place], entries[place - 1] = entries[place - 1], entries[place]
            place -= 1


def _merge(entries: list[Node], start: int, middle: int, end: int, compare: Any) -> None:
    left, right = entries[start:middle], entries[middle:end]
    merged: list[Node] = []
    while left and right:
        merged.append(right.pop(0) if compare(right[0], left[0]) < 0 else left.pop(0))
    entries[start:end] = [*merged, *left, *right]


def _compare_values(one: Node, other: Node) -> int:
    a, b = counted(one.value), counted(other.value)
    if type(a) is type(b) and type(a) in (str, int):
        return int(a > b) - int(a < b)
    _, info, ok = CLEAN.fail("list elements must either be strings or integers")
    raise _NotSortable(info, ok)


def _lambda_less(function: LambdaValue, one: Node, other: Node, env: Environment) -> bool:
    through, value, info, ok = call_lambda(function, Arguments([one.value, other.value]), env)
    if not ok or not through or isinstance(value, Expr):
        raise _NotSortable(info, ok)
    if type(value) is bool:
        return value
    if type(value) is int:
        return value < 0
    _, info, ok = CLEAN.fail("lambda must return a bool or integer")
    raise _NotSortable(info, ok)


def _type(call: Call) -> Result:
    if not call.arguments:
        return fail("exactly one argument required for function 'type'")
    name = type_name(call.arguments[0])
    if name:
        return done(name)
    return fail(f"unknown type for {plain_text(call.arguments[0])}")


FUNCTIONS: dict[str, Function] = {
    "length": _length,
    "contains": _contains,
    "index": _index,
    "lastindex": _lastindex,
    "element": _element,
    "uniq": _uniq,
    "compact": _compact,
    "reverse": _reverse,
    "intersect": _intersect,
    "sort": _sort,
    "type": _type,
}
