"""Functions with regular expressions, and `replace`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.kit.regex.errors import RegexError
from landform.kit.regex.expressions import Expression, compile_expression
from landform.spiff.expressions.lambdas import Arguments, LambdaValue
from landform.spiff.expressions.lambdas import call as call_lambda
from landform.spiff.info import CLEAN, Result, done, fail
from landform.spiff.nodes import Node, dynaml_node
from landform.spiff.values import simple_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.kit.regex.automata import Slots, Spend
    from landform.spiff.functions.signature import Call, Function

    Find = Callable[[str], Slots | None]
    Expand = Callable[[str, Slots], str | None]
    """What a match is replaced with; None if that has to wait."""


def _groups(text: str, match: Slots) -> list[Node]:
    return [
        dynaml_node(text[match[index] : match[index + 1]] if match[index] >= 0 else "")
        for index in range(0, len(match), 2)
    ]


def _paid(call: Call, text: str) -> Spend:
    """What a search through a text is paid with: the meter of the evaluation."""
    call.env.state.meter.step(len(text) // 16)
    return call.env.state.meter.step


def _match(call: Call) -> Result:
    if not 2 <= call.size <= 3:
        return fail("match takes two or three arguments")
    written, value = call.arguments[:2]
    if type(written) is not str:
        return fail("pattern string for argument one of function match required")
    if value is None:
        return done(False)
    limit = 0
    if call.size == 3:
        limit = call.arguments[2]
        if type(limit) is bool:
            limit = -1 if limit else 1
        elif type(limit) is not int:
            return fail("simple value for argument two of function match required")
        elif limit == 0:
            return fail("repetition count may not be zero")
    text = simple_text(value)
    if text is None:
        return fail("simple value for argument two of function match required")
    try:
        pattern = compile_expression(written)
    except RegexError as error:
        return fail(f"match: {error}")
    spend = _paid(call, text)
    if limit == 0:
        match = pattern.search(text, groups=True, spend=spend)
        return done([] if match is None else _groups(text, match))
    found = pattern.matches(text, limit, groups=True, spend=spend)
    return done([dynaml_node(_groups(text, match)) for match in found])


def _split_match(call: Call) -> Result:
    if not 2 <= call.size <= 3:
        return fail("split_match takes 2 or 3 arguments")
    written, text = call.arguments[:2]
    if type(written) is not str:
        return fail("first argument for split_match must be a string")
    if type(text) is not str:
        return fail("second argument for split_match must be a string")
    limit = call.arguments[2] if call.size == 3 else -1
    if type(limit) is not int:
        return fail("third argument for split must be an integer")
    try:
        pattern = compile_expression(written)
    except RegexError as error:
        return fail(f"split_match: {error}")
    pieces = pattern.split(text, limit, spend=_paid(call, text)) or []
    return done([dynaml_node(piece, call.env.source) for piece in pieces])


def _replace(call: Call) -> Result:
    return _replaced(call, "replace", _text_finder)


def _replace_match(call: Call) -> Result:
    return _replaced(call, "replace_match", _pattern_finder)


def _text_finder(part: str, spend: Spend) -> tuple[Find, Expression | None]:
    def find(text: str) -> Slots | None:
        index = text.find(part)
        return None if index < 0 else (index, index + len(part))

    return find, None


def _pattern_finder(written: str, spend: Spend) -> tuple[Find, Expression | None]:
    pattern = compile_expression(written)
    return lambda text: pattern.search(text, groups=True, spend=spend), pattern


def _replaced(call: Call, name: str, finder: Any) -> Result:
    if call.size < 3:
        return fail(f"{name} requires at least 3 arguments")
    if call.size > 4:
        return fail(f"{name} does not take more than 4 arguments")
    text, part, replacement = call.arguments[:3]
    if type(text) is not str:
        return fail(f"first argument for {name} must be a string")
    if type(part) is not str:
        return fail(f"second argument for {name} must be a string")
    limit = call.arguments[3] if call.size == 4 else -1
    if type(limit) is not int:
        return fail(f"fourth argument for {name} must be an integer")
    if type(replacement) is str and name == "replace":
        call.env.state.meter.text((text.count(part) if limit < 0 else min(limit, text.count(part))) * len(replacement))
        return done(text.replace(part, replacement, limit))
    try:
        find, pattern = finder(part, call.env.state.meter.step)
    except RegexError as error:
        return fail(f"{name}: {error}")
    if type(replacement) is not str and not isinstance(replacement, LambdaValue):
        return fail(f"{name}: replace substitution must be string or lambda")
    try:
        result = _process(text, find, _expander(replacement, pattern, call), limit)
    except _Unexpandable as error:
        return fail(f"{name}: {error}")
    return (None, CLEAN, False) if result is None else done(result)


class _Unexpandable(Exception):
    """A replacement cannot be computed."""


def _expander(replacement: Any, pattern: Expression | None, call: Call) -> Expand:
    """What a match is replaced with; None if that has to wait."""
    if pattern is not None and type(replacement) is str:
        return lambda text, match: pattern.expand(replacement, text, match)

    def called(text: str, match: Slots) -> str | None:
        matches = [dynaml_node(node.value, call.env.source) for node in _groups(text, match)]
        through, value, info, ok = call_lambda(replacement, Arguments([matches]), call.env)
        if not ok:
            raise _Unexpandable(f"replace: {info.issue.text}")
        if not through:
            return None
        if type(value) is not str:
            raise _Unexpandable("replace: lambda must return a string")
        return value

    return called


def _process(text: str, find: Find, expand: Expand, limit: int) -> str | None:
    """The text with matches replaced; every search sees only what is left of the text."""
    done_parts: list[str] = []
    empty = True
    while limit and (match := find(text)) is not None:
        limit -= limit > 0
        done_parts.append(text[: match[0]])
        if empty or match[1] > 0:
            replaced = expand(text, match)
            if replaced is None:
                return None
            done_parts.append(replaced)
        text = text[match[1] :]
        empty = match[1] == match[0]
        if empty:
            if not text:
                break
            done_parts.append(text[0])
            text = text[1:]
    return "".join(done_parts) + text


FUNCTIONS: dict[str, Function] = {
    "match": _match,
    "split_match": _split_match,
    "replace": _replace,
    "replace_match": _replace_match,
}
