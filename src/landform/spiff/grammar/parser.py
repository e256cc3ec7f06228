"""Expressions: from text to what can be evaluated, by ordered choice."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from landform.spiff.expressions.literals import ScopeLiteral
from landform.spiff.expressions.merging import Marked, MarkedGroup
from landform.spiff.expressions.operators import (
    Addition,
    Comparison,
    Concatenation,
    Conditional,
    Division,
    LogicalAnd,
    LogicalOr,
    Modulo,
    Multiplication,
    Or,
    Prefer,
    Subtraction,
    ValidOr,
)
from landform.spiff.expressions.references import Reference
from landform.spiff.grammar.atoms import Atoms
from landform.spiff.parsing import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.spiff.expressions.base import Expr
    from landform.spiff.grammar.rules import Path

MOST_CHARACTERS = 256 << 10
"""Characters of one expression."""
_LONGEST_KEPT = 2000
"""Characters of an expression that is remembered for the next time."""

_MARKER = re.compile("template|temporary|local|inject|state|default|dynamic")
_COMPARE = re.compile("==|!=|<=|>=|>|<")
_OR = re.compile(r"\|\||//")
_RESERVED = "true|false|nil|auto|merge|lambda|prefer"
_SIMPLE = re.compile(rf" *((?!(?:{_RESERVED})\b)[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)*) *", re.ASCII)
_ADDITIVE: dict[str, Callable[[Expr, Expr], Expr]] = {"+": Addition, "-": Subtraction}
_MULTIPLICATIVE: dict[str, Callable[[Expr, Expr], Expr]] = {"*": Multiplication, "/": Division, "%": Modulo}
_LOGICAL: dict[str, Callable[[Expr, Expr], Expr]] = {"-or": LogicalOr, "-and": LogicalAnd}


def parse(text: str, path: Path, stub_path: Path) -> Expr:
    """The expression that a text writes, for a node at these paths; raises ParseError."""
    if len(text) > _LONGEST_KEPT:
        return _Parser(text, path, stub_path).whole()
    expression = _parse_anywhere(text)
    return expression if expression is not None else _parse_at(text, path, stub_path)


@lru_cache(maxsize=4096)
def _parse_anywhere(text: str) -> Expr | None:
    """The expression if it means the same at every path, else None."""
    if _SIMPLE.fullmatch(text):
        return Reference(tuple(text.strip(" ").split(".")))
    parser = _Parser(text, (), ())
    expression = parser.whole()
    return None if parser.needs_path else expression


@lru_cache(maxsize=4096)
def _parse_at(text: str, path: Path, stub_path: Path) -> Expr:
    return _Parser(text, path, stub_path).whole()


class _Parser(Atoms):
    """One reading of a text."""

    def __init__(self, text: str, path: Path, stub_path: Path) -> None:
        super().__init__(text, path, stub_path)
        self._known: dict[int, tuple[Expr | None, int]] = {}
        """What was read at a place, so that no alternative reads it again."""

    def whole(self) -> Expr:
        """The whole text as one expression."""
        if len(self.text) > MOST_CHARACTERS:
            raise ParseError(f"the expression has more than {MOST_CHARACTERS} characters")
        result = self._prefer() or self._marked() or self.expression()
        if result is None or self.position < len(self.text):
            raise self.fault()
        if self.faults:
            raise self.faults[min(self.faults)]
        return result

    def _prefer(self) -> Expr | None:
        begin = self.position
        self.space()
        if self.take("prefer") and self.space():
            inner = self.expression()
            if inner is not None:
                self.mark(begin)
                return Prefer(inner)
        self.position = begin
        return None

    def _marked(self) -> Expr | None:
        begin = self.position
        self.space()
        marker = self._marker()
        if marker is None:
            self.position = begin
            return None
        markers = [marker]
        while True:
            here = self.position
            marker = self._marker() if self.space() else None
            if marker is None:
                self.position = here
                break
            markers.append(marker)
        self.space()
        here = self.position
        group = self._grouped()
        text = self.text[here : self.position]
        self.space()
        self.mark(begin)
        return Marked(tuple(markers), MarkedGroup(text, group) if group is not None else None)

    def _marker(self) -> str | None:
        begin = self.position
        if self.take("&"):
            found = _MARKER.match(self.text, self.position)
            if found:
                self.position = found.end()
            elif not self._tag_marker():
                self.position = begin
                return None
            self.mark(begin)
            return self.text[begin : self.position]
        return None

    def _tag_marker(self) -> bool:
        begin = self.position
        if self.take("tag:"):
            self.take("*")
            if self._tag() is not None:
                self.mark(begin)
                return True
        self.position = begin
        return False

    def expression(self) -> Expr | None:
        """Any expression, with the white space around it; what was read at a place is remembered."""
        begin = self.position
        known = self._known.get(begin)
        if known is not None:
            self.position = known[1]
            return known[0]
        self.enter()
        result = self._scoped() or self._lambda_expression() or self.alternatives()
        self.leave()
        if result is not None:
            self.space()
            self.mark(begin)
        self._known[begin] = result, self.position
        return result

    def _scoped(self) -> Expr | None:
        begin = self.position
        self.space()
        names = self._assignments("(", ")")
        if names is not None:
            self.space()
            inner = self.expression()
            if inner is not None:
                self.mark(begin)
                return ScopeLiteral(names, inner)
        self.position = begin
        return None

    def alternatives(self) -> Expr | None:
        """`a || b // c`."""
        begin = self.position
        self.space()
        result = self._conditional()
        if result is None:
            self.position = begin
            return None
        while True:
            here = self.position
            operator = self.match(_OR) if self.space() else None
            right = self._conditional() if operator and self.space() else None
            if right is None:
                self.position = here
                break
            self.mark(here)
            self.count_operator()
            result = Or(result, right) if operator == "||" else ValidOr(result, right)
        self.mark(begin)
        return result

    def _conditional(self) -> Expr | None:
        condition = self._concatenation()
        if condition is None:
            return None
        here = self.position
        self.space()
        if self.take("?"):
            yes = self.expression()
            if yes is not None and self.take(":"):
                no = self.expression()
                if no is not None:
                    self.mark(here)
                    return Conditional(condition, yes, no)
        self.position = here
        return condition

    def _concatenation(self) -> Expr | None:
        result = self._logic()
        while result is not None:
            here = self.position
            right = self._logic() if self.space() else None
            if right is None:
                self.position = here
                break
            self.count_operator()
            result = Concatenation(result, right)
        return result

    def _logic(self) -> Expr | None:
        return self._level(self._comparison, _LOGICAL)

    def _comparison(self) -> Expr | None:
        result = self._sum()
        while result is not None:
            here = self.position
            sign = self.match(_COMPARE) if self.space() else None
            right = self._sum() if sign and self.space() else None
            if right is None or sign is None:
                self.position = here
                break
            self.count_operator()
            result = Comparison(result, sign, right)
        return result

    def _sum(self) -> Expr | None:
        return self._level(self._product, _ADDITIVE)

    def _product(self) -> Expr | None:
        return self._level(self.atom, _MULTIPLICATIVE)

    def _level(
        self, operand: Callable[[], Expr | None], operators: dict[str, Callable[[Expr, Expr], Expr]]
    ) -> Expr | None:
        """Operands of one level with its operators between them, from left to right."""
        result = operand()
        while result is not None:
            here = self.position
            build = next((b for sign, b in operators.items() if self.take(sign)), None) if self.space() else None
            right = operand() if build is not None and self.space() else None
            if build is None or right is None:
                self.position = here
                break
            self.count_operator()
            result = build(result, right)
        return result
