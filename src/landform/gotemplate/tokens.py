"""The tokens of a template."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from landform.gotemplate.quoting import quote


class Kind(IntEnum):
    """What a token is; keywords come after KEYWORD."""

    ERROR = 0
    BOOL = 1
    CHAR = 2
    CHAR_CONSTANT = 3
    COMPLEX = 4
    ASSIGN = 5
    DECLARE = 6
    EOF = 7
    FIELD = 8
    IDENTIFIER = 9
    LEFT_DELIMITER = 10
    LEFT_PAREN = 11
    NUMBER = 12
    PIPE = 13
    RAW_STRING = 14
    RIGHT_DELIMITER = 15
    RIGHT_PAREN = 16
    SPACE = 17
    STRING = 18
    TEXT = 19
    VARIABLE = 20
    KEYWORD = 21
    BLOCK = 22
    BREAK = 23
    CONTINUE = 24
    DOT = 25
    DEFINE = 26
    ELSE = 27
    END = 28
    IF = 29
    NIL = 30
    RANGE = 31
    TEMPLATE = 32
    WITH = 33


KEYWORDS = {
    "block": Kind.BLOCK,
    "break": Kind.BREAK,
    "continue": Kind.CONTINUE,
    "define": Kind.DEFINE,
    "else": Kind.ELSE,
    "end": Kind.END,
    "if": Kind.IF,
    "range": Kind.RANGE,
    "nil": Kind.NIL,
    "template": Kind.TEMPLATE,
    "with": Kind.WITH,
}


class Token(NamedTuple):
    """A token, where it starts and on which line."""

    kind: Kind
    position: int
    value: str
    line: int

    def describe(self) -> str:
        """The token as error messages show it."""
        if self.kind is Kind.EOF:
            return "EOF"
        if self.kind is Kind.ERROR:
            return self.value
        if self.kind > Kind.KEYWORD:
            return f"<{self.value}>"
        if len(self.value.encode("utf-8", "surrogateescape")) > 10:
            return quote(self.value[:10]) + "..."
        return quote(self.value)
