"""Functions with regular expressions, and `replace`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from landform.spiff.errors import Overspent
from landform.spiff.expressions.lambdas import Arguments, LambdaValue
from landform.spiff.expressions.lambdas import call as call_lambda
from landform.spiff.info import CLEAN, Result, done, fail
from landform.spiff.nodes import Node, dynaml_node
from landform.spiff.regex.matching import Regex, TooMuchWork, compiled
from landform.spiff.regex.syntax import RegexError
from landform.spiff.values import simple_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.spiff.functions.signature import Call, Function

_VARIABLE = re.compile(r"\$(?:\$|(\w+)|\{(\w+)\})", re.ASCII)


def search(pattern: Regex, text: str, start: int = 0) -> list[int] | None:
    """The first match in a text; stops what would take too long."""
    try:
        return pattern.search(text, start)
    except TooMuchWork:
        raise Overspent(f"matching the regular expression `{pattern.pattern[:80]}` takes too long") from None


def _find_all(pattern: Regex, text: str, limit: int) -> list[list[int]]:
    try:
        return pattern.find_all(text, limit)
    except TooMuchWork:
        raise Overspent(f"matching the regular expression `{pattern.pattern[:80]}` takes too long") from None


def _groups(text: str, match: list[int]) -> list[Node]:
    return [
        dynaml_node(text[match[index] : match[index + 1]] if match[index] >= 0 else "")
        for index in range(0, len(match), 2)
    ]


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
        pattern = compiled(written)
    except RegexError as error:
        return fail(f"match: {error}")
    call.env.state.meter.step(len(text) // 16)
    if limit == 0:
        match = search(pattern, text)
        return done([] if match is None else _groups(text, match))
    return done([dynaml_node(_groups(text, match)) for match in _find_all(pattern, text, limit)])


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
        pattern = compiled(written)
    except RegexError as error:
        return fail(f"split_match: {error}")
    call.env.state.meter.step(len(text) // 16)
    return done([dynaml_node(part, call.env.source) for part in _pieces(pattern, text, limit)])


def _pieces(pattern: Regex, text: str, limit: int) -> list[str]:
    """The text between matches, as Go's Split cuts it."""
    if limit == 0:
        return []
    if pattern.pattern and not text:
        return [""]
    pieces: list[str] = []
    begin = end = 0
    for match in _find_all(pattern, text, limit):
        if limit > 0 and len(pieces) == limit - 1:
            break
        end = match[0]
        if match[1] != 0:
            pieces.append(text[begin:end])
        begin = match[1]
    if end != len(text):
        pieces.append(text[begin:])
    return pieces


def _replace(call: Call) -> Result:
    return _replaced(call, "replace", _text_finder)


def _replace_match(call: Call) -> Result:
    return _replaced(call, "replace_match", _pattern_finder)


def _text_finder(part: str) -> tuple[Callable[[str], list[int] | None], Regex | None]:
    def find(text: str) -> list[int] | None:
        index = text.find(part)
        return None if index < 0 else [index, index + len(part)]

    return find, None


def _pattern_finder(written: str) -> tuple[Callable[[str], list[int] | None], Regex | None]:
    pattern = compiled(written)
    return lambda text: search(pattern, text), pattern


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
        find, pattern = finder(part)
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


def _expander(replacement: Any, pattern: Regex | None, call: Call) -> Callable[[str, list[int]], str | None]:
    """What a match is replaced with; None if that has to wait."""
    if pattern is not None and type(replacement) is str:
        names = pattern.names

        def expand(text: str, match: list[int]) -> str | None:
            return _VARIABLE.sub(lambda variable: _variable(variable, text, match, names), replacement)

        return expand

    def called(text: str, match: list[int]) -> str | None:
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


def _variable(variable: re.Match[str], text: str, match: list[int], names: dict[str, int]) -> str:
    name = variable[1] or variable[2]
    if name is None:
        return "$"
    number = int(name) if name.isdigit() and len(name) < 6 else names.get(name, -1)
    if not 0 <= 2 * number < len(match) or match[2 * number] < 0:
        return ""
    return text[match[2 * number] : match[2 * number + 1]]


def _process(
    text: str, find: Callable[[str], list[int] | None], expand: Callable[[str, list[int]], str | None], limit: int
) -> str | None:
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
