"""Sets of characters as ranges of their codes."""

from __future__ import annotations

import sys
from functools import cache

from landform.kit.regex import unicodetables

Ranges = tuple[tuple[int, int], ...]

_LARGEST = sys.maxunicode
_ORBITS = {
    chr(int(code, 16)): "".join(chr(int(other, 16)) for other in orbit.split())
    for orbit in unicodetables.ORBITS
    for code in orbit.split()
}
_FOLDED_WHOLE = 3000  # characters of a range that are folded one by one
DIGIT: Ranges = ((0x30, 0x39),)
SPACE: Ranges = ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20))
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
POSIX: dict[str, Ranges] = {
    "alnum": ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)),
    "alpha": ((0x41, 0x5A), (0x61, 0x7A)),
    "ascii": ((0, 0x7F),),
    "blank": ((9, 9), (0x20, 0x20)),
    "cntrl": ((0, 0x1F), (0x7F, 0x7F)),
    "digit": DIGIT,
    "graph": ((0x21, 0x7E),),
    "lower": ((0x61, 0x7A),),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((9, 0x0D), (0x20, 0x20)),
    "upper": ((0x41, 0x5A),),
    "word": WORD,
    "xdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}
ANY: Ranges = ((0, _LARGEST),)
ANY_BUT_NEWLINE: Ranges = ((0, 9), (11, _LARGEST))


def united(ranges: list[tuple[int, int]]) -> Ranges:
    """The ranges in order, without overlaps."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return tuple(result)


def negated(ranges: Ranges) -> Ranges:
    """All other characters."""
    result = []
    start = 0
    for low, high in ranges:
        if low > start:
            result.append((start, low - 1))
        start = high + 1
    if start <= _LARGEST:
        result.append((start, _LARGEST))
    return tuple(result)


@cache
def orbit(char: str) -> str:
    """The character and all that differ from it only in case."""
    found = {char, *_ORBITS.get(char, "")}
    for other in (char.lower(), char.upper(), char.title(), char.upper().lower(), char.lower().upper()):
        if len(other) == 1:
            found.add(other)
    return "".join(sorted(found))


def folded(low: int, high: int) -> list[tuple[int, int]]:
    """The range with all that differs from its characters only in case."""
    ranges = [(low, high)]
    codes = range(low, high + 1) if high - low <= _FOLDED_WHOLE else range(max(low, 65), min(high, 122) + 1)
    for code in codes:
        if not 0xD800 <= code < 0xE000:
            ranges.extend((ord(char), ord(char)) for char in orbit(chr(code)))
    return ranges


@cache
def unicode_class(name: str) -> Ranges | None:
    """The characters of a general category or a script; None when there is no such name."""
    if name == "Any":
        return ANY
    if len(name) == 1:
        parts = [text for category, text in unicodetables.CATEGORIES.items() if category.startswith(name)]
        return _ranges(" ".join(parts)) if parts else None
    text = unicodetables.CATEGORIES.get(name) or unicodetables.SCRIPTS.get(name)
    return _ranges(text) if text else None


def _ranges(text: str) -> Ranges:
    """What a table says: codes and ranges of codes in hexadecimal digits."""
    bounds = (word.partition("-") for word in text.split())
    return united([(int(low, 16), int(high or low, 16)) for low, _, high in bounds])
