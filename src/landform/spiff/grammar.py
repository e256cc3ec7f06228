"""The grammar of expressions: from text to expressions, by ordered choice."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from landform.kit.quoting import INT64_MAX, INT64_MIN
from landform.spiff.expressions.base import Expansion, Expr, NamedArgument
from landform.spiff.expressions.calls import Invocation
from landform.spiff.expressions.lambdas import Lambda, LambdaReference, Parameter
from landform.spiff.expressions.literals import (
    ListLiteral,
    MapLiteral,
    Nil,
    Number,
    ScopeLiteral,
    Text,
    Truth,
    Undefined,
)
from landform.spiff.expressions.mappings import KINDS, Catch, Mapping, Sum
from landform.spiff.expressions.merging import Auto, Marked, MarkedGroup, Merge
from landform.spiff.expressions.operators import (
    Addition,
    Comparison,
    Concatenation,
    Conditional,
    Division,
    Grouped,
    LogicalAnd,
    LogicalOr,
    Modulo,
    Multiplication,
    Not,
    Or,
    Prefer,
    Subtraction,
    ValidOr,
)
from landform.spiff.expressions.references import (
    Indexed,
    Link,
    Projection,
    Qualified,
    Range,
    Reference,
    Slice,
    chained,
)
from landform.spiff.expressions.sync import Sync
from landform.spiff.expressions.templates import Substitution
from landform.spiff.jsontexts import JsonTextError, json_text
from landform.spiff.parsing import ParseError
from landform.spiff.paths import components
from landform.spiff.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_BRACKETS = 250
"""Expressions inside expressions."""
MOST_CHARACTERS = 256 << 10
"""Characters of one expression."""

_IP = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+")
_STRING = re.compile(r'"(?:\\"|[^"])*+"')
_NUMBER = re.compile(r"(?>-?[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE]-?[0-9]+)?)(?!::)")
_NAME = re.compile(r"[a-zA-Z0-9_]+")
_KEY = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9_\-]*+(?::[a-zA-Z0-9_][a-zA-Z0-9_\-]*)?")
_INDEX = re.compile(r"\[-?[0-9]+\]")
_TAG = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*(?:[.:][a-zA-Z_][a-zA-Z0-9_]*)*")
_DOCUMENT = re.compile(r"doc[.:]-?[0-9]+::")
_MARKER = re.compile("template|temporary|local|inject|state|default|dynamic")
_COMPARE = re.compile("==|!=|<=|>=|>|<")
_OR = re.compile(r"\|\||//")
# a keyword is a name if a name goes on behind it; the original does not read such names
_KEYWORD = re.compile(r"(?:true|false|nil|auto|merge)(?![a-zA-Z0-9_\-]|\.[a-zA-Z0-9_]|::)")
_SIMPLE = re.compile(r" *((?!(?:true|false|nil|auto|merge|lambda|prefer)\b)[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)*) *", re.ASCII)

_Path = tuple[str, ...]
_ADDITIVE: dict[str, Callable[[Expr, Expr], Expr]] = {"+": Addition, "-": Subtraction}
_MULTIPLICATIVE: dict[str, Callable[[Expr, Expr], Expr]] = {"*": Multiplication, "/": Division, "%": Modulo}
_LOGICAL: dict[str, Callable[[Expr, Expr], Expr]] = {"-or": LogicalOr, "-and": LogicalAnd}


def parse(text: str, path: _Path, stub_path: _Path) -> Expr:
    """The expression that a text writes, for a node at these paths; raises ParseError."""
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
def _parse_at(text: str, path: _Path, stub_path: _Path) -> Expr:
    return _Parser(text, path, stub_path).whole()


class _Parser(Reader):
    """One reading of a text. Every method is a rule: it returns what it has read, or None and stays where it was."""

    def __init__(self, text: str, path: _Path, stub_path: _Path) -> None:
        super().__init__(text)
        self.path = path
        self.stub_path = stub_path
        self.needs_path = False
        self._known: dict[int, tuple[Expr | None, int]] = {}
        self._faults: dict[int, ParseError] = {}
        """Literals that cannot be used, by their position; a text that cannot be read as a whole is worse."""
        self._depth = 0

    def whole(self) -> Expr:
        """The whole text as one expression."""
        if len(self.text) > MOST_CHARACTERS:
            raise ParseError(f"the expression has more than {MOST_CHARACTERS} characters")
        result = self._prefer() or self._marked() or self.expression()
        if result is None or self.position < len(self.text):
            raise self.fault()
        if self._faults:
            raise self._faults[min(self._faults)]
        return result

    def _back(self, position: int) -> None:
        self.position = position

    def _prefer(self) -> Expr | None:
        begin = self.position
        self.space()
        if self.take("prefer") and self.space():
            inner = self.expression()
            if inner is not None:
                self.mark(begin)
                return Prefer(inner)
        return self._back(begin)

    def _marked(self) -> Expr | None:
        begin = self.position
        self.space()
        marker = self._marker()
        if marker is None:
            return self._back(begin)
        markers = [marker]
        while True:
            here = self.position
            marker = self._marker() if self.space() else None
            if marker is None:
                self._back(here)
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
                self._back(found.end())
            elif not self._tag_marker():
                return self._back(begin)
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
        self._back(begin)
        return False

    def _tag(self) -> str | None:
        found = _TAG.match(self.text, self.position)
        if found is None:
            return None
        begin, end = self.position, found.end()
        self._back(end)
        last = max(self.text.rfind(".", begin, end), self.text.rfind(":", begin, end), begin - 1) + 1
        self.mark(last)
        return found[0]

    def expression(self) -> Expr | None:
        """Any expression, with the white space around it; what was read at a place is remembered."""
        begin = self.position
        known = self._known.get(begin)
        if known is not None:
            self._back(known[1])
            return known[0]
        self._depth += 1
        if self._depth > MOST_BRACKETS:
            raise ParseError(f"the expression is nested more than {MOST_BRACKETS} deep")
        result = self._scoped() or self._lambda_expression() or self._alternatives()
        self._depth -= 1
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
        return self._back(begin)

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
                self._back(after)
                break
            assignments.append(assignment)
            after = self.position
            if not self.take(","):
                break
        if self.take(closing):
            self.mark(begin)
            return MapLiteral(assignments)
        return self._back(begin)

    def _assignment(self) -> tuple[Expr, Expr] | None:
        begin = self.position
        key = self.expression()
        if key is not None and self.take("="):
            value = self.expression()
            if value is not None:
                self.mark(begin)
                return key, value
        return self._back(begin)

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
        return self._back(begin)

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
        return self._back(begin)

    def _more_parameters(self, found: list[Parameter]) -> None:
        """Plain parameters, then those with a default value."""
        here = self.position
        while self.take(",") and (name := self._parameter_name()) is not None:
            found.append(Parameter(name))
            here = self.position
        self._back(here)
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
        self._back(here)

    def _parameter_name(self) -> str | None:
        begin = self.position
        self.space()
        name = self.match(_NAME)
        if name is None:
            return self._back(begin)
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
        return self._back(begin)

    def _alternatives(self) -> Expr | None:
        """`a || b // c`."""
        begin = self.position
        self.space()
        result = self._conditional()
        if result is None:
            return self._back(begin)
        while True:
            here = self.position
            operator = self.match(_OR) if self.space() else None
            right = self._conditional() if operator and self.space() else None
            if right is None:
                self._back(here)
                break
            self.mark(here)
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
        self._back(here)
        return condition

    def _concatenation(self) -> Expr | None:
        result = self._logic()
        while result is not None:
            here = self.position
            right = self._logic() if self.space() else None
            if right is None:
                self._back(here)
                break
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
                self._back(here)
                break
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
                self._back(here)
                break
            result = build(result, right)
        return result

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
            name = self.match(_NAME)
            if name is not None:
                self.mark(begin)
                return Text(name)
            self._back(begin)
        return self._lambda() or self._chain()

    def _string(self) -> Expr | None:
        begin = self.position
        written = self.match(_STRING)
        if written is None:
            return None
        try:
            return Text(json_text(written))
        except JsonTextError as error:
            self._faults[begin] = self.fault(str(error), (begin, self.position))
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
            self._faults[begin] = self.fault("the number does not fit into 64 bits", (begin, self.position))
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
        self._depth += 1
        if self._depth > MOST_BRACKETS:
            raise ParseError(f"the expression is nested more than {MOST_BRACKETS} deep")
        inner = self.atom()
        self._depth -= 1
        if inner is None:
            return self._back(begin)
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
        self._back(after)
        if not required:
            replace, key_name = self._merge_option(required_too=False)[:2]
            reference = self._reference() if self.space() else None
            if reference is not None:
                self.mark(begin)
                none = reference.path == ("none",)
                path = () if none else reference.path
                return Merge(
                    path, redirect=True, replace=replace, required=bool(path), none=none, key_name=key_name
                )
            self._back(after)
        if self.text.startswith("(", after):
            return self._back(begin)
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
                name = self.match(_NAME)
                if name is not None:
                    self.mark(here)
                    return False, name, False
        self._back(begin)
        return False, "", False

    def _word(self, word: str) -> bool:
        begin = self.position
        if self.take(word):
            self.mark(begin)
            return True
        return False

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
                return LambdaReference(inner, self.path, self.stub_path, parse)
            self._back(begin + len("lambda"))
        result = self._lambda_expression()
        if result is None:
            return self._back(begin)
        return result

    def _chain(self) -> Expr | None:
        """A base with everything that is picked from it or done with it."""
        begin = self.position
        base = self._base()
        if base is None:
            return self._back(begin)
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

    def _grouped(self) -> Expr | None:
        begin = self.position
        if self.take("("):
            inner = self.expression()
            if inner is not None and self.take(")"):
                self.mark(begin)
                return Grouped(inner)
        return self._back(begin)

    def _list(self) -> Expr | None:
        begin = self.position
        entries = self._bracketed()
        if entries is None:
            return self._back(begin)
        return ListLiteral(entries)

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
        return self._back(begin)

    def _expressions(self) -> list[Expr]:
        """Expressions between commas, perhaps none."""
        entries: list[Expr] = []
        here = self.position
        while (entry := self._entry()) is not None:
            entries.append(entry)
            here = self.position
            if not self.take(","):
                break
        self._back(here)
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
        return self._back(begin)

    def _mapping(self) -> Expr | None:
        """`map[`, `select{`, `sum[` and the like."""
        begin = self.position
        for opening, kind in KINDS.items():
            if self.take(opening):
                source = self._alternatives()
                function = self._lambda_or_expression() if source is not None else None
                if source is not None and function is not None and self.take(kind.brackets[1]):
                    self.mark(begin)
                    return Mapping(kind, source, function)
                return self._back(begin)
        if self.take("sum["):
            return self._sum_of(begin)
        if self.take("catch["):
            source = self._alternatives()
            function = self._lambda_or_expression() if source is not None else None
            if source is not None and function is not None and self.take("]"):
                self.mark(begin)
                return Catch(source, function)
        elif self.take("sync["):
            return self._sync(begin)
        return self._back(begin)

    def _sum_of(self, begin: int) -> Expr | None:
        source = self._alternatives()
        if source is not None and self.take("|"):
            initial = self._alternatives()
            function = self._lambda_or_expression() if initial is not None else None
            if initial is not None and function is not None and self.take("]"):
                self.mark(begin)
                return Sum(source, initial, function)
        return self._back(begin)

    def _lambda_or_expression(self) -> Expr | None:
        begin = self.position
        result: Expr | None = self._lambda_expression()
        if result is None and self.take("|"):
            result = self.expression()
        if result is None:
            return self._back(begin)
        self.mark(begin)
        return result

    def _sync(self, begin: int) -> Expr | None:
        source = self._alternatives()
        if source is None:
            return self._back(begin)
        here = self.position
        parts = self._sync_lambda_pair() or self._sync_pair()
        timeout = None
        if parts is not None:
            behind = self.position
            timeout = self.expression() if self.take("|") else None
            if timeout is None:
                self._back(behind)
        else:
            self._back(here)
            condition = self._lambda_or_expression()
            parts = (condition, None) if condition is not None else None
        if parts is not None and self.take("]"):
            self.mark(begin)
            return Sync(source, *parts, timeout, as_function=False)
        return self._back(begin)

    def _sync_lambda_pair(self) -> tuple[Expr, Expr | None] | None:
        """A condition with a value for the same parameters."""
        begin = self.position
        condition = self._lambda_expression()
        if condition is not None and self.take(","):
            value = self.expression()
            if value is not None:
                return condition, Lambda(condition.parameters, False, value)
        return self._back(begin)

    def _sync_pair(self) -> tuple[Expr, Expr | None] | None:
        begin = self.position
        condition = self._lambda_or_expression()
        value = self._lambda_or_expression() if condition is not None else None
        if condition is None or value is None:
            return self._back(begin)
        return condition, value

    def _reference(self) -> Reference | None:
        begin = self.position
        tag = self._tag_prefix()
        if tag is not None:
            if not self.take(".") and self.match(_KEY) is None:
                self._back(begin)
                tag = None
        if tag is None:
            self.take(".")
            if self.match(_KEY) is None:
                return self._back(begin)
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
            self._back(found.end())
            self.mark(begin)
            return found[0]
        if self._tag() is not None and self.take("::"):
            self.mark(begin)
            return self.text[begin : self.position]
        return self._back(begin)

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
        self._back(begin)
        self.take(".")
        if self.match(_INDEX) is not None:
            self.mark(begin)
            return True
        self._back(begin)
        return False

    def _top_index(self) -> Expr | None:
        begin = self.position
        if self.take("."):
            index = self._bracketed(least=1)
            if index is not None:
                self.mark(begin)
                return Indexed(Reference(("",)), ListLiteral(index))
        return self._back(begin)

    def _links(self) -> list[Link]:
        """The rest of a chain."""
        links: list[Link] = []
        while (found := self._link()) is not None:
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
                return self._back(begin)
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
                return self._back(begin)
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
                self._back(here)
        if self.take(")"):
            self.mark(begin)
            return arguments
        return self._back(begin)

    def _named_arguments(self) -> list[Expr]:
        arguments: list[Expr] = []
        here = self.position
        while (argument := self._named_argument()) is not None:
            arguments.append(argument)
            here = self.position
            if not self.take(","):
                break
        self._back(here)
        return arguments

    def _named_argument(self) -> Expr | None:
        begin = self.position
        self.space()
        name = self.match(_NAME)
        if name is not None:
            self.space()
            if self.take("="):
                self.space()
                value = self.expression()
                if value is not None:
                    self.space()
                    self.mark(begin)
                    return NamedArgument(name, value)
        return self._back(begin)
