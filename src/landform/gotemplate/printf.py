"""Format strings: which verb gets which argument, as Go's Sprintf decides."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from landform.gotemplate import budgets
from landform.gotemplate.formatting import Flags, Printer, text_of
from landform.gotemplate.values import type_name

_LARGEST = 1_000_000
_SIMPLE = re.compile(r"%([sdv%])|([^%]+)|(%)")


@lru_cache(maxsize=512)
def _simple(format_text: str) -> tuple[list[str], str] | None:
    """The literal texts and the verbs of a format of only %s, %d and %v; None for other formats."""
    texts, verbs = [""], ""
    for verb, literal, other in _SIMPLE.findall(format_text):
        if other:
            return None
        if verb and verb != "%":
            verbs += verb
            texts.append("")
        else:
            texts[-1] += literal or "%"
    return texts, verbs


def sprintf(format_text: str, values: tuple[Any, ...]) -> str:
    """The values in the places that the format gives them."""
    simple = _simple(format_text)
    if simple is None or len(simple[1]) != len(values):
        return Formatter(format_text, values).run()
    texts, verbs = simple
    budgets.current().size(sum(len(value) for value in values if isinstance(value, str)))
    parts = [texts[0]]
    for index, verb in enumerate(verbs):
        value = values[index]
        kind = type(value)
        if kind is str and verb != "d":
            parts.append(value)
        elif kind is int and verb != "s":
            parts.append(repr(value))
        else:
            parts.append(Printer(Flags()).argument(value, verb))
        parts.append(texts[index + 1])
    return "".join(parts)


class Formatter:
    """One run over one format string."""

    def __init__(self, format_text: str, values: tuple[Any, ...]) -> None:
        self._format = format_text
        self._values = values
        self._position = 0
        self._argument = 0
        self._reordered = False
        self._good = True
        self._after_index = False
        self._parts: list[str] = []
        self._size = 0

    def run(self) -> str:
        """The formatted text."""
        text, end = self._format, len(self._format)
        while self._position < end:
            found = text.find("%", self._position)
            found = end if found < 0 else found
            self._write(text[self._position : found])
            self._position = found
            if found < end:
                self._position += 1
                self._verb()
        if not self._reordered and self._argument < len(self._values):
            self._extra()
        return "".join(self._parts)

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._size += len(text)
        budgets.current().size(self._size)

    def _here(self) -> str:
        return self._format[self._position : self._position + 1]

    def _verb(self) -> None:
        self._good = True
        flags = Flags()
        while self._here() and self._here() in "#0+- ":
            name = {"#": "sharp", "0": "zero", "+": "plus", "-": "minus", " ": "space"}[self._here()]
            setattr(flags, name, True)
            self._position += 1
        if "a" <= self._here() <= "z" and self._argument < len(self._values):
            self._print(flags)
            return
        self._after_index = False
        self._index()
        self._width(flags)
        if self._here() == "." and self._position + 1 < len(self._format):
            self._precision(flags)
        if not self._after_index:
            self._index()
        if not self._here():
            self._write("%!(NOVERB)")
            return
        self._print(flags)

    def _print(self, flags: Flags) -> None:
        verb = self._here()
        self._position += 1
        if verb == "%":
            self._write("%")
        elif not self._good:
            self._write(f"%!{verb}(BADINDEX)")
        elif self._argument >= len(self._values):
            self._write(f"%!{verb}(MISSING)")
        else:
            if verb in "vw":
                flags.for_v()
            self._write(Printer(flags).argument(self._values[self._argument], verb))
            self._argument += 1

    def _index(self) -> None:
        """An explicit index such as [2]."""
        self._after_index = False
        if self._here() != "[":
            return
        self._reordered = True
        rest = self._format[self._position :]
        close = rest.find("]")
        if len(rest) < 3 or close < 0:
            self._good = False
            self._position += 1
            return
        self._position += close + 1
        number = _number(rest[1:close])
        self._after_index = number is not None
        if number is not None and 1 <= number <= len(self._values):
            self._argument = number - 1
        else:
            self._good = False

    def _width(self, flags: Flags) -> None:
        if self._here() == "*":
            self._position += 1
            flags.width = self._from_argument()
            if flags.width is None:
                self._write("%!(BADWIDTH)")
            elif flags.width < 0:
                flags.width, flags.minus, flags.zero = -flags.width, True, False
            self._after_index = False
            return
        flags.width = self._parsed()
        if self._after_index and flags.width is not None:
            self._good = False

    def _precision(self, flags: Flags) -> None:
        self._position += 1
        if self._after_index:
            self._good = False
        self._index()
        if self._here() == "*":
            self._position += 1
            flags.precision = self._from_argument()
            if flags.precision is not None and flags.precision < 0:
                flags.precision = None
            if flags.precision is None:
                self._write("%!(BADPREC)")
            self._after_index = False
            return
        flags.precision = self._parsed() or 0

    def _from_argument(self) -> int | None:
        if self._argument >= len(self._values):
            return None
        value = self._values[self._argument]
        self._argument += 1
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _LARGEST:
            return None
        return int(value)

    def _parsed(self) -> int | None:
        """The digits in hand; a number that is far too large swallows the rest of the format."""
        start, end = self._position, self._position
        while end < len(self._format) and "0" <= self._format[end] <= "9":
            if end > start and int(self._format[start:end]) > _LARGEST:
                self._position = len(self._format)
                return None
            end += 1
        self._position = end
        return int(self._format[start:end]) if end > start else None

    def _extra(self) -> None:
        extra = [
            "<nil>" if value is None else f"{type_name(value)}={text_of(value)}"
            for value in self._values[self._argument :]
        ]
        self._write(f"%!(EXTRA {', '.join(extra)})")


def _number(digits: str) -> int | None:
    if not digits or len(digits) > 8 or not digits.isascii() or not digits.isdigit() or int(digits) > 10 * _LARGEST:
        return None
    return int(digits)
