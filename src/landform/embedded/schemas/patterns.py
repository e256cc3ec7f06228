"""Go's regular expressions (RE2) as tests of values.

Patterns come from CustomResourceDefinitions and values from anyone, so no value may make a pattern hang. The kit reads
a pattern, and refuses what Go would refuse. It is then written anew for the linear-time engine of jsonschema-rs, which
is fast. What that engine cannot express runs on the kit's own one, within a budget.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import jsonschema_rs

from landform.kit.regex.expressions import Expression
from landform.kit.regex.syntax import Assertion, Chars, Choice, Group, Repeat, Sequence, Tree, parse

Matches = Callable[[str], bool]

_MOST_STEPS = 20_000  # that the kit's engine may spend on one value: about a second
_ASSERTIONS = {"text start": "^", "text end": "$", "line start": "(?m:^)", "line end": "(?m:$)"}
_FIRST_SURROGATE, _LAST_SURROGATE = 0xD800, 0xDFFF


class _Inexpressible(Exception):
    """A piece of a pattern has no counterpart in the fast engine, such as `\\b` for ASCII letters only."""


class _Overspent(Exception):
    """A value takes too many steps."""


@functools.lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Matches:
    """The test whether a text contains a match of a Go pattern; RegexError in Go's words if there can be none."""
    parsed = parse(pattern)
    try:
        rules = {"pattern": _written(parsed.tree)}
        return jsonschema_rs.Draft4Validator(rules, pattern_options=jsonschema_rs.RegexOptions()).is_valid
    except (_Inexpressible, jsonschema_rs.ValidationError, ValueError):
        # Such as a pattern that is too large for the fast engine.
        return functools.partial(_contains, Expression(pattern))


def _contains(expression: Expression, text: str) -> bool:
    """Whether the text contains a match; one that would take too long to find is none."""
    left = _MOST_STEPS

    def spend(steps: int) -> None:
        nonlocal left
        left -= steps
        if left < 0:
            raise _Overspent

    try:
        return expression.search(text, spend=spend) is not None
    except _Overspent:
        return False


def _written(tree: Tree) -> str:
    """A pattern in the syntax of the fast engine."""
    match tree:
        case Chars():
            return _class(tree)
        case Assertion() if tree.kind in _ASSERTIONS:
            return _ASSERTIONS[tree.kind]
        case Sequence():
            return "".join(map(_written, tree.items))
        case Choice():
            return "(?:" + "|".join(map(_written, tree.items)) + ")"
        case Group():
            return f"(?:{_written(tree.item)})"
        case Repeat():
            most = "" if tree.most < 0 else str(tree.most)
            return f"(?:{_written(tree.item)}){{{tree.least},{most}}}"  # greedy or not: a match is a match
    raise _Inexpressible


def _class(chars: Chars) -> str:
    """A set of characters; surrogates are in no text that the engine can see."""
    ranges = []
    for low, high in chars.ranges:
        low = _LAST_SURROGATE + 1 if _FIRST_SURROGATE <= low <= _LAST_SURROGATE else low
        high = _FIRST_SURROGATE - 1 if _FIRST_SURROGATE <= high <= _LAST_SURROGATE else high
        if low <= high:
            ranges.append(f"{_literal(low)}-{_literal(high)}")
    if not ranges:
        raise _Inexpressible
    return f"[{''.join(ranges)}]"


def _literal(code: int) -> str:
    char = chr(code)
    return char if char.isalnum() or not char.isascii() else f"\\x{code:02x}"
