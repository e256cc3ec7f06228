"""Reading characters of an expression, and remembering how far reading got.

The grammar is one of ordered choices: the first alternative that fits is taken and never reconsidered. Where an
expression cannot be read, the message names the first rule that reached the furthest position, so every rule of the
grammar that ends successfully is noted with `mark`.
"""

from __future__ import annotations

import re

from landform.spiff.parsing import ParseError

_SPACE = re.compile(r"[ \t\n\r]*")


class Reader:
    """A position in a text; methods named after lexical rules return whether or what they have read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.furthest = (0, 0)

    def mark(self, begin: int) -> None:
        """Notes that a rule has read from `begin` to here."""
        if begin != self.position > self.furthest[1]:
            self.furthest = (begin, self.position)

    def space(self) -> bool:
        """Reads blanks, tabs and line ends; whether there were any."""
        begin = self.position
        match = _SPACE.match(self.text, begin)
        self.position = end = match.end() if match else begin
        if end > begin:
            if end > self.furthest[1]:
                self.furthest = (begin, end)
            return True
        return False

    def take(self, literal: str) -> bool:
        """Reads exactly this text."""
        if self.text.startswith(literal, self.position):
            self.position += len(literal)
            return True
        return False

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Reads what a pattern fits, as a rule of its own."""
        found = pattern.match(self.text, self.position)
        if found is None:
            return None
        begin = self.position
        self.position = found.end()
        self.mark(begin)
        return found[0]

    def fault(self, reason: str = "", span: tuple[int, int] | None = None) -> ParseError:
        """The error for a text that cannot be read further."""
        begin, end = span or self.furthest
        first_line, first_symbol = self._place(begin)
        last_line, last_symbol = self._place(end)
        if "\n" in self.text:
            where = f"line {first_line} symbol {first_symbol} - line {last_line} symbol {last_symbol}"
        else:
            where = f"symbol {first_symbol} - symbol {last_symbol}"
        message = f"parse error near {where}: '{self.text[begin:end]}'"
        return ParseError(f"{message}: {reason}" if reason else message)

    def _place(self, position: int) -> tuple[int, int]:
        """Line and symbol of a position, counted as the original does."""
        until = self.text[: position + 1]
        return until.count("\n") + 1, position - until.rfind("\n")
