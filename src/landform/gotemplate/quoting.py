"""Go's string literals, both ways, and its names of characters."""

from __future__ import annotations

import re
import unicodedata

SHORT = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r"}
_NAMED = {letter: chr(code) for code, letter in SHORT.items()} | {"\\": "\\"}
_ESCAPE = re.compile(
    r"\\(?:([abfnrtv\\'\"])|x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))|([^\\])", re.DOTALL
)
_REMEMBERED = 10_000  # characters
_PLAIN = re.compile(r"[ !#-\[\]-~]*\Z")


def is_print(char: str) -> bool:
    """Whether Go counts the character as printable: letters, marks, numbers, punctuation, symbols, the space."""
    return char == " " or unicodedata.category(char)[0] in "LMNPS"


def quote(text: str, *, ascii_only: bool = False) -> str:
    """The text as a Go string literal in double quotes."""
    if _PLAIN.match(text):
        return f'"{text}"'
    return f'"{text.translate(_ASCII_TABLE if ascii_only else _TABLE)}"'


def quote_rune(code: int, *, ascii_only: bool = False) -> str:
    """The character as a Go character constant in single quotes."""
    char = chr(code) if 0 <= code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else "\ufffd"
    return "'" + escape(char, "'", ascii_only=ascii_only) + "'"


def escape(char: str, quotes: str, *, ascii_only: bool = False) -> str:
    """One character as it stands inside a literal."""
    code = ord(char)
    if char == quotes or char == "\\":
        return "\\" + char
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if (code < 0x80 or not ascii_only) and is_print(char):
        return char
    if code in SHORT:
        return "\\" + SHORT[code]
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    if 0xD800 <= code < 0xE000:
        return "\\ufffd"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class _Table(dict[int, str]):
    """How characters stand inside a string literal, filled as they are met."""

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__()
        self._ascii_only = ascii_only

    def __missing__(self, code: int) -> str:
        if len(self) > _REMEMBERED:
            self.clear()
        self[code] = shown = escape(chr(code), '"', ascii_only=self._ascii_only)
        return shown


_TABLE = _Table(ascii_only=False)
_ASCII_TABLE = _Table(ascii_only=True)


def unicode_name(char: str) -> str:
    """The character as the `%#U` verb writes it."""
    name = f"U+{ord(char):04X}"
    return f"{name} '{char}'" if is_print(char) else name


def unquote(literal: str) -> str:
    """The text that a Go string literal stands for; ValueError when it is not one."""
    if literal[0] == "`":
        return literal[1:-1].replace("\r", "")
    inner = literal[1:-1]
    if "\\" not in inner:
        return inner
    parts: list[bytes] = []
    position = 0
    while position < len(inner):
        end = inner.find("\\", position)
        if end != position:
            end = len(inner) if end < 0 else end
            parts.append(inner[position:end].encode("utf-8", "surrogateescape"))
            position = end
            continue
        piece, position = _unescape(inner, position, '"')
        parts.append(piece if isinstance(piece, bytes) else chr(piece).encode())
    return b"".join(parts).decode("utf-8", "surrogateescape")


def unquote_char(literal: str) -> int:
    """The code of a Go character constant; ValueError when it is not one."""
    if literal == "''":
        raise ValueError("invalid syntax")
    piece, end = _unescape(literal, 1, "'")
    if literal[end:] != "'":
        raise ValueError(f"malformed character constant: {literal}")
    return piece[0] if isinstance(piece, bytes) else piece


def _unescape(text: str, position: int, quotes: str) -> tuple[bytes | int, int]:
    """The byte or the code of the character at the position, and where it ends."""
    match = _ESCAPE.match(text, position)
    if match is None:
        raise ValueError("invalid syntax")
    named, byte, octal, short, long, plain = match.groups()
    if plain is not None:
        return ord(plain), match.end()
    if named is not None:
        if named in "'\"" and named != quotes:
            raise ValueError("invalid syntax")
        return ord(_NAMED.get(named, named)), match.end()
    if byte is not None:
        return bytes([int(byte, 16)]), match.end()
    code = int(octal, 8) if octal is not None else int(short or long, 16)
    if octal is not None:
        if code > 255:
            raise ValueError("invalid syntax")
        return bytes([code]), match.end()
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise ValueError("invalid syntax")
    return code, match.end()
