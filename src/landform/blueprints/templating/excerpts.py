"""Excerpts: the lines around a place in a text, with the place marked, and the list item that they belong to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

AROUND = 5
"""How many lines are shown before and after the place."""

_WIDEST = 160
"""Most characters that are shown of a line."""

_ITEM = re.compile(r"^(?P<indent>\s*)-\s+name\s*:\s*(?P<name>\S.*)")


@dataclass(frozen=True)
class Place:
    """A place in a text."""

    line: int
    """Its line, counted from 1."""
    column: int | None = None
    """Its column, counted from 1; None if only the line is known."""

    def __str__(self) -> str:
        return f"line {self.line}" + (f", column {self.column}" if self.column is not None else "")


def place_of(text: str, offset: int) -> Place:
    """The place of the character at an offset."""
    before = text[:offset]
    return Place(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


def excerpt(
    text: str,
    place: Place,
    *,
    column: int | None = None,
    before: int = 0,
    as_shown: Callable[[str], str] = str,
) -> str:
    """The lines around a place, numbered, its own marked; `column` is where a caret points to, if anywhere.

    `before` lines stand before the text in its file, so the numbers begin after them. `as_shown` says what may be seen
    of a line, before long ones are cut.
    """
    lines = text.splitlines() or [""]
    at = min(max(place.line, 1), len(lines))
    first, last = max(1, at - AROUND), min(len(lines), at + AROUND)
    width = len(str(last + before))
    shown: list[str] = []
    for number in range(first, last + 1):
        start = _cut(column) if number == at else 0
        head = f"{'>' if number == at else ' '} {number + before:>{width}} |"
        shown.append(f"{head} {_shortened(as_shown(lines[number - 1]), start)}".rstrip())
        if number == at and column is not None:
            indent = column - 1 - start + (1 if start else 0)
            shown.append(f"  {'':>{width}} | {' ' * indent}^")
    return "\n".join(shown)


def item_name(text: str, line: int) -> str | None:
    """The name in the nearest `- name:` at or above a line; None if there is none."""
    lines = text.splitlines()
    for candidate in reversed(lines[: min(line, len(lines))]):
        match = _ITEM.match(candidate)
        if match:
            return match["name"].rstrip().strip("\"'")
    return None


def _cut(column: int | None) -> int:
    """How many characters are left out at the start of a line, so that the column can be seen."""
    return 0 if column is None or column <= _WIDEST else column - _WIDEST // 2


def _shortened(line: str, start: int) -> str:
    part = line[start : start + _WIDEST]
    return ("…" if start else "") + part + ("…" if start + _WIDEST < len(line) else "")
