"""Atoms: literals, keywords and chains, the operands of all operators."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from landform.kit.quoting import INT64_MAX, INT64_MIN
from landform.spiff.expressions.lambdas import Lambda, LambdaReference
from landform.spiff.expressions.literals import Nil, Number, Text, Truth, Undefined
from landform.spiff.expressions.merging import Auto, Merge
from landform.spiff.expressions.operators import Not
from landform.spiff.expressions.templates import Substitution
from landform.spiff.grammar.chains import Chains
from landform.spiff.grammar.rules import NAME
from landform.spiff.jsontexts import JsonTextError, json_text

if TYPE_CHECKING:
    from landform.spiff.expressions.base import Expr

_IP = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+")
_STRING = re.compile(r'"(?:\\"|[^"])*+"')
_NUMBER = re.compile(r"(?>-?[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE]-?[0-9]+)?)(?!::)")
# a keyword is a name if a name goes on behind it; the original does not read such names
_KEYWORD = re.compile(r"(?:true|false|nil|auto|merge)(?![a-zA-Z0-9_\-]|\.[a-zA-Z0-9_]|::)")


class Atoms(Chains):
    """The rules of operands."""

    def atom(self) -> Expr | None:
        """An operand: a literal, a keyword, or a chain."""
        begin = self.position
        char = self.text[begin : begin + 1]
        if char == '"':
            return self._string()
        if char.isdigit() or char == "-":
            return self._number()
        if char in "tfnam" and _KEYWORD.match(self.text, begin):
            return self._keyword()
        if char == "~":
            return self._tilde()
        if char in ("!", "*"):
            return self._prefixed(char)
        if char == "$":
            self.position += 1
            name = self.match(NAME)
            if name is not None:
                self.mark(begin)
                return Text(name)
            self.position = begin
        return self._lambda() or self._chain()

    def _string(self) -> Expr | None:
        begin = self.position
        written = self.match(_STRING)
        if written is None:
            return None
        try:
            return Text(json_text(written))
        except JsonTextError as error:
            self.faults[begin] = self.fault(str(error), (begin, self.position))
            return Text("")

    def _number(self) -> Expr | None:
        begin = self.position
        address = self.match(_IP)
        if address is not None:
            return Text(address)
        written = self.match(_NUMBER)
        if written is None:
            return self._chain()
        digits = written.replace("_", "")
        if any(char in digits for char in ".eE"):
            return Number(float(digits))
        number = int(digits) if len(digits) <= 20 else INT64_MAX + 1
        if not INT64_MIN <= number <= INT64_MAX:
            self.faults[begin] = self.fault("the number does not fit into 64 bits", (begin, self.position))
        return Number(number)

    def _tilde(self) -> Expr:
        begin = self.position
        result: Expr = Undefined() if self.take("~~") else Nil()
        if isinstance(result, Nil):
            self.position += 1
        self.mark(begin)
        return result

    def _prefixed(self, sign: str) -> Expr | None:
        """`!a` and `*a`."""
        begin = self.position
        self.position += 1
        if sign == "!":
            self.space()
        self.enter()
        inner = self.atom()
        self.leave()
        if inner is None:
            self.position = begin
            return None
        self.mark(begin)
        return Not(inner) if sign == "!" else Substitution(inner)

    def _keyword(self) -> Expr | None:
        begin = self.position
        for word, value in (("true", True), ("false", False)):
            if self.take(word):
                self.mark(begin)
                return Truth(value)
        if self.take("nil"):
            self.mark(begin)
            return Nil()
        if self.take("auto"):
            self.mark(begin)
            self.needs_path = True
            return Auto(self.path)
        return self._merge() or self._chain()

    def _merge(self) -> Expr | None:
        begin = self.position
        self.take("merge")
        after = self.position
        required = self.space() and self._word("required")
        self.position = after
        if not required:
            replace, key_name = self._merge_option(required_too=False)[:2]
            reference = self._reference() if self.space() else None
            if reference is not None:
                self.mark(begin)
                none = reference.path == ("none",)
                path = () if none else reference.path
                return Merge(path, redirect=True, replace=replace, required=bool(path), none=none, key_name=key_name)
            self.position = after
        if self.text.startswith("(", after):
            self.position = begin
            return None
        replace, key_name, required = self._merge_option(required_too=True)
        self.mark(begin)
        self.needs_path = True
        redirect = self.path != self.stub_path
        return Merge(
            self.stub_path,
            redirect=redirect,
            replace=replace,
            required=replace or required or redirect,
            none=False,
            key_name=key_name,
        )

    def _merge_option(self, required_too: bool) -> tuple[bool, str, bool]:
        """`replace`, `on name` or `required` behind `merge`."""
        begin = self.position
        if self.space():
            if self._word("replace"):
                return True, "", False
            if required_too and self._word("required"):
                return False, "", True
            here = self.position
            if self.take("on") and self.space():
                name = self.match(NAME)
                if name is not None:
                    self.mark(here)
                    return False, name, False
        self.position = begin
        return False, "", False

    def _lambda(self) -> Expr | None:
        begin = self.position
        if not self.take("lambda"):
            return None
        if self.space():
            inner = self.expression()
            if inner is not None:
                self.mark(begin)
                if isinstance(inner, Lambda):
                    return inner
                self.needs_path = True
                return LambdaReference(inner, self.path, self.stub_path)
            self.position = begin + len("lambda")
        result = self._lambda_expression()
        if result is None:
            self.position = begin
            return None
        return result
