"""Changes of case and of the way words are joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.gotemplate.functions import Function, function
from landform.gotemplate.sprig import runes
from landform.gotemplate.values import encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def title(text: str) -> str:
    """The text with the first letter of each word in title case."""
    parts: list[str] = []
    previous = " "
    for char in text:
        parts.append(runes.title_rune(char) if _separates(previous) else char)
        previous = char
    return "".join(parts)


def _separates(char: str) -> bool:
    if char.isascii():
        return not (char.isalnum() or char == "_")
    return not (runes.is_letter(char) or char.isdecimal()) and runes.is_space(char)


def untitle(text: str) -> str:
    """The text with the first letter of each word in lower case."""
    parts: list[str] = []
    begins = True
    for char in text:
        if runes.is_space(char):
            begins = True
        elif begins:
            begins, char = False, runes.lower_rune(char)
        parts.append(char)
    return "".join(parts)


def swap_case(text: str) -> str:
    """The text with upper and lower case exchanged."""
    parts: list[str] = []
    after_space = True
    for char in text:
        if runes.is_upper(char) or (not char.isascii() and char.istitle() and not runes.is_lower(char)):
            char, after_space = runes.lower_rune(char), False
        elif runes.is_lower(char):
            char = runes.title_rune(char) if after_space else runes.upper_rune(char)
            after_space = False
        else:
            after_space = runes.is_space(char)
        parts.append(char)
    return "".join(parts)


def initials(text: str) -> str:
    """The first byte of each word, as a character."""
    parts: list[str] = []
    gap = True
    for byte in encoded(text):
        char = chr(byte)
        if runes.is_space(char):
            gap = True
        elif gap:
            parts.append(char)
            gap = False
    return "".join(parts)


def _connects(char: str) -> bool:
    return char in "-_" or runes.is_space(char)


def pascal_case(text: str) -> str:
    """The words joined, each with a capital letter."""
    start = 0
    while start < len(text) and _connects(text[start]):
        start += 1
    if start >= len(text):
        return text + text[-1:] if text else ""
    parts = [text[:start]]
    first_upper = runes.is_upper(text[start])
    current = runes.upper_rune(text[start])
    for char in text[start + 1 :]:
        previous, current = current, char
        if _connects(current) and _connects(previous):
            parts.append(previous)
            continue
        if _connects(previous):
            first_upper = runes.is_upper(current)
            current = runes.upper_rune(current)
            continue
        if first_upper:
            if runes.is_upper(current):
                current = runes.lower_rune(current)
            else:
                first_upper = False
        parts.append(previous)
    return "".join(parts) + current


_NUMBER, _UPPER, _ALPHABET, _CONNECTOR, _PUNCTUATION, _OTHER, _NONE = range(1, 8)


def _is_alphabet(char: str) -> bool:
    """A letter of a script that has cases, or one that is written like it."""
    return runes.is_letter(char) and not (
        "\u4e00" <= char <= "\u9fff" or "\u3040" <= char <= "\u30ff" or "\uac00" <= char <= "\ud7a3"
    )


def _run(text: str, start: int, wanted: Callable[[str], bool]) -> int:
    end = start
    while end < len(text) and wanted(text[end]):
        end += 1
    return end


def _is_small(char: str) -> bool:
    return _is_alphabet(char) and not runes.is_upper(char)


def _is_other(char: str) -> bool:
    return not (_connects(char) or _is_alphabet(char) or runes.is_number(char) or runes.is_punctuation(char))


def _words(text: str) -> Iterator[tuple[int, str]]:
    """The words of the text with their kinds."""
    start = 0
    while start < len(text):
        first = text[start]
        if _connects(first):
            kind, end = _CONNECTOR, _run(text, start + 1, _connects)
        elif runes.is_punctuation(first):
            kind, end = _PUNCTUATION, _run(text, start + 1, runes.is_punctuation)
        elif runes.is_upper(first):
            kind, end = _UPPER, _upper_end(text, start)
        elif _is_alphabet(first):
            kind, end = _ALPHABET, _run(text, start + 1, _is_small)
        elif runes.is_number(first):
            kind, end = _NUMBER, _run(text, start + 1, runes.is_number)
        else:
            kind, end = _OTHER, _run(text, start + 1, _is_other)
        yield kind, text[start:end]
        start = end


def _upper_end(text: str, start: int) -> int:
    if start + 1 < len(text) and runes.is_upper(text[start + 1]):
        end = _run(text, start + 2, runes.is_upper)
        return end - 1 if end < len(text) and _is_alphabet(text[end]) else end
    return _run(text, start + 1, _is_small)


def _lowered(kind: int, word: str, connector: str) -> str:
    if kind not in (_UPPER, _CONNECTOR):
        return word
    return "".join(
        connector if _connects(char) else runes.lower_rune(char) if runes.is_upper(char) else char for char in word
    )


class _Joiner:
    """Joins the words of one text."""

    def __init__(self, text: str, connector: str) -> None:
        self._words = list(_words(text))
        self._connector = connector
        self._place = 0
        self._parts: list[str] = []

    def _take(self) -> tuple[int, str]:
        """The next word; past the end there is none."""
        self._place += 1
        return self._words[self._place - 1] if self._place <= len(self._words) else (_NONE, "")

    def _add(self, kind: int, word: str) -> None:
        self._parts.append(_lowered(kind, word, self._connector))

    def _connect(self, kind: int, *closers: int) -> None:
        if kind not in (_CONNECTOR, _PUNCTUATION, *closers):
            self._parts.append(self._connector)

    def text(self) -> str:
        """The words in lower case with the connector between them."""
        kind, word = self._take()
        while self._place < len(self._words):
            if kind != _CONNECTOR:
                self._add(kind, word)
            before, last = kind, word
            kind, word = self._take()
            if before == _NUMBER:
                kind, word = self._absorb(kind, word)
            elif before == _CONNECTOR:
                self._add(before, last)
            elif before != _PUNCTUATION:
                kind, word = self._after_word(kind, word)
        self._add(kind, word)
        return "".join(self._parts)

    def _absorb(self, kind: int, word: str) -> tuple[int, str]:
        """Takes letters and numbers that belong to the number before them."""
        while kind in (_ALPHABET, _NUMBER):
            self._add(kind, word)
            kind, word = self._take()
        self._connect(kind, _NONE)
        return kind, word

    def _after_word(self, kind: int, word: str) -> tuple[int, str]:
        if kind != _NUMBER:
            self._connect(kind)
            return kind, word
        if self._place >= len(self._words):
            return kind, word
        number = word
        kind, word = self._take()
        if kind != _ALPHABET:
            self._add(_NUMBER, number)
            self._connect(kind)
            return kind, word
        self._parts.append(self._connector)
        self._add(_NUMBER, number)
        return self._absorb(kind, word)


FUNCTIONS: dict[str, Function] = {
    "upper": function("string -> string", runes.upper),
    "lower": function("string -> string", runes.lower),
    "title": function("string -> string", title),
    "untitle": function("string -> string", untitle),
    "swapcase": function("string -> string", swap_case),
    "initials": function("string -> string", initials),
    "snakecase": function("string -> string", lambda text: _Joiner(text, "_").text()),
    "kebabcase": function("string -> string", lambda text: _Joiner(text, "-").text()),
    "camelcase": function("string -> string", pascal_case),
}
