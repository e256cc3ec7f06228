"""From the text of a path to its steps, with the errors of client-go's parser."""

from __future__ import annotations

import re
from typing import NoReturn

from landform.kit import quoting
from landform.kit.jsonpath.errors import InvalidPath
from landform.kit.jsonpath.nodes import (
    EXISTS,
    Constant,
    Field,
    Filter,
    Identifier,
    Node,
    Recursive,
    Slice,
    Steps,
    Text,
    Union,
    Wildcard,
    fused,
)
from landform.kit.jsonpath.values import Literal

MAX_LENGTH = 200_000
"""How many characters a path may have; longer ones are hostile."""

MAX_NODES = 20_000
"""How many steps a path may have."""

MAX_DEPTH = 50
"""How deep filters and unions may be nested."""

_RELAXED = re.compile(r"\{\.?([^{}]+)\}\Z|\.?([^{}]+)\Z")
_IGNORED = re.compile(r"[ @$]*")
_NAME = re.compile(r"[^ \t\r\n.,\[\]$@{}]*")
# Possessive, so that a long name needs no memory for going back.
_FIELD = re.compile(r"(?:[^\\ \t\r\n.,\[\]$@{}]++|\\.?+)*+", re.DOTALL)
_NUMBER = re.compile(r"[+-]?[\d.]*")
_FLOAT = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]+)\Z")
_ARRAY_STOP = re.compile(r"[\]\n]")
_FILTER_STOP = re.compile(r"[\"')\n]")
_COMPARISON = re.compile(r"([^!<>=]+)([!<>=]+)(.+?)\Z")
_KEY = re.compile(r"'([^']*)'\Z")
_SLICE = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?\Z")
_ESCAPE = re.compile(
    r"\\(?:(?P<short>[abfnrtv\\])|(?P<quote>['\"])|x(?P<byte>[0-9a-fA-F]{2})|(?P<octal>[0-7]{3})"
    r"|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8}))?"
)
_SHORT_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}


_BEGINNINGS = ("$", "@", "[")
"""What a path may begin with instead of a dot."""


def relaxed(path: str) -> str:
    """A path without braces or leading dot in its full form, as kubectl's custom columns accept it.

    `metadata.name`, `.metadata.name`, `{metadata.name}` and `{.metadata.name}` all become the last of them. A path that
    begins at the root (`$.metadata`) or with a key in brackets gets no dot: with one, kubectl finds nothing. A dot
    alone is the whole object; kubectl makes two of it, which is everything that is in it.
    """
    if not path:
        return path
    if path == ".":
        return "{$}"
    match = _RELAXED.match(path)
    if match is None:
        raise InvalidPath(
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
            path,
        )
    steps = match[1] or match[2]
    dot = "" if steps.startswith(_BEGINNINGS) else "."
    return f"{{{dot}{steps}}}"


def parse(text: str) -> tuple[Node, ...]:
    """The texts and actions of a template."""
    if len(text) > MAX_LENGTH:
        raise InvalidPath(f"the path is {len(text)} characters long, more than {MAX_LENGTH}")
    return tuple(_Parser(text, _Budget()).parse())


class _Budget:
    """What all parsers of one path may use together."""

    def __init__(self) -> None:
        self.nodes = MAX_NODES
        self.depth = MAX_DEPTH


class _Parser:
    """Reads one template from left to right. Parts inside of brackets are read by a parser of their own."""

    def __init__(self, text: str, budget: _Budget) -> None:
        self.text = text
        self.position = 0
        self.budget = budget

    def parse(self) -> list[Node]:
        nodes: list[Node] = []
        while (brace := self.text.find("{", self.position)) >= 0:
            if brace > self.position:
                self._append(nodes, Text(self.text[self.position : brace]))
            self.position = brace + 1
            self._append(nodes, fused(self._action()))
        if self.position < len(self.text):
            self._append(nodes, Text(self.text[self.position :]))
        return nodes

    def _append(self, nodes: list[Node], node: Node) -> None:
        self.budget.nodes -= 1
        if self.budget.nodes < 0:
            self._fail(f"the path has more than {MAX_NODES} steps")
        nodes.append(node)

    def _fail(self, message: str) -> NoReturn:
        raise InvalidPath(message, self.text, self.position)

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.position)
        if match is None:
            return ""
        self.position = match.end()
        return match[0]

    def _action(self) -> list[Node]:
        """The steps up to and including the closing brace."""
        nodes: list[Node] = []
        while True:
            self._take(_IGNORED)  # `@` and `$` both stand for the current value
            if self.text.startswith("}", self.position):
                self.position += 1
                return nodes
            if self.text.startswith("[?(", self.position):
                self._append(nodes, self._filter())
            elif self.text.startswith("..", self.position):
                self._recursive(nodes)
            else:
                self._step(nodes)

    def _step(self, nodes: list[Node]) -> None:
        char = self.text[self.position : self.position + 1]
        if char in ("", "\r", "\n"):
            self._fail("unclosed action")
        if char == "[":
            self._array(nodes)
        elif char in "\"'":
            self._append(nodes, Text(self._quoted(char)))
        elif char == ".":
            self.position += 1
            self._append(nodes, self._field())
        elif char in "+-" or char.isdecimal():
            self._append(nodes, self._number())
        elif char == "_" or char.isalpha():
            self._append(nodes, self._identifier())
        else:
            self._fail(f"unrecognized character in action: {_unicode(char)}")

    def _recursive(self, nodes: list[Node]) -> None:
        if nodes and isinstance(nodes[-1], Recursive):
            self._fail("invalid multiple recursive descent")
        self.position += 2
        self._append(nodes, Recursive())
        char = self.text[self.position : self.position + 1]
        if char == "_" or char.isalpha() or char.isdecimal():
            self._append(nodes, self._field())

    def _field(self) -> Node:
        name = self._take(_FIELD)
        return Wildcard() if name == "*" else Field(name.replace("\\", ""))

    def _identifier(self) -> Node:
        name = self._take(_NAME)
        return Constant(name == "true") if name in ("true", "false") else Identifier(name)

    def _number(self) -> Node:
        text = self._take(_NUMBER)
        try:
            return Constant(Literal(quoting.atoi(text)))
        except ValueError:
            number = float(text) if _FLOAT.match(text) else float("inf")
        if abs(number) == float("inf"):
            self._fail(f"cannot parse number {text}")
        return Constant(number)

    def _quoted(self, quote: str) -> str:
        """The text up to the next quote without a backslash before it."""
        end = self.position
        while True:
            end = self.text.find(quote, end + 1)
            if end < 0 or self.text[end - 1] != "\\":
                break
        if end < 0 or "\n" in self.text[self.position : end]:
            self._fail("unterminated quoted string")
        literal = self.text[self.position : end + 1]
        try:
            text = _unquote(literal[1:-1], quote)
        except ValueError:
            self._fail(f"unquote string {literal} error invalid syntax")
        self.position = end + 1
        return text

    def _array(self, nodes: list[Node]) -> None:
        """What stands in brackets: a union, a key in quotes, or an index or slice."""
        stop = _ARRAY_STOP.search(self.text, self.position)
        if stop is None or stop[0] == "\n":
            self._fail("unterminated array")
        text = self.text[self.position + 1 : stop.start()]
        self.position = stop.end()
        if "," in text:
            self._append(nodes, Union(tuple(self._part(f"[{member.strip(' ')}]") for member in text.split(","))))
        elif key := _KEY.match(text):
            # A key is read like a field, so an unescaped dot in it leads one level deeper.
            nodes.extend(self._part(f".{key[1]}").nodes)
        else:
            self._append(nodes, self._slice(":" if text == "*" else text))

    def _slice(self, text: str) -> Slice:
        match = _SLICE.match(text)
        if match is None:
            self._fail(f"invalid array index {text}")
        start = self._index(match[1])
        end = self._index((match[2] or "")[1:])
        step = self._index((match[3] or "")[1:])
        if match[2] is None:
            return Slice(start, (start or 0) + 1, step, is_index=True)
        return Slice(start, end, step, is_index=False)

    def _index(self, text: str) -> int | None:
        if not text:
            return None
        try:
            return quoting.atoi(text)
        except ValueError:
            self._fail(f"array index {text} is not a number")

    def _filter(self) -> Filter:
        self.position += len("[?(")
        end = self._filter_end()
        text = self.text[self.position : end]
        self.position = end + 1
        if not self.text.startswith("]", self.position):
            self._fail("unclosed array expect ]")
        self.position += 1
        comparison = _COMPARISON.match(text)
        if comparison is None:
            return Filter(self._part(text), EXISTS, Steps())
        return Filter(self._part(comparison[1]), comparison[2], self._part(comparison[3]))

    def _filter_end(self) -> int:
        """The first `)` that is not inside of the first quoted text; later quotes do not count."""
        pair, closed = "", False
        for stop in _FILTER_STOP.finditer(self.text, self.position):
            char = stop[0]
            if char == "\n":
                break
            if char == ")":
                if bool(pair) == closed:
                    return stop.start()
            elif not pair:
                pair = char
            elif char == pair and self.text[stop.start() - 1] != "\\":
                closed = True
        self._fail("unterminated filter")

    def _part(self, text: str) -> Steps:
        """The steps of a text that stands in brackets, read as an action of its own."""
        self.budget.depth -= 1
        if self.budget.depth < 0:
            self._fail(f"the path is nested more than {MAX_DEPTH} levels deep")
        first = _Parser(f"{{{text}}}", self.budget).parse()[0]
        self.budget.depth += 1
        if not isinstance(first, Steps):
            raise TypeError(f"a template that begins with a brace begins with an action, not with {first}")
        return first


def _unicode(char: str) -> str:
    """The character as Go's `%#U` writes it: its number, and itself if that can be seen."""
    number = f"U+{ord(char):04X}"
    return f"{number} '{char}'" if char.isprintable() else number


def _unquote(text: str, quote: str) -> str:
    """The text without its escapes, as in a Go literal in those quotes; ValueError if one of them is wrong."""
    if "\\" not in text:
        return text

    def replace(match: re.Match[str]) -> str:
        kind, value = match.lastgroup, match[match.lastgroup or 0]
        if kind == "short":
            return _SHORT_ESCAPES[value]
        if kind is None or (kind == "quote" and value != quote):
            raise ValueError(match[0])
        return value if kind == "quote" else _code(kind, value)

    replaced = _ESCAPE.sub(replace, text)
    # Bytes beyond ASCII stand in it as halves of surrogate pairs until all of them are known.
    return replaced.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _code(kind: str, digits: str) -> str:
    code = int(digits, 8 if kind == "octal" else 16)
    if kind in ("byte", "octal"):
        if code > 0xFF:
            raise ValueError(digits)
        return chr(code) if code < 0x80 else chr(0xDC00 + code)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise ValueError(digits)
    return chr(code)
