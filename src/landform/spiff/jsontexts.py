"""Text literals in JSON's syntax, with the messages of Go's decoder."""

from __future__ import annotations

import json
import re

_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_ESCAPES = set('"\\/bfnrt')


class JsonTextError(ValueError):
    """A literal is not valid JSON."""


def json_text(written: str) -> str:
    """The text that a literal with its quotes stands for."""
    if "\\" not in written and _PLAIN.fullmatch(written, 1, len(written) - 1):
        return written[1:-1]
    fault = _fault(written)
    if fault:
        raise JsonTextError(fault)
    text: str = json.loads(written)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _fault(written: str) -> str | None:
    position = 1
    while position < len(written):
        char = written[position]
        if char == '"':
            rest = written[position + 1 :].strip(" \t\r\n")
            return f"invalid character {_shown(rest[0])} after top-level value" if rest else None
        if ord(char) < 0x20:
            return f"invalid character {_shown(char)} in string literal"
        if char == "\\":
            position += 1
            escape = written[position : position + 1]
            if escape == "u":
                for digit in written[position + 1 : position + 5]:
                    if digit not in "0123456789abcdefABCDEF":
                        return f"invalid character {_shown(digit)} in \\u hexadecimal character escape"
                position += 4
            elif escape and escape not in _ESCAPES:
                return f"invalid character {_shown(escape)} in string escape code"
        position += 1
    return "unexpected end of JSON input"


def _shown(char: str) -> str:
    special = {"'": r"'\''", '"': "'\"'", "\n": r"'\n'", "\r": r"'\r'", "\t": r"'\t'"}
    if char in special:
        return special[char]
    return f"'{char}'" if char.isprintable() else f"'\\x{ord(char):02x}'"
