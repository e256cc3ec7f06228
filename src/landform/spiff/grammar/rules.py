"""Rules that several kinds of expressions share."""

from __future__ import annotations

import re

from landform.spiff.expressions.base import Expansion, Expr
from landform.spiff.expressions.lambdas import Lambda, Parameter
from landform.spiff.expressions.literals import MapLiteral
from landform.spiff.expressions.operators import Grouped
from landform.spiff.expressions.references import Range
from landform.spiff.grammar.reader import Reader
from landform.spiff.parsing import ParseError

MOST_BRACKETS = 250
"""Expressions inside expressions."""
MOST_OPERATORS = 1000
"""Operators in one expression; each makes the tree that it becomes one level deeper."""
NAME = re.compile(r"[a-zA-Z0-9_]+")
_TAG = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*(?:[.:][a-zA-Z_][a-zA-Z0-9_]*)*")

Path = tuple[str, ...]


class Rules(Reader):
    """Every method is a rule: it returns what it has read, or None (False, nothing) and stays where it was."""

    def __init__(self, text: str, path: Path, stub_path: Path) -> None:
        super().__init__(text)
        self.path = path
        self.stub_path = stub_path
        self.needs_path = False
        """Whether the expression means something else at another path."""
        self.faults: dict[int, ParseError] = {}
        """Literals that cannot be used, by their position; a text that cannot be read as a whole is worse."""
        self._depth = 0
        self._operators = 0

    def expression(self) -> Expr | None:
        """Any expression, with the white space around it."""
        raise NotImplementedError

    def alternatives(self) -> Expr | None:
        """An expression that is neither a scope literal nor a lambda."""
        raise NotImplementedError

    def enter(self) -> None:
        """One more expression inside the others."""
        self._depth += 1
        if self._depth > MOST_BRACKETS:
            raise ParseError(f"the expression is nested more than {MOST_BRACKETS} deep")

    def leave(self) -> None:
        """The end of an inner expression."""
        self._depth -= 1

    def count_operator(self) -> None:
        """One more operator or step of a chain."""
        self._operators += 1
        if self._operators > MOST_OPERATORS:
            raise ParseError(f"the expression has more than {MOST_OPERATORS} operators")

    def _tag(self) -> str | None:
        found = _TAG.match(self.text, self.position)
        if found is None:
            return None
        begin, end = self.position, found.end()
        self.position = end
        last = max(self.text.rfind(".", begin, end), self.text.rfind(":", begin, end), begin - 1) + 1
        self.mark(last)
        return found[0]

    def _assignments(self, opening: str, closing: str) -> MapLiteral | None:
        """`( a = b, ... )` or the same in braces."""
        begin = self.position
        if not self.take(opening):
            return None
        self.mark(begin)
        self.space()
        assignments: list[tuple[Expr, Expr]] = []
        after = self.position
        while True:
            assignment = self._assignment()
            if assignment is None:
                self.position = after
                break
            assignments.append(assignment)
            after = self.position
            if not self.take(","):
                break
        if self.take(closing):
            self.mark(begin)
            return MapLiteral(assignments)
        self.position = begin
        return None

    def _assignment(self) -> tuple[Expr, Expr] | None:
        begin = self.position
        key = self.expression()
        if key is not None and self.take("="):
            value = self.expression()
            if value is not None:
                self.mark(begin)
                return key, value
        self.position = begin
        return None

    def _lambda_expression(self) -> Lambda | None:
        begin = self.position
        self.space()
        parameters = self._parameters()
        if parameters is not None:
            self.space()
            if self.take("->"):
                inner = self.expression()
                if inner is not None:
                    self.mark(begin)
                    return Lambda(*parameters, inner)
        self.position = begin
        return None

    def _parameters(self) -> tuple[tuple[Parameter, ...], bool] | None:
        begin = self.position
        if not self.take("|"):
            return None
        self.space()
        found: list[Parameter] = []
        variadic = False
        name = self._parameter_name()
        if name is not None:
            found.append(Parameter(name))
            self._more_parameters(found)
            here = self.position
            variadic = self.take("...")
            if variadic:
                self.space()
                self.mark(here)
        if self.take("|"):
            self.mark(begin)
            return tuple(found), variadic
        self.position = begin
        return None

    def _more_parameters(self, found: list[Parameter]) -> None:
        """Plain parameters, then those with a default value."""
        here = self.position
        while self.take(",") and (name := self._parameter_name()) is not None:
            found.append(Parameter(name))
            here = self.position
        self.position = here
        default = self._default()
        if default is not None:
            found[-1] = Parameter(found[-1].name, default)
        here = self.position
        while self.take(",") and (name := self._parameter_name()) is not None:
            default = self._default()
            if default is None:
                break
            found.append(Parameter(name, default))
            here = self.position
        self.position = here

    def _parameter_name(self) -> str | None:
        begin = self.position
        self.space()
        name = self.match(NAME)
        if name is None:
            self.position = begin
            return None
        self.space()
        self.mark(begin)
        return name

    def _default(self) -> Expr | None:
        begin = self.position
        if self.take("="):
            value = self.expression()
            if value is not None:
                self.mark(begin)
                return value
        self.position = begin
        return None

    def _lambda_or_expression(self) -> Expr | None:
        begin = self.position
        result: Expr | None = self._lambda_expression()
        if result is None and self.take("|"):
            result = self.expression()
        if result is None:
            self.position = begin
            return None
        self.mark(begin)
        return result

    def _grouped(self) -> Expr | None:
        begin = self.position
        if self.take("("):
            inner = self.expression()
            if inner is not None and self.take(")"):
                self.mark(begin)
                return Grouped(inner)
        self.position = begin
        return None

    def _bracketed(self, least: int = 0) -> list[Expr] | None:
        """`[ a, b... ]`."""
        begin = self.position
        if not self.take("["):
            return None
        self.space()
        self.mark(begin)
        entries = self._expressions()
        if len(entries) >= least and self.take("]"):
            self.mark(begin)
            return entries
        self.position = begin
        return None

    def _expressions(self) -> list[Expr]:
        """Expressions between commas, perhaps none."""
        entries: list[Expr] = []
        here = self.position
        while (entry := self._entry()) is not None:
            entries.append(entry)
            here = self.position
            if not self.take(","):
                break
        self.position = here
        return entries

    def _entry(self) -> Expr | None:
        entry = self.expression()
        if entry is None:
            return None
        here = self.position
        if self.take("..."):
            self.space()
            self.mark(here)
            return Expansion(entry)
        return entry

    def _range(self) -> Range | None:
        begin = self.position
        if self.take("["):
            self.mark(begin)
            first = self.expression()
            here = self.position
            if self.take(".."):
                self.mark(here)
                last = self.expression()
                if self.take("]"):
                    self.mark(begin)
                    return Range(first, last)
        self.position = begin
        return None

    def _word(self, word: str) -> bool:
        begin = self.position
        if self.take(word):
            self.mark(begin)
            return True
        return False
