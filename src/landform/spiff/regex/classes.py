"""Sets of characters."""

from __future__ import annotations

import sys
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

_LAST = sys.maxunicode


@dataclass(frozen=True)
class CharClass:
    """A set of characters, as ranges of code points."""

    ranges: tuple[tuple[int, int], ...]
    _low: frozenset[int] = field(init=False, repr=False, compare=False, default=frozenset())

    def __post_init__(self) -> None:
        low = frozenset(code for first, last in self.ranges for code in range(first, min(last, 127) + 1))
        object.__setattr__(self, "_low", low)

    def __contains__(self, char: str) -> bool:
        code = ord(char)
        if code < 128:
            return code in self._low
        return any(first <= code <= last for first, last in self.ranges)

    def negated(self) -> CharClass:
        """All other characters."""
        ranges = []
        free = 0
        for first, last in sorted(self.ranges):
            if first > free:
                ranges.append((free, first - 1))
            free = max(free, last + 1)
        if free <= _LAST:
            ranges.append((free, _LAST))
        return CharClass(tuple(ranges))


def _of(text: str) -> CharClass:
    return CharClass(tuple((ord(text[index]), ord(text[index + 1])) for index in range(0, len(text), 2)))


_DIGIT, _SPACE, _WORD = _of("09"), _of("\t\n\f\r  "), _of("09AZ__az")
PERL = {
    "d": _DIGIT,
    "D": _DIGIT.negated(),
    "s": _SPACE,
    "S": _SPACE.negated(),
    "w": _WORD,
    "W": _WORD.negated(),
}
POSIX = {
    "alnum": _of("09AZaz"),
    "alpha": _of("AZaz"),
    "ascii": _of("\x00\x7f"),
    "blank": _of("\t\t  "),
    "cntrl": _of("\x00\x1f\x7f\x7f"),
    "digit": _DIGIT,
    "graph": _of("!~"),
    "lower": _of("az"),
    "print": _of(" ~"),
    "punct": _of("!/:@[`{~"),
    "space": _of("\t\r  "),
    "upper": _of("AZ"),
    "word": _WORD,
    "xdigit": _of("09AFaf"),
}


def folded(chars: CharClass) -> CharClass:
    """The set with the other case of each of its letters; of large ranges only of those below U+0250."""
    added: set[int] = set()
    for first, last in chars.ranges:
        for code in range(first, min(last, 0x24F if last - first > 512 else last) + 1):
            char = chr(code)
            added.update(ord(other) for other in (char.lower(), char.upper()) if len(other) == 1)
    return CharClass((*chars.ranges, *((code, code) for code in sorted(added))))


@lru_cache(maxsize=64)
def unicode_class(name: str) -> CharClass | None:
    """The characters of a Unicode category such as `L` or `Lu`; scripts are not known."""
    if name == "Any":
        return CharClass(((0, _LAST),))
    if name not in _CATEGORIES:
        return None
    ranges: list[tuple[int, int]] = []
    for code in range(_LAST + 1):
        if unicodedata.category(chr(code)).startswith(name):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1] = ranges[-1][0], code
            else:
                ranges.append((code, code))
    return CharClass(tuple(ranges))


_CATEGORIES = {
    *("C", "Cc", "Cf", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No"),
    *("P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs"),
}
