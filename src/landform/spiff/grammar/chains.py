"""Chains: what an expression starts with, and what is picked from it or done with it."""

from __future__ import annotations

import re

from landform.spiff.expressions.base import Expr, NamedArgument
from landform.spiff.expressions.calls import Invocation
from landform.spiff.expressions.lambdas import Lambda
from landform.spiff.expressions.literals import ListLiteral
from landform.spiff.expressions.mappings import KINDS, Catch, Mapping, Sum
from landform.spiff.expressions.references import (
    Indexed,
    Link,
    Projection,
    Qualified,
    Reference,
    Slice,
    chained,
)
from landform.spiff.expressions.sync import Sync
from landform.spiff.grammar.rules import NAME, Rules
from landform.spiff.paths import components

_KEY = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9_\-]*+(?::[a-zA-Z0-9_][a-zA-Z0-9_\-]*)?")
_INDEX = re.compile(r"\[-?[0-9]+\]")
_DOCUMENT = re.compile(r"doc[.:]-?[0-9]+::")


class Chains(Rules):
    """The rules of chains."""

    def _chain(self) -> Expr | None:
        """A base with everything that is picked from it or done with it."""
        begin = self.position
        base = self._base()
        if base is None:
            self.position = begin
            return None
        return chained(base, self._links())

    def _base(self) -> Expr | None:
        char = self.text[self.position : self.position + 1]
        if char == "[":
            return self._list() or self._range()
        if char == "{":
            return self._assignments("{", "}")
        if char == "(":
            return self._grouped()
        if char in "mscf":
            result = self._mapping()
            if result is not None:
                return result
        reference = self._reference()
        return reference if reference is not None else self._top_index()

    def _list(self) -> Expr | None:
        begin = self.position
        entries = self._bracketed()
        if entries is None:
            self.position = begin
            return None
        return ListLiteral(entries)

    def _mapping(self) -> Expr | None:
        """`map[`, `select{`, `sum[` and the like."""
        begin = self.position
        for opening, kind in KINDS.items():
            if self.take(opening):
                source = self.alternatives()
                function = self._lambda_or_expression() if source is not None else None
                if source is not None and function is not None and self.take(kind.brackets[1]):
                    self.mark(begin)
                    return Mapping(kind, source, function)
                self.position = begin
                return None
        if self.take("sum["):
            return self._sum_of(begin)
        if self.take("catch["):
            source = self.alternatives()
            function = self._lambda_or_expression() if source is not None else None
            if source is not None and function is not None and self.take("]"):
                self.mark(begin)
                return Catch(source, function)
        elif self.take("sync["):
            return self._sync(begin)
        self.position = begin
        return None

    def _sum_of(self, begin: int) -> Expr | None:
        source = self.alternatives()
        if source is not None and self.take("|"):
            initial = self.alternatives()
            function = self._lambda_or_expression() if initial is not None else None
            if initial is not None and function is not None and self.take("]"):
                self.mark(begin)
                return Sum(source, initial, function)
        self.position = begin
        return None

    def _sync(self, begin: int) -> Expr | None:
        source = self.alternatives()
        if source is None:
            self.position = begin
            return None
        here = self.position
        parts = self._sync_lambda_pair() or self._sync_pair()
        timeout = None
        if parts is not None:
            behind = self.position
            timeout = self.expression() if self.take("|") else None
            if timeout is None:
                self.position = behind
        else:
            self.position = here
            condition = self._lambda_or_expression()
            parts = (condition, None) if condition is not None else None
        if parts is not None and self.take("]"):
            self.mark(begin)
            return Sync(source, *parts, timeout, as_function=False)
        self.position = begin
        return None

    def _sync_lambda_pair(self) -> tuple[Expr, Expr | None] | None:
        """A condition with a value for the same parameters."""
        begin = self.position
        condition = self._lambda_expression()
        if condition is not None and self.take(","):
            value = self.expression()
            if value is not None:
                return condition, Lambda(condition.parameters, False, value)
        self.position = begin
        return None

    def _sync_pair(self) -> tuple[Expr, Expr | None] | None:
        begin = self.position
        condition = self._lambda_or_expression()
        value = self._lambda_or_expression() if condition is not None else None
        if condition is None or value is None:
            self.position = begin
            return None
        return condition, value

    def _reference(self) -> Reference | None:
        begin = self.position
        tag = self._tag_prefix()
        if tag is not None and not self.take(".") and self.match(_KEY) is None:
            self.position = begin
            tag = None
        if tag is None:
            self.take(".")
            if self.match(_KEY) is None:
                self.position = begin
                return None
        self._follow_up()
        self.mark(begin)
        written = self.text[begin + len(tag or "") : self.position]
        if tag is not None:
            written = written if written == "." else written.removeprefix(".")
            return Reference(components(written, leading=True), tag[:-2])
        return Reference(components(written, leading=True))

    def _tag_prefix(self) -> str | None:
        begin = self.position
        found = _DOCUMENT.match(self.text, begin)
        if found is not None:
            self.position = found.end()
            self.mark(begin)
            return found[0]
        if self._tag() is not None and self.take("::"):
            self.mark(begin)
            return self.text[begin : self.position]
        self.position = begin
        return None

    def _follow_up(self) -> bool:
        """`.key` and `[index]` as often as they come."""
        begin = self.position
        while self._component():
            pass
        return self.position > begin

    def _component(self) -> bool:
        begin = self.position
        if self.take(".") and self.match(_KEY) is not None:
            self.mark(begin)
            return True
        self.position = begin
        self.take(".")
        if self.match(_INDEX) is not None:
            self.mark(begin)
            return True
        self.position = begin
        return False

    def _top_index(self) -> Expr | None:
        begin = self.position
        if self.take("."):
            index = self._bracketed(least=1)
            if index is not None:
                self.mark(begin)
                return Indexed(Reference(("",)), ListLiteral(index))
        self.position = begin
        return None

    def _links(self) -> list[Link]:
        """The rest of a chain."""
        links: list[Link] = []
        while (found := self._link()) is not None:
            self.count_operator()
            links += found
        return links

    def _link(self) -> list[Link] | None:
        begin = self.position
        char = self.text[begin : begin + 1]
        if char == "(":
            arguments = self._arguments()
            return None if arguments is None else [Link(Invocation, arguments)]
        if char == "*":
            self.position += 1
            arguments = self._arguments()
            if arguments is None:
                self.position = begin
                return None
            return [Link(Invocation, arguments, True)]
        if char not in (".", "["):
            return None
        if self._component():
            self._follow_up()
            return [Link(Qualified, Reference(components(self.text[begin : self.position], leading=False)))]
        self.take(".")
        index = self._bracketed(least=1)
        if index is not None:
            self.mark(begin)
            return [Link(Indexed, ListLiteral(index))]
        return self._projection(begin)

    def _projection(self, begin: int) -> list[Link] | None:
        links: list[Link] = []
        if not self.take("[*]"):
            limits = self._range()
            if limits is None:
                self.position = begin
                return None
            links = [Link(Slice, limits)]
        rest = self._links()
        self.mark(begin)
        return [*links, Link(Projection, rest)]

    def _arguments(self) -> list[Expr] | None:
        begin = self.position
        if not self.take("("):
            return None
        self.space()
        self.mark(begin)
        arguments = self._named_arguments()
        here = self.position
        if not arguments:
            arguments = self._expressions()
        elif self.take(","):
            more = self._expressions()
            if more:
                arguments += more
            else:
                self.position = here
        if self.take(")"):
            self.mark(begin)
            return arguments
        self.position = begin
        return None

    def _named_arguments(self) -> list[Expr]:
        arguments: list[Expr] = []
        here = self.position
        while (argument := self._named_argument()) is not None:
            arguments.append(argument)
            here = self.position
            if not self.take(","):
                break
        self.position = here
        return arguments

    def _named_argument(self) -> Expr | None:
        begin = self.position
        self.space()
        name = self.match(NAME)
        if name is not None:
            self.space()
            if self.take("="):
                self.space()
                value = self.expression()
                if value is not None:
                    self.space()
                    self.mark(begin)
                    return NamedArgument(name, value)
        self.position = begin
        return None
