"""Functions on texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.spiff import texts
from landform.spiff.info import CLEAN, Result, done, fail
from landform.spiff.nodes import dynaml_node
from landform.spiff.values import simple_text

if TYPE_CHECKING:
    from landform.spiff.functions.signature import Call, Function


def _join(call: Call) -> Result:
    if not call.arguments:
        return None, CLEAN, False
    parts: list[str] = []
    for index, argument in enumerate(call.arguments):
        text = simple_text(argument)
        if text is not None:
            parts.append(text)
        elif type(argument) is list:
            if index == 0:
                return fail("first argument for join must be a string")
            for node in argument:
                text = simple_text(node.value)
                if text is None:
                    return fail(f"elements of list(arg {index}) to join must be simple values")
                parts.append(text)
        elif argument is not None:
            return fail(f"argument {index} to join must be simple value or list")
    if not parts:
        return fail("first argument for join must be a string")
    call.env.state.meter.text(sum(map(len, parts)) + len(parts[0]) * len(parts))
    return done(parts[0].join(parts[1:]))


def _split(call: Call) -> Result:
    if not 2 <= call.size <= 3:
        return fail("split takes 2 or 3 arguments")
    separator, text = call.arguments[:2]
    if type(text) is not str:
        return fail("second argument for split must be a string")
    limit = -1
    if call.size == 3:
        limit = call.arguments[2]
        if type(limit) is not int:
            return fail("third argument for split must be an integer")
    if type(separator) is str:
        parts = split_text(text, separator, limit)
    elif type(separator) is not int:
        return fail("first argument for split must be a string")
    elif separator <= 0:
        return fail("max line length argument must be positive")
    else:
        parts = _chunks(text, separator, limit)
    call.env.state.meter.step(len(parts))
    return done([dynaml_node(part, call.env.source) for part in parts])


def split_text(text: str, separator: str, limit: int) -> list[str]:
    """The parts of a text between separators, at most `limit` of them (-1: all), as Go's SplitN cuts."""
    if limit == 0:
        return []
    if separator:
        return text.split(separator, limit - 1) if limit > 0 else text.split(separator)
    if limit < 0 or limit > len(text):
        return list(text)
    return [*text[: limit - 1], text[limit - 1 :]]


def _chunks(text: str, length: int, limit: int) -> list[str]:
    """Pieces of that many characters; the last one takes the rest if there is a limit."""
    parts = []
    while len(text) > length and (limit < 0 or limit > 1):
        parts.append(text[:length])
        text = text[length:]
        limit -= 1
    return [*parts, text] if text else parts


def _trim(call: Call) -> Result:
    if call.size > 2 or not call.arguments:
        return fail("split takes one or two arguments")
    cutset = call.arguments[1] if call.size == 2 else " \t"
    if type(cutset) is not str:
        return fail("second argument of split must be a string")
    value = call.arguments[0]
    if type(value) is str:
        return done(value.strip(cutset) if cutset else value)
    if type(value) is not list:
        return fail("trim accepts only a string or list")
    if any(type(node.value) is not str for node in value):
        return fail("list elements must be strings to be trimmed")
    return done([dynaml_node(node.value.strip(cutset) if cutset else node.value, call.env.source) for node in value])


def _lower(call: Call) -> Result:
    return _changed(call, "lower", str.lower)


def _upper(call: Call) -> Result:
    return _changed(call, "upper", _go_upper)


def _go_upper(text: str) -> str:
    """Upper case character by character: what would become several characters stays."""
    return "".join(upper if len(upper := char.upper()) == 1 else char for char in text)


def _changed(call: Call, name: str, change: Any) -> Result:
    if call.size != 1:
        return fail(f"{name} requires one argument")
    if type(call.arguments[0]) is not str:
        return fail(f"first argument for {name} must be a string")
    return done(change(call.arguments[0]))


def _substr(call: Call) -> Result:
    if not 2 <= call.size <= 3:
        return fail("substr takes two to three arguments")
    text, start = call.arguments[:2]
    if type(text) is not str:
        return fail("first argument for substr must be a string")
    if type(start) is not int:
        return fail("second argument for substr must be an integer")
    data = texts.to_bytes(text)
    size = len(data)
    start = start + size if start < 0 else start
    end = size
    if call.size == 3:
        end = call.arguments[2]
        if type(end) is not int:
            return fail("third argument for substr must be an integer")
        end = end + size if end < 0 else end
    if size < end:
        return fail(f"substr effective end index ({end}) exceeds string length ({size})")
    if start < 0:
        return fail(f"negative substr effective start index ({start})")
    if start > end:
        return fail(f"substr start index ({start}) aftsre end index ({end}) ")
    return done(texts.from_bytes(data[start:end]))


FUNCTIONS: dict[str, Function] = {
    "join": _join,
    "split": _split,
    "trim": _trim,
    "lower": _lower,
    "upper": _upper,
    "substr": _substr,
}
