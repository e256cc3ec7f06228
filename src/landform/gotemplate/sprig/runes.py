"""Characters as Go's unicode package sees them."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

SPACES = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"

_remembered = lru_cache(maxsize=4096)


def upper(text: str) -> str:
    """The text with each character in upper case, one for one."""
    return text.upper() if text.isascii() else "".join(map(upper_rune, text))


def lower(text: str) -> str:
    """The text with each character in lower case, one for one."""
    return text.lower() if text.isascii() else "".join(map(lower_rune, text))


@_remembered
def upper_rune(char: str) -> str:
    """The upper case of a character."""
    changed = char.upper()
    return changed if len(changed) == 1 else char


@_remembered
def lower_rune(char: str) -> str:
    """The lower case of a character."""
    return char.lower()[:1]


@_remembered
def title_rune(char: str) -> str:
    """The title case of a character."""
    changed = char.title()
    return changed if len(changed) == 1 else char


@_remembered
def is_upper(char: str) -> bool:
    """Whether the character is an upper case letter."""
    return unicodedata.category(char) == "Lu"


@_remembered
def is_lower(char: str) -> bool:
    """Whether the character is a lower case letter."""
    return unicodedata.category(char) == "Ll"


@_remembered
def is_letter(char: str) -> bool:
    """Whether the character is a letter."""
    return unicodedata.category(char)[0] == "L"


@_remembered
def is_number(char: str) -> bool:
    """Whether the character is a number of any kind."""
    return unicodedata.category(char)[0] == "N"


@_remembered
def is_punctuation(char: str) -> bool:
    """Whether the character is punctuation."""
    return unicodedata.category(char)[0] == "P"


def is_space(char: str) -> bool:
    """Whether the character is white space."""
    return char in SPACES
