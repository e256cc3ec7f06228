"""Reads the text of a template into trees, with Go's grammar and Go's complaints."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from landform.gotemplate import numbers
from landform.gotemplate.errors import ParseError
from landform.gotemplate.lexer import Lexer
from landform.gotemplate.nodes import (
    Action,
    Bool,
    Branch,
    Break,
    Call,
    Chain,
    Command,
    Continue,
    Dot,
    Else,
    End,
    Field,
    Identifier,
    If,
    Listing,
    Nil,
    Node,
    Number,
    Pipe,
    Range,
    String,
    Text,
    Variable,
    With,
    is_empty,
)
from landform.gotemplate.quoting import quote, unquote
from landform.gotemplate.tokens import Kind, Token

if TYPE_CHECKING:
    from collections.abc import Container

    from landform.gotemplate.budgets import Budgets

_OPERANDS = frozenset(
    {
        Kind.BOOL,
        Kind.CHAR_CONSTANT,
        Kind.COMPLEX,
        Kind.DOT,
        Kind.FIELD,
        Kind.IDENTIFIER,
        Kind.NUMBER,
        Kind.NIL,
        Kind.RAW_STRING,
        Kind.STRING,
        Kind.VARIABLE,
        Kind.LEFT_PAREN,
    }
)
_BRANCHES: dict[Kind, type[Branch]] = {Kind.IF: If, Kind.WITH: With, Kind.RANGE: Range}


def parse(name: str, text: str, functions: Container[str], budgets: Budgets) -> dict[str, Listing]:
    """The templates that the text defines, by name; the text itself is the one with the given name."""
    try:
        return Parser(name, text, functions, budgets).parse()
    except RecursionError:
        raise ParseError(name, 1, "blocks and parentheses nest too deeply") from None


class Parser:
    """One run over one text."""

    def __init__(self, name: str, text: str, functions: Container[str], budgets: Budgets) -> None:
        self._name = name
        self._functions = functions
        self._budgets = budgets
        self._count = 0
        self._lexer = Lexer(
            text, break_is_keyword="break" not in functions, continue_is_keyword="continue" not in functions
        )
        self._tokens = [Token(Kind.EOF, 0, "", 1)] * 3
        self._peeked = 0
        self._trees: dict[str, Listing] = {}
        self._variables = ["$"]
        self._action_line = 0
        self._ranges = 0
        self._parens = 0
        self._blocks = 0

    def parse(self) -> dict[str, Listing]:
        """Reads the whole text."""
        root = Listing(self._peek().position)
        while self._peek().kind is not Kind.EOF:
            if self._peek().kind is Kind.LEFT_DELIMITER:
                delimiter = self._next()
                if self._next_word().kind is Kind.DEFINE:
                    self._definition()
                    continue
                self._back2(delimiter)
            node = self._text_or_action()
            if isinstance(node, End | Else):
                self._fail(f"unexpected {node.text()}")
            root.nodes.append(node)
        self._add(self._name, root)
        return self._trees

    # Tokens, with three of them to look ahead.

    def _next(self) -> Token:
        if self._peeked:
            self._peeked -= 1
        else:
            self._tokens[0] = self._lexer.next()
            self._count += 1
            if self._count > self._budgets.tokens:
                self._fail(f"the template has more than {self._budgets.tokens} tokens")
        return self._tokens[self._peeked]

    def _back(self) -> None:
        self._peeked += 1

    def _back2(self, first: Token) -> None:
        self._tokens[1] = first
        self._peeked = 2

    def _back3(self, first: Token, second: Token) -> None:
        self._tokens[1] = second
        self._tokens[2] = first
        self._peeked = 3

    def _peek(self) -> Token:
        token = self._next()
        self._peeked += 1
        return token

    def _next_word(self) -> Token:
        token = self._next()
        while token.kind is Kind.SPACE:
            token = self._next()
        return token

    def _peek_word(self) -> Token:
        token = self._next_word()
        self._back()
        return token

    def _fail(self, reason: str) -> NoReturn:
        raise ParseError(self._name, self._tokens[0].line, reason)

    def _unexpected(self, token: Token, context: str) -> NoReturn:
        if token.kind is not Kind.ERROR:
            self._fail(f"unexpected {token.describe()} in {context}")
        extra = ""
        if self._action_line and self._action_line != token.line:
            started = f" started at {self._name}:{self._action_line}"
            extra = started if token.value.endswith(" action") else " in action" + started
        self._fail(token.describe() + extra)

    def _expect(self, context: str, *kinds: Kind) -> Token:
        token = self._next_word()
        if token.kind not in kinds:
            self._unexpected(token, context)
        return token

    # Templates and blocks.

    def _add(self, name: str, root: Listing) -> None:
        known = self._trees.get(name)
        if known is None or is_empty(known):
            self._trees[name] = root
        elif not is_empty(root):
            self._fail(f"template: multiple definition of template {quote(name)}")

    def _definition(self) -> None:
        context = "define clause"
        literal = self._expect(context, Kind.STRING, Kind.RAW_STRING)
        name = self._unquoted(literal)
        self._expect(context, Kind.RIGHT_DELIMITER)
        self._tree(name, context)

    def _tree(self, name: str, context: str, line: int | None = None) -> None:
        """Reads a template inside the text, which knows no variables from outside."""
        outside = self._variables, self._ranges, self._parens, self._action_line
        self._variables, self._ranges, self._parens, self._action_line = ["$"], 0, 0, 0
        body, end = self._items()
        if not isinstance(end, End):
            raise ParseError(self._name, line or self._tokens[0].line, f"unexpected {end.text()} in {context}")
        self._add(name, body)
        self._variables, self._ranges, self._parens, self._action_line = outside

    def _items(self) -> tuple[Listing, Node]:
        """Nodes up to `end` or `else`, and that one."""
        self._blocks += 1
        if self._blocks > self._budgets.nesting:
            self._fail(f"blocks nest more than {self._budgets.nesting} deep")
        listing = Listing(self._peek_word().position)
        while self._peek_word().kind is not Kind.EOF:
            node = self._text_or_action()
            if isinstance(node, End | Else):
                self._blocks -= 1
                return listing, node
            listing.nodes.append(node)
        self._fail("unexpected EOF")

    def _text_or_action(self) -> Node:
        token = self._next_word()
        if token.kind is Kind.TEXT:
            return Text(token.position, token.value)
        if token.kind is not Kind.LEFT_DELIMITER:
            self._unexpected(token, "input")
        self._action_line = token.line
        node = self._action()
        self._action_line = 0
        return node

    def _action(self) -> Node:
        token = self._next_word()
        kind = token.kind
        if kind in _BRANCHES:
            return self._branch(kind)
        if kind is Kind.END:
            return End(self._expect("end", Kind.RIGHT_DELIMITER).position)
        if kind is Kind.ELSE:
            return self._else()
        if kind is Kind.TEMPLATE:
            return self._call()
        if kind is Kind.BLOCK:
            return self._block()
        if kind is Kind.BREAK or kind is Kind.CONTINUE:
            return self._jump(token)
        self._back()
        position = self._peek().position
        return Action(position, self._pipeline("command", Kind.RIGHT_DELIMITER))

    def _jump(self, token: Token) -> Node:
        action = "{{" + token.value + "}}"
        following = self._next_word()
        if following.kind is not Kind.RIGHT_DELIMITER:
            self._unexpected(following, action)
        if not self._ranges:
            self._fail(f"{action} outside {{{{range}}}}")
        return Break(token.position) if token.kind is Kind.BREAK else Continue(token.position)

    def _else(self) -> Node:
        following = self._peek_word()
        if following.kind is Kind.IF or following.kind is Kind.WITH:
            return Else(following.position)
        return Else(self._expect("else", Kind.RIGHT_DELIMITER).position)

    def _branch(self, kind: Kind) -> Node:
        make = _BRANCHES[kind]
        known = len(self._variables)
        pipe = self._pipeline(make.keyword, Kind.RIGHT_DELIMITER)
        self._ranges += kind is Kind.RANGE
        body, end = self._items()
        self._ranges -= kind is Kind.RANGE
        otherwise = None
        if isinstance(end, Else):
            otherwise = self._otherwise(kind, end)
        del self._variables[known:]
        return make(pipe.position, pipe, body, otherwise)

    def _otherwise(self, kind: Kind, end: Else) -> Listing:
        if kind is not Kind.RANGE and self._peek().kind is kind:
            self._next()
            self._blocks += 1  # `else if` nests, without an `end` of its own
            nested = Listing(end.position, [self._branch(kind)])
            self._blocks -= 1
            return nested
        listing, last = self._items()
        if not isinstance(last, End):
            self._fail(f"expected end; found {last.text()}")
        return listing

    def _block(self) -> Node:
        context = "block clause"
        token = self._next_word()
        name = self._template_name(token, context)
        pipe = self._pipeline(context, Kind.RIGHT_DELIMITER)
        self._tree(name, context, self._tokens[0].line)
        return Call(token.position, name, pipe)

    def _call(self) -> Node:
        context = "template clause"
        token = self._next_word()
        name = self._template_name(token, context)
        pipe = None
        if self._next_word().kind is not Kind.RIGHT_DELIMITER:
            self._back()
            pipe = self._pipeline(context, Kind.RIGHT_DELIMITER)
        return Call(token.position, name, pipe)

    def _template_name(self, token: Token, context: str) -> str:
        if token.kind not in (Kind.STRING, Kind.RAW_STRING):
            self._unexpected(token, context)
        return self._unquoted(token)

    def _unquoted(self, token: Token) -> str:
        try:
            return unquote(token.value)
        except ValueError as error:
            self._fail(str(error))

    # Pipelines.

    def _pipeline(self, context: str, end: Kind) -> Pipe:
        token = self._peek_word()
        pipe = Pipe(token.position, token.line)
        self._declarations(pipe, context)
        while True:
            token = self._next_word()
            if token.kind is end:
                break
            if token.kind not in _OPERANDS:
                self._unexpected(token, context)
            self._back()
            pipe.commands.append(self._command())
        self._check(pipe, context)
        return pipe

    def _declarations(self, pipe: Pipe, context: str) -> None:
        while self._peek_word().kind is Kind.VARIABLE:
            variable = self._next()
            adjacent = self._peek()
            following = self._peek_word()
            if following.kind is Kind.ASSIGN or following.kind is Kind.DECLARE:
                pipe.assigns = following.kind is Kind.ASSIGN
                self._next_word()
                self._declare(pipe, variable)
                return
            if following.kind is Kind.CHAR and following.value == ",":
                self._next_word()
                self._declare(pipe, variable)
                if context != "range" or len(pipe.variables) >= 2:
                    self._fail(f"too many declarations in {context}")
                if self._peek_word().kind not in (Kind.VARIABLE, Kind.RIGHT_DELIMITER, Kind.RIGHT_PAREN):
                    self._fail("range can only initialize variables")
                continue
            if adjacent.kind is Kind.SPACE:
                self._back3(variable, adjacent)
            else:
                self._back2(variable)
            return

    def _declare(self, pipe: Pipe, token: Token) -> None:
        pipe.variables.append(Variable(token.position, token.value.split(".")))
        self._variables.append(token.value)

    def _check(self, pipe: Pipe, context: str) -> None:
        if not pipe.commands:
            self._fail(f"missing value for {context}")
        for stage, command in enumerate(pipe.commands[1:], 2):
            if isinstance(command.arguments[0], Bool | Dot | Nil | Number | String):
                self._fail(f"non executable command in pipeline stage {stage}")

    def _command(self) -> Command:
        command = Command(self._peek_word().position)
        while True:
            self._peek_word()
            operand = self._operand()
            if operand is not None:
                command.arguments.append(operand)
            token = self._next()
            if token.kind is Kind.SPACE:
                continue
            if token.kind is Kind.RIGHT_DELIMITER or token.kind is Kind.RIGHT_PAREN:
                self._back()
            elif token.kind is not Kind.PIPE:
                self._unexpected(token, "operand")
            break
        if not command.arguments:
            self._fail("empty command")
        return command

    def _operand(self) -> Node | None:
        node = self._term()
        if node is None or self._peek().kind is not Kind.FIELD:
            return node
        position = self._peek().position
        names: list[str] = []
        while self._peek().kind is Kind.FIELD:
            names.append(self._next().value[1:])
        if isinstance(node, Field):
            return Field(position, node.names + names)
        if isinstance(node, Variable):
            return Variable(position, node.names + names)
        if isinstance(node, Bool | String | Number | Nil | Dot):
            self._fail(f"unexpected . after term {quote(node.text())}")
        return Chain(position, node, names)

    def _term(self) -> Node | None:
        token = self._next_word()
        position, kind = token.position, token.kind
        if kind is Kind.IDENTIFIER:
            if token.value not in self._functions:
                self._fail(f"function {quote(token.value)} not defined")
            return Identifier(position, token.value)
        if kind is Kind.FIELD:
            return Field(position, [token.value[1:]])
        if kind is Kind.VARIABLE:
            return self._variable(token)
        if kind is Kind.STRING or kind is Kind.RAW_STRING:
            return String(position, token.value, self._unquoted(token))
        if kind is Kind.LEFT_PAREN:
            return self._parenthesized()
        return self._constant(token)

    def _constant(self, token: Token) -> Node | None:
        position, kind = token.position, token.kind
        if kind is Kind.DOT:
            return Dot(position)
        if kind is Kind.NIL:
            return Nil(position)
        if kind is Kind.BOOL:
            return Bool(position, token.value == "true")
        try:
            if kind is Kind.NUMBER:
                return numbers.number(position, token.value)
            if kind is Kind.CHAR_CONSTANT:
                return numbers.character(position, token.value)
            if kind is Kind.COMPLEX:
                return numbers.complex_pair(position, token.value)
        except ValueError as error:
            self._fail(str(error))
        self._back()
        return None

    def _parenthesized(self) -> Pipe:
        if self._parens >= self._budgets.nesting:
            self._fail("max expression depth exceeded")
        self._parens += 1
        pipe = self._pipeline("parenthesized pipeline", Kind.RIGHT_PAREN)
        self._parens -= 1
        return pipe

    def _variable(self, token: Token) -> Variable:
        if token.value not in self._variables:
            self._fail(f"undefined variable {quote(token.value)}")
        return Variable(token.position, [token.value])
