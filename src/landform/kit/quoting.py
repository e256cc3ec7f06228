"""Go's way to quote text and to read whole numbers, for errors that must read as Go writes them."""

from __future__ import annotations

import re

INT64_MIN = -(1 << 63)
INT64_MAX = (1 << 63) - 1

_SHORT = {
    "\a": r"\a",
    "\b": r"\b",
    "\f": r"\f",
    "\n": r"\n",
    "\r": r"\r",
    "\t": r"\t",
    "\v": r"\v",
    "\\": r"\\",
    '"': r"\"",
}
_INTEGER = re.compile(r"([+-]?)0*([0-9]*)\Z")
_LONGEST_INT64 = 19


def quote(text: str) -> str:
    """The text as a Go string literal in double quotes, as `strconv.Quote` writes it."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(char: str) -> str:
    short = _SHORT.get(char)
    if short is not None:
        return short
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    if 0xD800 <= code < 0xE000:  # half a surrogate pair: Go sees bytes that are not UTF-8
        return r"\ufffd"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def atoi(text: str) -> int:
    """The whole number that the text writes in decimal, as `strconv.Atoi` reads it; ValueError in its words.

    Only ASCII digits after an optional sign, and only what fits into 64 bits; in linear time however long the text is.
    """
    match = _INTEGER.match(text)
    if match is None or not (match[2] or text.endswith("0")):
        raise ValueError(f"strconv.Atoi: parsing {quote(text)}: invalid syntax")
    sign, digits = match[1], match[2] or "0"
    if len(digits) <= _LONGEST_INT64:
        number = int(sign + digits)
        if INT64_MIN <= number <= INT64_MAX:
            return number
    raise ValueError(f"strconv.Atoi: parsing {quote(text)}: value out of range")
