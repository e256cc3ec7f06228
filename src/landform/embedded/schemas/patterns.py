"""Go's regular expressions (RE2) for Python.

A pattern is parsed and written anew in a form that means the same to two engines. The first choice is the linear-time
engine of jsonschema-rs: like RE2 it cannot be made to hang by a clever value, which matters because patterns come from
CustomResourceDefinitions and values from anyone. What it cannot express (flags such as ``(?i)``, ``\\b``) goes to
Python's ``re``. What neither takes is refused, so that it is noticed when the definition is created.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

import jsonschema_rs

Matches = Callable[[str], bool]

_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r\x20"}
_CONTROL = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
_POSIX = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t\x20", "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9", "graph": r"\x21-\x7e", "lower": "a-z", "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e", "space": r"\t\n\x0b\f\r\x20", "upper": "A-Z",
    "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_REPEAT = re.compile(r"\{(\d+)(,(\d*))?\}", re.ASCII)
_GROUP = re.compile(r"\(\?(?:P?<(?P<name>\w+)>|(?P<flags>[imsU]*(?:-[imsU]+)?)(?P<end>[:)]))", re.ASCII)
_PROPERTY = re.compile(r"\\([pP])(?:\{(\^?)([A-Za-z_]+)\}|([A-Z]))")
_HEX = re.compile(r"\\x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))")
_OCTAL = re.compile(r"\\(0[0-7]{0,2}|[1-7][0-7]{2})")
_MAX_REPEAT = 1000


class PatternError(ValueError):
    """A pattern that Go would refuse, or that neither of our engines can follow."""


@functools.lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Matches:
    """The test whether a text contains a match of a Go pattern; PatternError if there can be none."""
    parser = _Parser(pattern)
    parser.parse()
    if not parser.needs_python:
        try:
            return jsonschema_rs.Draft4Validator(
                {"pattern": parser.text(end="$")}, pattern_options=jsonschema_rs.RegexOptions()
            ).is_valid
        except (jsonschema_rs.ValidationError, ValueError):
            pass  # such as a pattern too large for a linear engine
    try:
        search = re.compile(parser.text(end=r"\Z")).search
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(f"error parsing regexp: {error}: `{pattern}`") from None
    return lambda text: search(text) is not None


@dataclass
class _Level:
    """An open group: which flag groups we opened inside of it that Go lets run to its end."""

    flags: list[str] = field(default_factory=list)


class _Parser:
    """Reads a Go pattern from left to right and collects what to hand to the engines."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._out: list[str] = []
        self._levels = [_Level()]
        self._multiline = False
        self.needs_python = False
        """Whether only Python's engine knows all that is used."""

    def text(self, *, end: str) -> str:
        """The pattern for an engine whose end of text is written `end`."""
        return "".join(end if piece == _END else piece for piece in self._out)

    def parse(self) -> None:
        while self._at < len(self._pattern):
            self._parse_piece(self._pattern[self._at])
        if len(self._levels) > 1:
            self._fail("missing closing )", self._pattern)
        self._close_flags()

    def _parse_piece(self, char: str) -> None:
        if char == "(":
            self._open()
            return
        if char == ")":
            self._close()
            return
        if char == "|":
            self._alternative()
            return
        if char in "*+?":
            self._fail("missing argument to repetition operator", char)
        piece = self._atom(char)
        self._out.append(piece + self._repetition())

    def _atom(self, char: str) -> str:
        if char == "[":
            return self._class()
        if char == "\\":
            return self._escape()
        self._at += 1
        if char == ".":
            return "." if self.needs_python else r"[^\n]"
        if char == "$":
            return "$" if self._multiline else self._end()
        return "^" if char == "^" else _literal(char)

    def _end(self) -> str:
        """The end of the text: engines write it differently, so it stays apart until the engine is known."""
        self._out.append(_END)
        return ""

    def _repetition(self) -> str:
        """The repetition operator at this place, if there is one, as both engines write it."""
        operator = self._one_repetition()
        if operator:
            begin = self._at
            if self._one_repetition():
                self._fail("invalid nested repetition operator", operator + self._pattern[begin : self._at])
        return operator

    def _one_repetition(self) -> str:
        rest = self._pattern[self._at : self._at + 1]
        if rest and rest in "*+?":
            operator = rest
        elif rest == "{" and (repeat := _REPEAT.match(self._pattern, self._at)):
            operator = repeat[0]
            least, most = int(repeat[1]), int(repeat[3] or repeat[1])
            if least > _MAX_REPEAT or most > _MAX_REPEAT or least > most:
                self._fail("invalid repeat count", operator)
        else:
            return ""
        self._at += len(operator)
        if self._pattern.startswith("?", self._at):
            self._at += 1
            operator += "?"
        return operator

    def _open(self) -> None:
        if not self._pattern.startswith("(?", self._at):
            self._at += 1
            self._levels.append(_Level())
            self._out.append("(")
            return
        group = _GROUP.match(self._pattern, self._at)
        if group is None:
            self._fail("invalid or unsupported Perl syntax", self._pattern[self._at : self._at + 3])
        self._at = group.end()
        if group["name"] is not None:
            self._levels.append(_Level())
            self._out.append("(")
            return
        flags = self._flags(group["flags"])
        if group["end"] == ":":
            self._levels.append(_Level())
            self._out.append(f"(?{flags}:")
        elif flags:
            self._levels[-1].flags.append(flags)
            self._out.append(f"(?{flags}:")

    def _flags(self, flags: str) -> str:
        if "U" in flags:
            self._fail("unsupported flag U", f"(?{flags})")
        self.needs_python = self.needs_python or bool(flags)
        self._multiline = self._multiline or "m" in flags.partition("-")[0]
        return flags

    def _close(self) -> None:
        self._close_flags()
        if len(self._levels) == 1:
            self._fail("unexpected )", self._pattern)
        self._levels.pop()
        self._at += 1
        self._out.append(")" + self._repetition())

    def _close_flags(self) -> None:
        self._out.append(")" * len(self._levels[-1].flags))

    def _alternative(self) -> None:
        """Flags set in one branch hold in the next ones too, but our flag groups end with the branch."""
        self._close_flags()
        self._at += 1
        self._out.append("|" + "".join(f"(?{flags}:" for flags in self._levels[-1].flags))

    def _escape(self) -> str:
        char = self._pattern[self._at + 1 : self._at + 2]
        if char in ("d", "w", "s", "D", "W", "S") and char:
            self._at += 2
            return f"[{'^' if char.isupper() else ''}{_CLASSES[char.lower()]}]"
        if char and char in "AzbB":
            self._at += 2
            return self._assertion(char)
        if char == "Q":
            return self._literal_run()
        if char and char in "pP":
            return self._property()
        return _literal(self._escaped_char())

    def _assertion(self, char: str) -> str:
        if char in "bB":
            self.needs_python = True
            return f"(?a:\\{char})"
        if char == "z":
            return self._end()
        return r"\A" if self._multiline else "^"

    def _literal_run(self) -> str:
        end = self._pattern.find(r"\E", self._at)
        run = self._pattern[self._at + 2 : end if end >= 0 else None]
        self._at = end + 2 if end >= 0 else len(self._pattern)
        return "".join(map(_literal, run))

    def _property(self) -> str:
        if self.needs_python:
            self._fail("character properties cannot be combined with flags or \\b", self._pattern)
        found = _PROPERTY.match(self._pattern, self._at)
        if found is None:
            self._fail("invalid character class range", self._pattern[self._at : self._at + 2])
        self._at = found.end()
        negated = (found[1] == "P") != bool(found[2])
        name = found[3] or found[4]
        return f"\\{'P' if negated else 'p'}{{{f'Script={name}' if len(name) > 2 else name}}}"

    def _escaped_char(self) -> str:
        """The character that an escape stands for."""
        for form, base in ((_HEX, 16), (_OCTAL, 8)):
            found = form.match(self._pattern, self._at)
            if found:
                self._at = found.end()
                code = int(next(group for group in found.groups() if group), base)
                if code > 0x10FFFF:
                    self._fail("invalid escape sequence", found[0])
                return chr(code)
        char = self._pattern[self._at + 1 : self._at + 2]
        if not char:
            self._fail("trailing backslash at end of expression", "")
        if char in _CONTROL:
            self._at += 2
            return _CONTROL[char]
        if not char.isascii() or char.isalnum():
            self._fail("invalid escape sequence", f"\\{char}")
        self._at += 2
        return char

    def _class(self) -> str:
        begin = self._at
        self._at += 1
        negated = self._pattern.startswith("^", self._at)
        self._at += negated
        members: list[str] = []
        while not members or not self._pattern.startswith("]", self._at):
            if self._at >= len(self._pattern):
                self._fail("missing closing ]", self._pattern[begin:])
            members.append(self._class_member())
        self._at += 1
        return f"[{'^' if negated else ''}{''.join(members)}]"

    def _class_member(self) -> str:
        if self._pattern.startswith("[:", self._at) and (end := self._pattern.find(":]", self._at)) > 0:
            return self._posix_class(end)
        if self._pattern.startswith("\\", self._at):
            char = self._pattern[self._at + 1 : self._at + 2]
            if char and char in "dws":
                self._at += 2
                return _CLASSES[char]
            if char and char in "DWS":
                self._at += 2
                return f"\\{char}"
            if char and char in "pP":
                return self._property()
        low = self._class_char()
        if self._pattern.startswith("-", self._at) and not self._pattern.startswith("-]", self._at):
            begin = self._at
            self._at += 1
            high = self._class_char()
            if high < low:
                self._fail("invalid character class range", low + self._pattern[begin : self._at])
            return f"{_literal(low)}-{_literal(high)}"
        return _literal(low)

    def _class_char(self) -> str:
        if self._at >= len(self._pattern):
            self._fail("missing closing ]", self._pattern)
        if self._pattern[self._at] == "\\":
            return self._escaped_char()
        self._at += 1
        return self._pattern[self._at - 1]

    def _posix_class(self, end: int) -> str:
        name = self._pattern[self._at + 2 : end]
        members = _POSIX.get(name)
        if members is None:
            self._fail("invalid character class range", f"[:{name}:]")
        self._at = end + 2
        return members

    def _fail(self, what: str, where: str) -> NoReturn:
        raise PatternError(f"error parsing regexp: {what}: `{where}`")


_END = "\0end"  # no piece of a pattern looks like this: literals are escaped


def _literal(char: str) -> str:
    """A character as both engines write it, inside and outside of a class."""
    if char.isalnum() or char == "_" or not char.isascii():
        return char
    return f"\\x{ord(char):02x}"
