"""JSON as Go's encoding/json reads it into any: every number a float64."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from landform.gotemplate.errors import GoError
from landform.gotemplate.quoting import escape

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LONE = re.compile("[\ud800-\udfff]")
_SPACE = " \t\r\n"
_HEX = "0123456789abcdefABCDEF"
_LITERALS = {"t": "true", "f": "false", "n": "null"}


class _Refused(Exception):
    """A constant that Python knows and JSON does not."""


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise GoError(f"json: cannot unmarshal number {text} into Go value of type float64")
    return number


def _constant(text: str) -> NoReturn:
    raise _Refused(text)


_DECODER = json.JSONDecoder(parse_int=_float, parse_float=_float, parse_constant=_constant)


def decode(text: str) -> Any:
    """The value that the text stands for; GoError in Go's words."""
    if not text.isascii():
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        value = _DECODER.decode(text)
    except GoError:
        raise
    except (ValueError, _Refused):
        raise GoError(flaw(text)) from None
    except RecursionError:
        raise GoError("exceeded max depth") from None
    return _mended(value) if _SURROGATE.search(text) else value


def _mended(value: Any) -> Any:
    """The value with halves of surrogate pairs replaced."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value


def flaw(text: str) -> str:
    """What Go says about a text that is not JSON."""
    try:
        _Scanner(text).run()
    except GoError as error:
        return str(error)
    return "unexpected end of JSON input"


class _Scanner:
    """Finds the first character that does not belong."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    def run(self) -> None:
        closers: list[str] = []
        while True:
            self._value(closers)
            while True:
                char = self._peek()
                if not closers:
                    if char:
                        self._fail("after top-level value")
                    return
                if char == ",":
                    self._position += 1
                    if closers[-1] == "}":
                        self._key()
                    break
                if char != closers[-1]:
                    self._fail("after object key:value pair" if closers[-1] == "}" else "after array element")
                self._position += 1
                closers.pop()

    def _peek(self) -> str:
        """The next character that is not a space."""
        while self._position < len(self._text) and self._text[self._position] in _SPACE:
            self._position += 1
        return self._here()

    def _here(self) -> str:
        return self._text[self._position : self._position + 1]

    def _fail(self, context: str) -> NoReturn:
        char = self._here()
        if not char:
            # Go feeds a space at the end, which only some places take for an error.
            if not context.startswith("in ") or context == "in string literal":
                raise GoError("unexpected end of JSON input")
            char = " "
        char = chr(char.encode()[0])  # Go looks at single bytes
        shown = "'\\''" if char == "'" else "'\"'" if char == '"' else f"'{escape(char, chr(39))}'"
        raise GoError(f"invalid character {shown} {context}")

    def _value(self, closers: list[str]) -> None:
        """A value up to its end, or to where a container's first value begins."""
        while True:
            char = self._peek()
            if char == "{":
                self._position += 1
                if self._peek() == "}":
                    self._position += 1
                    return
                self._key()
                closers.append("}")
            elif char == "[":
                self._position += 1
                if self._peek() == "]":
                    self._position += 1
                    return
                closers.append("]")
            else:
                self._scalar(char)
                return

    def _scalar(self, char: str) -> None:
        if char == '"':
            self._string()
        elif char in _LITERALS and char:
            self._literal(_LITERALS[char])
        elif char == "-" or "0" <= char <= "9":
            self._number()
        else:
            self._fail("looking for beginning of value")

    def _key(self) -> None:
        if self._peek() != '"':
            self._fail("looking for beginning of object key string")
        self._string()
        if self._peek() != ":":
            self._fail("after object key")
        self._position += 1

    def _string(self) -> None:
        self._position += 1
        while self._here() != '"':
            char = self._here()
            if not char or char < " ":
                self._fail("in string literal")
            self._position += 1
            if char == "\\":
                self._escape()
        self._position += 1

    def _escape(self) -> None:
        char = self._here()
        if char == "u":
            for _ in range(4):
                self._position += 1
                if not self._here() or self._here() not in _HEX:
                    self._fail("in \\u hexadecimal character escape")
        elif not char or char not in '"\\/bfnrt':
            self._fail("in string escape code")
        self._position += 1

    def _literal(self, word: str) -> None:
        for expected in word:
            if self._here() != expected:
                self._fail(f"in literal {word} (expecting '{expected}')")
            self._position += 1

    def _number(self) -> None:
        if self._here() == "-":
            self._position += 1
            if not "0" <= self._here() <= "9":
                self._fail("in numeric literal")
        if self._here() == "0":
            self._position += 1
        else:
            self._digits()
        if self._here() == ".":
            self._position += 1
            if not "0" <= self._here() <= "9":
                self._fail("after decimal point in numeric literal")
            self._digits()
        if self._here() in ("e", "E"):
            self._position += 1
            if self._here() in ("+", "-"):
                self._position += 1
            if not "0" <= self._here() <= "9":
                self._fail("in exponent of numeric literal")
            self._digits()

    def _digits(self) -> None:
        while "0" <= self._here() <= "9":
            self._position += 1
