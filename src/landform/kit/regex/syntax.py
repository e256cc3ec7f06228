"""Reads patterns into trees, with RE2's grammar and Go's complaints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from landform.kit.regex import classes
from landform.kit.regex.errors import RegexError

if TYPE_CHECKING:
    from landform.kit.regex.classes import Ranges

_MOST = 1000  # repetitions
_DEEPEST = 200  # parentheses inside parentheses
_NAMED = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_HEX = "0123456789abcdefABCDEF"
_PERL = {"d": classes.DIGIT, "s": classes.SPACE, "w": classes.WORD}
_ASSERTIONS = {"A": "text start", "b": "boundary", "B": "no boundary", "z": "text end"}


@dataclass(slots=True)
class Tree:
    """A piece of a pattern."""


@dataclass(slots=True)
class Chars(Tree):
    """One character of a set."""

    ranges: Ranges


@dataclass(slots=True)
class Assertion(Tree):
    """A place between characters: text start, text end, line start, line end, boundary or no boundary."""

    kind: str


@dataclass(slots=True)
class Sequence(Tree):
    """Pieces one after the other."""

    items: list[Tree]


@dataclass(slots=True)
class Choice(Tree):
    """One of several pieces, the first that fits."""

    items: list[Tree]


@dataclass(slots=True)
class Group(Tree):
    """A piece whose match is kept under a number."""

    item: Tree
    number: int


@dataclass(slots=True)
class Repeat(Tree):
    """A piece several times; no upper limit is -1."""

    item: Tree
    least: int
    most: int
    greedy: bool


@dataclass(slots=True)
class Pattern:
    """A whole pattern."""

    tree: Tree
    names: list[str]
    """The names of the groups by number; the whole match is the first and has none."""


@dataclass(slots=True)
class _Frame:
    """An open parenthesis: what came before, and what to go back to."""

    flags: frozenset[str]
    number: int | None = None
    items: list[Tree] = field(default_factory=list)
    choices: list[Tree] = field(default_factory=list)


def parse(pattern: str) -> Pattern:
    """The tree of a pattern; RegexError in Go's words."""
    return _Parser(pattern).run()


class _Parser:
    """One run over one pattern."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._position = 0
        self._flags: frozenset[str] = frozenset()
        self._names = [""]
        self._frames = [_Frame(self._flags)]

    def run(self) -> Pattern:
        last_repeat: int | None = None
        while self._position < len(self._text):
            start, char = self._position, self._text[self._position]
            repeated: int | None = None
            if char in "*+?":
                self._position += 1
                bounds = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[char]
                self._repeat(*bounds, start, last_repeat, counted=False)
                repeated = start if last_repeat is None else last_repeat
            elif char == "{" and self._braces(start, last_repeat):
                repeated = start if last_repeat is None else last_repeat
            else:
                self._item(char)
            last_repeat = repeated
        if len(self._frames) != 1:
            self._fail("missing closing )", self._text)
        return Pattern(_closed(self._frames[0]), self._names)

    def _fail(self, reason: str, expression: str) -> NoReturn:
        raise RegexError(reason, expression)

    def _add(self, tree: Tree) -> None:
        self._frames[-1].items.append(tree)

    def _literal(self, code: int) -> None:
        ranges = classes.united(classes.folded(code, code)) if "i" in self._flags else ((code, code),)
        self._add(Chars(ranges))

    def _item(self, char: str) -> None:
        if char == "(":
            self._open()
        elif char == ")":
            self._close()
        elif char == "[":
            self._class()
        elif char == "\\":
            self._backslash()
        else:
            self._position += 1
            if char == "|":
                frame = self._frames[-1]
                frame.choices.append(_sequence(frame.items))
                frame.items = []
            elif char == "^":
                self._add(Assertion("line start" if "m" in self._flags else "text start"))
            elif char == "$":
                self._add(Assertion("line end" if "m" in self._flags else "text end"))
            elif char == ".":
                self._add(Chars(classes.ANY if "s" in self._flags else classes.ANY_BUT_NEWLINE))
            else:
                self._literal(ord(char))

    # Groups and flags.

    def _push(self, number: int | None) -> None:
        if len(self._frames) > _DEEPEST:
            self._fail("expression nests too deeply", self._text)
        self._frames.append(_Frame(self._flags, number))

    def _open(self) -> None:
        text, start = self._text, self._position
        if not text.startswith("(?", start):
            self._position += 1
            self._names.append("")
            self._push(len(self._names) - 1)
            return
        rest = text[start:]
        if (len(rest) > 4 and rest.startswith("(?P<")) or (len(rest) > 3 and rest.startswith("(?<")):
            self._open_named(rest)
        else:
            self._open_flags(start)

    def _open_named(self, rest: str) -> None:
        end = rest.find(">")
        if end < 0:
            self._fail("invalid named capture", rest)
        name = rest[rest.index("<") + 1 : end]
        if not name or not name.isascii() or not name.replace("_", "a").isalnum():
            self._fail("invalid named capture", rest[: end + 1])
        self._position += end + 1
        self._names.append(name)
        self._push(len(self._names) - 1)

    def _open_flags(self, start: int) -> None:
        flags, negative, saw = set(self._flags), False, False
        position = start + 2
        while position < len(self._text):
            char = self._text[position]
            position += 1
            if char in "imsU":
                (flags.discard if negative else flags.add)(char)
                saw = True
            elif char == "-" and not negative:
                negative, saw = True, False
            elif char in ":)" and (saw or not negative):
                self._position = position
                if char == ":":
                    self._push(None)
                self._flags = frozenset(flags)
                return
            else:
                break
        self._fail("invalid or unsupported Perl syntax", self._text[start:position])

    def _close(self) -> None:
        if len(self._frames) == 1:
            self._fail("unexpected )", self._text)
        self._position += 1
        frame = self._frames.pop()
        self._flags = frame.flags
        tree = _closed(frame)
        self._add(tree if frame.number is None else Group(tree, frame.number))

    # Repetitions.

    def _repeat(self, least: int, most: int, start: int, last_repeat: int | None, *, counted: bool) -> None:
        greedy = "U" not in self._flags
        if self._text.startswith("?", self._position):
            self._position += 1
            greedy = not greedy
        if last_repeat is not None:
            self._fail("invalid nested repetition operator", self._text[last_repeat : self._position])
        items = self._frames[-1].items
        if not items:
            self._fail("missing argument to repetition operator", self._text[start : self._position])
        items[-1] = Repeat(items[-1], least, most, greedy)
        if counted and (least >= 2 or most >= 2) and not _is_small(items[-1], _MOST):
            self._fail("invalid repeat count", self._text[start : self._position])

    def _braces(self, start: int, last_repeat: int | None) -> bool:
        """A counted repetition; false when the brace stands for itself."""
        end = self._text.find("}", start)
        if end < 0:
            return False
        low, comma, high = self._text[start + 1 : end].partition(",")
        if not _is_count(low) or (comma and high and not _is_count(high)):
            return False
        least = _count(low)
        most = least if not comma else -1 if not high else _count(high)
        self._position = end + 1
        if least > _MOST or most > _MOST or 0 <= most < least:
            self._fail("invalid repeat count", self._text[start : end + 1])
        self._repeat(least, most, start, last_repeat, counted=True)
        return True

    # Escapes and classes.

    def _backslash(self) -> None:
        char = self._text[self._position + 1 : self._position + 2]
        if char and char in _ASSERTIONS:
            self._position += 2
            self._add(Assertion(_ASSERTIONS[char]))
        elif char == "C":
            self._fail("invalid escape sequence", "\\C")
        elif char == "Q":
            literal, _, _ = self._text[self._position + 2 :].partition("\\E")
            self._position += 2 + len(literal)
            if self._text.startswith("\\E", self._position):
                self._position += 2
            for single in literal:
                self._literal(ord(single))
        else:
            ranges = self._class_escape()
            if ranges is None:
                self._literal(self._escape())
            else:
                self._add(Chars(ranges))

    def _class_escape(self) -> Ranges | None:
        """A class such as \\d or \\pL; None when it is no class."""
        char = self._text[self._position + 1 : self._position + 2]
        if char and char in "pP":
            return self._unicode_class()
        if char and char.lower() in _PERL:
            self._position += 2
            ranges = _PERL[char.lower()]
            if "i" in self._flags:
                ranges = classes.united([part for low, high in ranges for part in classes.folded(low, high)])
            return ranges if char.islower() else classes.negated(ranges)
        return None

    def _unicode_class(self) -> Ranges:
        start = self._position
        negative = self._text[start + 1] == "P"
        name = self._text[start + 2 : start + 3]
        end = start + 3
        if name == "{":
            close = self._text.find("}", start)
            if close < 0:
                self._fail("invalid character class range", self._text[start:])
            name, end = self._text[start + 3 : close], close + 1
        self._position = end
        if name.startswith("^"):
            negative, name = not negative, name[1:]
        ranges = classes.unicode_class(name) if name else None
        if ranges is None:
            self._fail("invalid character class range", self._text[start:end])
        if "i" in self._flags:
            ranges = classes.united([part for low, high in ranges for part in classes.folded(low, high)])
        return classes.negated(ranges) if negative else ranges

    def _escape(self) -> int:
        """The code of an escaped character."""
        start = self._position
        char = self._text[start + 1 : start + 2]
        if not char:
            self._fail("trailing backslash at end of expression", "")
        self._position = start + 2
        if char in _NAMED:
            return _NAMED[char]
        if char in "01234567":
            following = self._here()
            if char == "0" or "0" <= following <= "7":
                return self._octal(char)
        elif char == "x":
            code = self._hexadecimal()
            if code is not None:
                return code
        elif char.isascii() and not char.isalnum():
            return ord(char)
        self._fail("invalid escape sequence", self._text[start : self._position])

    def _here(self) -> str:
        return self._text[self._position : self._position + 1]

    def _octal(self, digits: str) -> int:
        while len(digits) < 3 and "0" <= self._here() <= "7" and self._here():
            digits += self._here()
            self._position += 1
        return int(digits, 8)

    def _hexadecimal(self) -> int | None:
        char = self._here()
        if not char:
            return None
        self._position += 1
        if char != "{":
            second = self._here()
            self._position += len(second)
            return int(char + second, 16) if second and char in _HEX and second in _HEX else None
        digits = ""
        while True:
            char = self._here()
            if not char:
                return None
            self._position += 1
            if char == "}":
                return int(digits, 16) if digits else None
            if char not in _HEX:
                return None
            digits += char
            if int(digits, 16) > 0x10FFFF:
                return None

    def _class(self) -> None:
        start = self._position
        self._position += 1
        negative = self._here() == "^"
        self._position += negative
        ranges: list[tuple[int, int]] = []
        first = True
        while not self._here() or self._here() != "]" or first:
            first = False
            ranges.extend(self._class_part(start))
        self._position += 1
        whole = classes.united(ranges)
        self._add(Chars(classes.negated(whole) if negative else whole))

    def _class_part(self, start: int) -> list[tuple[int, int]]:
        text = self._text
        if text.startswith("[:", self._position):
            end = text.find(":]", self._position + 2)
            if end >= 0:
                return self._posix(text[self._position : end + 2])
        if self._here() == "\\":
            ranges = self._class_escape()
            if ranges is not None:
                return list(ranges)
        began = self._position
        low = high = self._class_char(start)
        if self._here() == "-" and text[self._position + 1 : self._position + 2] not in ("]", ""):
            self._position += 1
            high = self._class_char(start)
            if high < low:
                self._fail("invalid character class range", text[began : self._position])
        return classes.folded(low, high) if "i" in self._flags else [(low, high)]

    def _posix(self, name: str) -> list[tuple[int, int]]:
        inner = name[2:-2]
        ranges = classes.POSIX.get(inner.removeprefix("^"))
        if ranges is None:
            self._fail("invalid character class range", name)
        self._position += len(name)
        if "i" in self._flags:
            ranges = classes.united([part for low, high in ranges for part in classes.folded(low, high)])
        return list(classes.negated(ranges) if inner.startswith("^") else ranges)

    def _class_char(self, start: int) -> int:
        char = self._here()
        if not char:
            self._fail("missing closing ]", self._text[start:])
        if char == "\\":
            return self._escape()
        self._position += 1
        return ord(char)


def _sequence(items: list[Tree]) -> Tree:
    return items[0] if len(items) == 1 else Sequence(items)


def _closed(frame: _Frame) -> Tree:
    last = _sequence(frame.items)
    return Choice([*frame.choices, last]) if frame.choices else last


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")


def _count(text: str) -> int:
    return int(text) if len(text) < 9 else _MOST + 1


def _is_small(tree: Tree, limit: int) -> bool:
    """Whether nested counts multiply to no more than the limit."""
    if isinstance(tree, Repeat):
        if (tree.least, tree.most) not in ((0, -1), (1, -1), (0, 1)):
            if tree.most == 0:
                return True
            count = tree.most if tree.most >= 0 else tree.least
            if count > limit:
                return False
            limit = limit // count if count > 0 else limit
        return _is_small(tree.item, limit)
    if isinstance(tree, Group):
        return _is_small(tree.item, limit)
    if isinstance(tree, Sequence | Choice):
        return all(_is_small(item, limit) for item in tree.items)
    return True
