"""Changes of case and of the way words are joined."""

from __future__ import annotations

from landform.gotemplate.functions import Function, function
from landform.gotemplate.sprig import runes
from landform.gotemplate.values import encoded


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


def _run(text: str, start: int, wanted: object) -> int:
    end = start
    while end < len(text) and wanted(text[end]):  # type: ignore[operator]
        end += 1
    return end


def _next_word(text: str) -> tuple[int, str, str]:
    """The kind of the next word, the word and the rest."""
    if not text:
        return _NONE, "", ""
    first = text[0]
    if _connects(first):
        kind, end = _CONNECTOR, _run(text, 1, _connects)
    elif runes.is_punctuation(first):
        kind, end = _PUNCTUATION, _run(text, 1, runes.is_punctuation)
    elif runes.is_upper(first):
        kind, end = _UPPER, _upper_end(text)
    elif _is_alphabet(first):
        kind, end = _ALPHABET, _run(text, 1, lambda char: _is_alphabet(char) and not runes.is_upper(char))
    elif runes.is_number(first):
        kind, end = _NUMBER, _run(text, 1, runes.is_number)
    else:
        kind = _OTHER
        end = _run(
            text,
            1,
            lambda char: (
                not (_connects(char) or _is_alphabet(char) or runes.is_number(char) or runes.is_punctuation(char))
            ),
        )
    return kind, text[:end], text[end:]


def _upper_end(text: str) -> int:
    if len(text) == 1:
        return 1
    if runes.is_upper(text[1]):
        end = _run(text, 2, runes.is_upper)
        return end - 1 if end < len(text) and _is_alphabet(text[end]) else end
    return _run(text, 1, lambda char: _is_alphabet(char) and not runes.is_upper(char))


def _lowered(kind: int, word: str, connector: str) -> str:
    if kind not in (_UPPER, _CONNECTOR):
        return word
    return "".join(
        connector if _connects(char) else runes.lower_rune(char) if runes.is_upper(char) else char for char in word
    )


def joined_case(text: str, connector: str) -> str:
    """The words in lower case with a connector between them."""
    parts: list[str] = []
    kind, word, rest = _next_word(text)
    while rest:
        if kind != _CONNECTOR:
            parts.append(_lowered(kind, word, connector))
        before, last = kind, word
        kind, word, rest = _next_word(rest)
        if before == _NUMBER:
            kind, word, rest = _absorb(parts, kind, word, rest, connector)
        elif before == _CONNECTOR:
            parts.append(_lowered(before, last, connector))
        elif before != _PUNCTUATION:
            kind, word, rest = _after_word(parts, kind, word, rest, connector)
    parts.append(_lowered(kind, word, connector))
    return "".join(parts)


def _absorb(parts: list[str], kind: int, word: str, rest: str, connector: str) -> tuple[int, str, str]:
    """Takes letters and numbers that belong to the number before them."""
    while kind in (_ALPHABET, _NUMBER):
        parts.append(_lowered(kind, word, connector))
        kind, word, rest = _next_word(rest)
    if kind not in (_NONE, _PUNCTUATION, _CONNECTOR):
        parts.append(connector)
    return kind, word, rest


def _after_word(parts: list[str], kind: int, word: str, rest: str, connector: str) -> tuple[int, str, str]:
    if kind != _NUMBER:
        if kind not in (_CONNECTOR, _PUNCTUATION):
            parts.append(connector)
        return kind, word, rest
    if not rest:
        return kind, word, rest
    number = word
    kind, word, rest = _next_word(rest)
    if kind != _ALPHABET:
        parts.append(_lowered(_NUMBER, number, connector))
        if kind not in (_CONNECTOR, _PUNCTUATION):
            parts.append(connector)
        return kind, word, rest
    parts += [connector, _lowered(_NUMBER, number, connector)]
    return _absorb(parts, kind, word, rest, connector)


FUNCTIONS: dict[str, Function] = {
    "upper": function("string -> string", runes.upper),
    "lower": function("string -> string", runes.lower),
    "title": function("string -> string", title),
    "untitle": function("string -> string", untitle),
    "swapcase": function("string -> string", swap_case),
    "initials": function("string -> string", initials),
    "snakecase": function("string -> string", lambda text: joined_case(text, "_")),
    "kebabcase": function("string -> string", lambda text: joined_case(text, "-")),
    "camelcase": function("string -> string", pascal_case),
}
