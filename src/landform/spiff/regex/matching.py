"""Matching: a pattern as a small program, run over a text without ever trying the same thing twice."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from landform.spiff.regex import syntax
from landform.spiff.regex.syntax import Assertion, Chars, Choice, Group, RegexError, Repeat, Sequence, Tree

MOST_INSTRUCTIONS = 10_000
MOST_WORK = 400_000
"""Steps of one search: less than half a second."""

_CHARS, _SPLIT, _JUMP, _SAVE, _ASSERT, _MATCH = range(6)


class TooMuchWork(Exception):
    """A search takes longer than it may."""


class Regex:
    """A pattern that is ready to match."""

    def __init__(self, pattern: str) -> None:
        parsed = syntax.parse(pattern)
        self.pattern = pattern
        self.groups = parsed.groups
        self.names = parsed.names
        self._code: list[tuple[int, Any, Any]] = []
        self._emit(parsed.tree)
        self._add(_MATCH)

    def search(self, text: str, start: int = 0) -> list[int] | None:
        """The leftmost match from a position on: begin and end of the whole and of every group (-1: not matched)."""
        seen: set[int] = set()
        for begin in range(start, len(text) + 1):
            found = self._match_at(text, begin, seen)
            if found is not None:
                return found
        return None

    def find_all(self, text: str, limit: int = -1) -> list[list[int]]:
        """All matches that do not overlap, at most so many; an empty match right behind another does not count."""
        found: list[list[int]] = []
        position, previous = 0, -1
        while position <= len(text) and (limit < 0 or len(found) < limit):
            match = self.search(text, position)
            if match is None:
                break
            if match[1] > match[0] or match[0] != previous:
                found.append(match)
            previous = match[1]
            position = match[1] + (match[1] == match[0])
        return found

    def _add(self, operation: int, first: Any = None, second: Any = None) -> int:
        if len(self._code) >= MOST_INSTRUCTIONS:
            raise RegexError("expression too large", self.pattern)
        self._code.append((operation, first, second))
        return len(self._code) - 1

    def _emit(self, tree: Tree) -> None:
        if isinstance(tree, Chars):
            self._add(_CHARS, tree.matches)
        elif isinstance(tree, Assertion):
            self._add(_ASSERT, tree.kind)
        elif isinstance(tree, Sequence):
            for part in tree.parts:
                self._emit(part)
        elif isinstance(tree, Group):
            self._add(_SAVE, 2 * tree.number)
            self._emit(tree.inner)
            self._add(_SAVE, 2 * tree.number + 1)
        elif isinstance(tree, Choice):
            self._emit_choice(tree)
        else:
            self._emit_repeat(tree)

    def _emit_choice(self, tree: Choice) -> None:
        jumps = []
        for option in tree.options[:-1]:
            split = self._add(_SPLIT)
            self._emit(option)
            jumps.append(self._add(_JUMP))
            self._code[split] = (_SPLIT, split + 1, len(self._code))
        self._emit(tree.options[-1])
        for jump in jumps:
            self._code[jump] = (_JUMP, len(self._code), None)

    def _emit_repeat(self, tree: Repeat) -> None:
        for _ in range(tree.least):
            self._emit(tree.inner)
        if tree.most is None:
            split = self._add(_SPLIT)
            self._emit(tree.inner)
            self._add(_JUMP, split)
            self._branch(split, tree.greedy)
            return
        splits = []
        for _ in range(tree.most - tree.least):
            splits.append(self._add(_SPLIT))
            self._emit(tree.inner)
        for split in splits:
            self._branch(split, tree.greedy)

    def _branch(self, split: int, greedy: bool) -> None:
        inner, behind = split + 1, len(self._code)
        self._code[split] = (_SPLIT, inner, behind) if greedy else (_SPLIT, behind, inner)

    def _match_at(self, text: str, begin: int, seen: set[int]) -> list[int] | None:
        """The match that begins here; `seen` are the places where the rest of the program is known to fail."""
        code, size = self._code, len(text) + 1
        slots = [-1] * (2 * self.groups + 2)
        stack: list[tuple[int, int, int, int]] = [(0, begin, -1, 0)]
        while stack:
            at, position, slot, old = stack.pop()
            if slot >= 0:
                slots[slot] = old
                continue
            while True:
                key = at * size + position
                if key in seen:
                    break
                seen.add(key)
                if len(seen) > MOST_WORK:
                    raise TooMuchWork
                operation, first, second = code[at]
                if operation == _CHARS:
                    if position + 1 >= size or text[position] not in first:
                        break
                    at, position = at + 1, position + 1
                elif operation == _SPLIT:
                    stack.append((second, position, -1, 0))
                    at = first
                elif operation == _JUMP:
                    at = first
                elif operation == _SAVE:
                    stack.append((0, 0, first, slots[first]))
                    slots[first] = position
                    at += 1
                elif operation == _ASSERT:
                    if not _holds(first, text, position):
                        break
                    at += 1
                else:
                    slots[0], slots[1] = begin, position
                    return slots
        return None


def _holds(kind: str, text: str, position: int) -> bool:
    if kind == "start":
        return position == 0
    if kind == "end":
        return position == len(text)
    if kind == "line-start":
        return position == 0 or text[position - 1] == "\n"
    if kind == "line-end":
        return position == len(text) or text[position] == "\n"
    before = position > 0 and _is_word(text[position - 1])
    behind = position < len(text) and _is_word(text[position])
    return (before != behind) == (kind == "word")


def _is_word(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())


@lru_cache(maxsize=64)
def compiled(pattern: str) -> Regex:
    """A pattern that is ready to match; raises RegexError."""
    return Regex(pattern)
