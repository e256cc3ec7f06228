"""The syntax of regular expressions: from a pattern to a tree."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field

from landform.spiff.regex.classes import PERL, POSIX, CharClass, folded, unicode_class

MOST_REPEATS = 1000
MOST_NESTING = 200
_REPEAT = re.compile(r"\{(\d+)(,(\d*))?\}")
_GROUP_NAME = re.compile(r"\?P?<([^>]*)>")
_FLAGS = re.compile(r"\?([imsU]*)(?:-([imsU]+))?([:)])")
_CONTROL = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ASSERTIONS = {"A": "start", "z": "end", "b": "word", "B": "not-word"}
_PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class RegexError(ValueError):
    """A pattern cannot be read; the message is Go's."""

    def __init__(self, reason: str, part: str) -> None:
        super().__init__(f"error parsing regexp: {reason}: `{part}`")


@dataclass(frozen=True)
class Chars:
    """One character of a class."""

    matches: CharClass


@dataclass(frozen=True)
class Assertion:
    """A place: start or end of text or line, word boundary."""

    kind: str


@dataclass(frozen=True)
class Sequence:
    """One after the other."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Choice:
    """The first that leads to a match."""

    options: tuple[Tree, ...]


@dataclass(frozen=True)
class Repeat:
    """So many times; None: without limit."""

    inner: Tree
    least: int
    most: int | None
    greedy: bool


@dataclass(frozen=True)
class Group:
    """What is remembered under a number."""

    number: int
    inner: Tree


Tree = Chars | Assertion | Sequence | Choice | Repeat | Group


@dataclass
class _Flags:
    ignore_case: bool = False
    multi_line: bool = False
    dot_all: bool = False
    swap_greed: bool = False


@dataclass
class Pattern:
    """A pattern that has been read."""

    tree: Tree
    groups: int
    names: dict[str, int] = field(default_factory=dict)


def parse(pattern: str) -> Pattern:
    """Reads a pattern; raises RegexError."""
    return _Parser(pattern).parse()


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0
        self.groups = 0
        self.names: dict[str, int] = {}
        self.flags = _Flags()
        self.depth = 0

    def parse(self) -> Pattern:
        tree = self._choice()
        if self.position < len(self.pattern):
            raise RegexError("unexpected )", self.pattern)
        return Pattern(tree, self.groups, self.names)

    def _peek(self) -> str:
        return self.pattern[self.position : self.position + 1]

    def _choice(self) -> Tree:
        self.depth += 1
        if self.depth > MOST_NESTING:
            raise RegexError("expression nests too deeply", self.pattern)
        options = [self._sequence()]
        while self._peek() == "|":
            self.position += 1
            options.append(self._sequence())
        self.depth -= 1
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Tree:
        parts: list[Tree] = []
        repeated = ""
        while self.position < len(self.pattern) and self._peek() not in "|)":
            begin = self.position
            operator = self._repetition()
            if operator is None:
                parts += self._atom()
                repeated = ""
                continue
            written = self.pattern[begin : self.position]
            if not parts:
                raise RegexError("missing argument to repetition operator", written)
            if repeated:
                raise RegexError("invalid nested repetition operator", repeated + written)
            repeated = written
            parts[-1] = Repeat(parts[-1], *operator)
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repetition(self) -> tuple[int, int | None, bool] | None:
        char = self._peek()
        limits: tuple[int, int | None]
        if char in "*+?":
            limits = {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
            self.position += 1
        elif char == "{" and (found := _REPEAT.match(self.pattern, self.position)):
            limits = self._counted(found)
            self.position = found.end()
        else:
            return None
        greedy = not self.flags.swap_greed
        if self._peek() == "?":
            self.position += 1
            greedy = not greedy
        return *limits, greedy

    @staticmethod
    def _counted(found: re.Match[str]) -> tuple[int, int | None]:
        least = int(found[1]) if len(found[1]) < 6 else MOST_REPEATS + 1
        most: int | None = least
        if found[2]:
            most = None if not found[3] else int(found[3]) if len(found[3]) < 6 else MOST_REPEATS + 1
        if least > MOST_REPEATS or (most is not None and (most > MOST_REPEATS or most < least)):
            raise RegexError("invalid repeat count", found[0])
        return least, most

    def _atom(self) -> list[Tree]:
        char = self._peek()
        if char == "(":
            return self._group()
        if char == "[":
            return [Chars(self._class())]
        if char == "\\":
            return self._escape()
        self.position += 1
        if char == ".":
            return [
                Chars(
                    CharClass(((0, sys.maxunicode),))
                    if self.flags.dot_all
                    else CharClass(((0, 9), (11, sys.maxunicode)))
                )
            ]
        if char == "^":
            return [Assertion("line-start" if self.flags.multi_line else "start")]
        if char == "$":
            return [Assertion("line-end" if self.flags.multi_line else "end")]
        return [self._literal(char)]

    def _literal(self, char: str) -> Chars:
        matches = CharClass(((ord(char), ord(char)),))
        return Chars(folded(matches) if self.flags.ignore_case else matches)

    def _group(self) -> list[Tree]:
        begin = self.position
        self.position += 1
        if self._peek() == "?":
            name = _GROUP_NAME.match(self.pattern, self.position)
            if name is None:
                if self.pattern.startswith(("?P<", "?<"), self.position):
                    raise RegexError("invalid named capture", self.pattern[begin:])
                return self._flag_group(begin)
            self._named(name, begin)
        self.groups += 1
        number = self.groups
        return [Group(number, self._inside())]

    def _named(self, found: re.Match[str], begin: int) -> None:
        if not re.fullmatch(r"\w+", found[1], re.ASCII):
            raise RegexError("invalid named capture", self.pattern[begin : found.end()])
        if found[1] in self.names:
            raise RegexError("duplicate capture group name", found[1])
        self.names[found[1]] = self.groups + 1
        self.position = found.end()

    def _inside(self) -> Tree:
        """What stands in a group, up to its end; flags that are set inside end with it."""
        flags = _Flags(**vars(self.flags))
        tree = self._choice()
        if self._peek() != ")":
            raise RegexError("missing closing )", self.pattern)
        self.position += 1
        self.flags = flags
        return tree

    def _flag_group(self, begin: int) -> list[Tree]:
        found = _FLAGS.match(self.pattern, self.position)
        if found is None or (found[3] == ")" and not found[1] and not found[2]):
            end = begin + 3 if found is None else found.end()
            raise RegexError("invalid or unsupported Perl syntax", self.pattern[begin:end])
        before = _Flags(**vars(self.flags))
        for letters, value in ((found[1], True), (found[2] or "", False)):
            for letter in letters:
                setattr(
                    self.flags,
                    {"i": "ignore_case", "m": "multi_line", "s": "dot_all", "U": "swap_greed"}[letter],
                    value,
                )
        self.position = found.end()
        if found[3] == ")":
            return []
        tree = self._inside()
        self.flags = before
        return [tree if isinstance(tree, Chars) else Sequence((tree,))]

    def _escape(self) -> list[Tree]:
        begin = self.position
        letter = self.pattern[begin + 1 : begin + 2]
        if letter in _ASSERTIONS:
            self.position += 2
            return [Assertion(_ASSERTIONS[letter])]
        if letter == "Q":
            end = self.pattern.find("\\E", begin + 2)
            text = self.pattern[begin + 2 : end if end >= 0 else None]
            self.position = end + 2 if end >= 0 else len(self.pattern)
            return [self._literal(char) for char in text]
        named = self._named_class()
        if named is not None:
            return [Chars(folded(named) if self.flags.ignore_case else named)]
        return [self._literal(self._escaped())]

    def _named_class(self) -> CharClass | None:
        """`\\d`, `\\pL`, `\\p{Greek}` and the like."""
        letter = self.pattern[self.position + 1 : self.position + 2]
        if letter and letter in PERL:
            self.position += 2
            return PERL[letter]
        if letter not in ("p", "P"):
            return None
        begin = self.position
        self.position += 2
        name = self._peek()
        if name == "{":
            end = self.pattern.find("}", self.position)
            if end < 0:
                raise RegexError("invalid character class range", self.pattern[begin:])
            name, self.position = self.pattern[self.position + 1 : end], end
        self.position += 1
        negated = (letter == "P") != name.startswith("^")
        found = unicode_class(name.removeprefix("^"))
        if found is None:
            raise RegexError("invalid character class range", self.pattern[begin : self.position])
        return found.negated() if negated else found

    def _escaped(self) -> str:
        """The character that an escape stands for."""
        begin = self.position
        letter = self.pattern[begin + 1 : begin + 2]
        if not letter:
            raise RegexError("trailing backslash at end of expression", "")
        self.position += 2
        if letter in _CONTROL:
            return _CONTROL[letter]
        if letter in _PUNCTUATION:
            return letter
        if letter == "0" or (letter in "1234567" and self._peek() in tuple("01234567")):
            digits = re.compile("[0-7]{1,3}").match(self.pattern, begin + 1)
            if digits:
                self.position = digits.end()
                return chr(int(digits[0], 8))
        if letter == "x":
            found = re.compile(r"([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,8})\}").match(self.pattern, self.position)
            code = int(found[1] or found[2], 16) if found else sys.maxunicode + 1
            if found and code <= sys.maxunicode:
                self.position = found.end()
                return chr(code)
        raise RegexError("invalid escape sequence", self.pattern[begin : self.position])

    def _class(self) -> CharClass:
        begin = self.position
        self.position += 1
        negated = self._peek() == "^"
        self.position += negated
        ranges: list[tuple[int, int]] = []
        first = True
        while first or self._peek() != "]":
            if self.position >= len(self.pattern):
                raise RegexError("missing closing ]", self.pattern[begin:])
            if (
                self._peek() == "-"
                and not first
                and self.pattern[self.position + 1 : self.position + 2] not in ("]", "")
            ):
                end = self.position + 2
                raise RegexError("invalid character class range", self.pattern[self.position : end])
            first = False
            ranges += self._class_part(begin)
        self.position += 1
        found = CharClass(tuple(ranges))
        found = folded(found) if self.flags.ignore_case else found
        return found.negated() if negated else found

    def _class_part(self, begin: int) -> list[tuple[int, int]]:
        if self.pattern.startswith("[:", self.position):
            end = self.pattern.find(":]", self.position + 2)
            if end >= 0:
                name = self.pattern[self.position + 2 : end]
                if name.removeprefix("^") not in POSIX:
                    raise RegexError("invalid character class range", self.pattern[self.position : end + 2])
                self.position = end + 2
                found = POSIX[name.removeprefix("^")]
                return list((found.negated() if name.startswith("^") else found).ranges)
        if self._peek() == "\\":
            named = self._named_class()
            if named is not None:
                return list(named.ranges)
        start = self.position
        low = self._class_char(begin)
        high = low
        if self._peek() == "-" and self.pattern[self.position + 1 : self.position + 2] not in ("]", ""):
            self.position += 1
            high = self._class_char(begin)
            if high < low:
                raise RegexError("invalid character class range", self.pattern[start : self.position])
        return [(low, high)]

    def _class_char(self, begin: int) -> int:
        if self._peek() == "\\":
            return ord(self._escaped())
        if self.position >= len(self.pattern):
            raise RegexError("missing closing ]", self.pattern[begin:])
        self.position += 1
        return ord(self.pattern[self.position - 1])
