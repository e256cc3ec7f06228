"""Compiled patterns and what can be done with them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from landform.kit.regex.automata import Automaton, Slots, Spend, freely
from landform.kit.regex.syntax import parse
from landform.kit.regex.translation import most_characters, translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Expression:
    """A pattern; places in texts count characters."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        parsed = parse(pattern)
        self._names = parsed.names
        self._limit = most_characters(parsed)
        self._python = translated(parsed) if self._limit else None
        self._automaton = Automaton(parsed)

    def search(self, text: str, start: int = 0, *, groups: bool = False, spend: Spend = freely) -> Slots | None:
        """The leftmost match from a place on: where it, and if asked for its groups, begin and end, or None."""
        if self._python is None or len(text) > self._limit:
            return self._automaton.search(text, start, groups=groups, spend=spend)
        match = self._python.search(text, start)
        if match is None:
            return None
        return tuple(place for span in match.regs for place in span)

    def matches(self, text: str, limit: int = -1, *, groups: bool = False, spend: Spend = freely) -> Iterator[Slots]:
        """All matches that do not overlap; a negative limit is none."""
        position, previous_end, count = 0, -1, 0
        while position <= len(text) and (limit < 0 or count < limit):
            spend(1)
            found = self.search(text, position, groups=groups, spend=spend)
            if found is None:
                return
            accept = True
            if found[1] == position:
                accept = found[0] != previous_end
                position += 1
            else:
                position = found[1]
            previous_end = found[1]
            if accept:
                count += 1
                yield found

    def replace(self, text: str, replacement: Callable[[Slots], str], *, spend: Spend = freely) -> str:
        """The text with each match replaced."""
        parts: list[str] = []
        last_end = position = 0
        while position <= len(text):
            spend(1)
            found = self.search(text, position, groups=True, spend=spend)
            if found is None:
                break
            parts.append(text[last_end : found[0]])
            if found[1] > last_end or found[0] == 0:
                parts.append(replacement(found))
            last_end = found[1]
            position = max(position + 1, found[1])
        return "".join(parts) + text[last_end:]

    def expand(self, template: str, text: str, found: Slots) -> str:
        """The template with $1, ${name} and the like filled in."""
        parts: list[str] = []
        while True:
            before, dollar, template = template.partition("$")
            parts.append(before)
            if not dollar:
                return "".join(parts)
            if template.startswith("$"):
                parts.append("$")
                template = template[1:]
                continue
            name, rest = _reference(template)
            if not name:
                parts.append("$")
                continue
            template = rest
            for number in self._numbers(name):
                if 2 * number + 1 < len(found) and found[2 * number] >= 0:
                    parts.append(text[found[2 * number] : found[2 * number + 1]])
                    break

    def _numbers(self, name: str) -> list[int]:
        """The groups that a name or a number stands for."""
        if name.isascii() and name.isdigit() and (name == "0" or name[0] != "0"):
            return [int(name)] if len(name) < 9 else []
        return [number for number, known in enumerate(self._names) if known == name]

    def split(self, text: str, limit: int, *, spend: Spend = freely) -> list[str] | None:
        """The pieces between matches; None for a limit of zero."""
        if limit == 0:
            return None
        if self.pattern and not text:
            return [""]
        pieces: list[str] = []
        start = end = 0
        for found in self.matches(text, limit, spend=spend):
            if 0 < limit <= len(pieces) + 1:
                break
            end = found[0]
            if found[1] != 0:
                pieces.append(text[start:end])
            start = found[1]
        if end != len(text):
            pieces.append(text[start:])
        return pieces


def _reference(template: str) -> tuple[str, str]:
    """The name that follows a dollar sign, and the rest; no name when it is malformed."""
    braced = template.startswith("{")
    start = end = int(braced)
    while end < len(template) and _is_of_a_name(template[end]):
        end += 1
    name = template[start:end]
    if braced and name:
        return (name, template[end + 1 :]) if template.startswith("}", end) else ("", template)
    return name, template[end:]


def _is_of_a_name(char: str) -> bool:
    return char == "_" or char.isalpha() or char.isdecimal()


@lru_cache(maxsize=256)
def compile_expression(pattern: str) -> Expression:
    """The compiled pattern; RegexError in Go's words."""
    return Expression(pattern)
