"""Regular expressions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from landform.gotemplate import budgets
from landform.gotemplate.errors import GoError
from landform.gotemplate.formatting import can_backquote
from landform.gotemplate.functions import Function, function
from landform.gotemplate.quoting import quote
from landform.gotemplate.sprig.strings import STRINGS, string_list
from landform.gotemplate.values import TypedList
from landform.kit.regex.errors import RegexError
from landform.kit.regex.expressions import Expression, compile_expression

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.kit.regex.automata import Slots

_META = re.compile(r"[\\.+*?()|\[\]{}^$]")


def _spend(steps: int) -> None:
    """A search is paid for by the render that it runs in."""
    meter = budgets.current()
    meter.steps(steps)
    meter.look()


def _carefully(pattern: str) -> Expression:
    """The pattern, or the error of regexp.Compile."""
    try:
        return compile_expression(pattern)
    except RegexError as error:
        raise GoError(str(error)) from None


def _must(pattern: str) -> Expression:
    """The pattern, or the panic of regexp.MustCompile."""
    try:
        return compile_expression(pattern)
    except RegexError as error:
        shown = f"`{pattern}`" if can_backquote(pattern) else quote(pattern)
        raise GoError(f"regexp: Compile({shown}): {error}") from None


def _matches(pattern: str, text: str) -> bool:
    try:
        return _must_match(pattern, text)
    except GoError:
        return False


def _must_match(pattern: str, text: str) -> bool:
    return _carefully(pattern).search(text, spend=_spend) is not None


def _find(expression: Expression, text: str) -> str:
    found = expression.search(text, spend=_spend)
    return "" if found is None else text[found[0] : found[1]]


def _find_all(expression: Expression, text: str, limit: int) -> TypedList:
    found = [text[places[0] : places[1]] for places in expression.matches(text, limit, spend=_spend)]
    return TypedList(STRINGS, found, is_nil=not found)


def _replace(expression: Expression, text: str, replacement: str) -> str:
    return _bounded(expression, text, lambda found: expression.expand(replacement, text, found))


def _replace_literal(expression: Expression, text: str, replacement: str) -> str:
    return _bounded(expression, text, lambda _: replacement)


def _bounded(expression: Expression, text: str, replacement: Callable[[Slots], str]) -> str:
    """The text with each match replaced, as long as it does not grow without measure."""
    size = 0

    def counted(found: Slots) -> str:
        nonlocal size
        new = replacement(found)
        size += len(new)
        budgets.current().size(size)
        return new

    return expression.replace(text, counted, spend=_spend)


def _split(expression: Expression, text: str, limit: int) -> TypedList:
    pieces = expression.split(text, limit, spend=_spend)
    return TypedList(STRINGS, is_nil=True) if pieces is None else string_list(pieces)


def _both(name: str, signature: str, work: Callable[..., Any]) -> dict[str, Function]:
    """A function that panics when the pattern is wrong, and its twin that gives an error."""

    def panicking(pattern: str, *given: Any) -> Any:
        return work(_must(pattern), *given)

    def careful(pattern: str, *given: Any) -> Any:
        return work(_carefully(pattern), *given)

    return {
        name: function(signature, panicking),
        f"must{name[0].upper()}{name[1:]}": function(signature, careful),
    }


FUNCTIONS: dict[str, Function] = {
    "regexMatch": function("string, string -> bool", _matches),
    "mustRegexMatch": function("string, string -> bool", _must_match),
    **_both("regexFind", "string, string -> string", _find),
    **_both("regexFindAll", "string, string, int -> []string", _find_all),
    **_both("regexReplaceAll", "string, string, string -> string", _replace),
    **_both("regexReplaceAllLiteral", "string, string, string -> string", _replace_literal),
    **_both("regexSplit", "string, string, int -> []string", _split),
    "regexQuoteMeta": function("string -> string", lambda text: _META.sub(r"\\\g<0>", text)),
}
