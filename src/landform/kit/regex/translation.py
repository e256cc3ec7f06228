"""Patterns for Python's own engine, where they are simple enough to be fast there."""

from __future__ import annotations

import re

from landform.kit.regex.syntax import Assertion, Chars, Choice, Group, Pattern, Repeat, Sequence, Tree

_ASSERTIONS = {
    "text start": r"\A",
    "text end": r"\Z",
    "line start": "(?m:^)",
    "line end": "(?m:$)",
    "boundary": r"(?a:\b)",
    "no boundary": r"(?a:\B)",
}
_WORK = 20_000_000  # steps of Python's engine that are still quick
_CHOICES = 64  # ways to try that do not depend on the text
_LARGEST_COUNT = 50


def translated(pattern: Pattern) -> re.Pattern[str]:
    """The pattern for Python's engine; equal in what it matches."""
    return re.compile(_source(pattern.tree))


def most_characters(pattern: Pattern) -> int:
    """The length of text up to which Python's engine is quick whatever the text is; zero means never."""
    cost = _Cost()
    cost.add(pattern.tree)
    if not cost.simple or cost.choices > _CHOICES:
        return 0
    # A search tries each place, and each open repetition each length, so the work is a power of the length.
    return int((_WORK / cost.choices) ** (1 / (1 + cost.open)))


class _Cost:
    """How much a pattern may go back and forth."""

    def __init__(self) -> None:
        self.simple = True
        self.open = 0
        self.choices = 1

    def add(self, tree: Tree) -> None:
        """Counts what a piece adds."""
        if isinstance(tree, Group):
            self.add(tree.item)
        elif isinstance(tree, Sequence):
            for item in tree.items:
                self.add(item)
        elif isinstance(tree, Choice):
            self.choices *= len(tree.items)
            for item in tree.items:
                self.add(item)
        elif isinstance(tree, Repeat):
            self._repeat(tree)

    def _repeat(self, repeat: Repeat) -> None:
        if repeat.most < 0 and isinstance(repeat.item, Chars):
            self.open += 1
            self.simple = self.simple and repeat.least <= _LARGEST_COUNT
        elif repeat.most < 0 or repeat.most > _LARGEST_COUNT:
            self.simple = False
        elif isinstance(repeat.item, Chars):
            self.choices *= repeat.most - repeat.least + 1
        elif repeat.most == 1 and _never_empty(repeat.item):
            self.choices *= 2
            self.add(repeat.item)
        else:
            self.simple = False


def _never_empty(tree: Tree) -> bool:
    if isinstance(tree, Chars):
        return True
    if isinstance(tree, Group):
        return _never_empty(tree.item)
    if isinstance(tree, Sequence):
        return any(_never_empty(item) for item in tree.items)
    if isinstance(tree, Choice):
        return all(_never_empty(item) for item in tree.items)
    return isinstance(tree, Repeat) and tree.least > 0 and _never_empty(tree.item)


def _source(tree: Tree) -> str:
    if isinstance(tree, Chars):
        return class_source(tree.ranges)
    if isinstance(tree, Assertion):
        return _ASSERTIONS[tree.kind]
    if isinstance(tree, Sequence):
        return "".join(map(_source, tree.items))
    if isinstance(tree, Choice):
        return "(?:" + "|".join(map(_source, tree.items)) + ")"
    if isinstance(tree, Group):
        return f"({_source(tree.item)})"
    assert isinstance(tree, Repeat)
    most = "" if tree.most < 0 else str(tree.most)
    return f"(?:{_source(tree.item)}){{{tree.least},{most}}}" + ("" if tree.greedy else "?")


def class_source(ranges: tuple[tuple[int, int], ...]) -> str:
    """A set of characters as a class of Python's syntax."""
    if not ranges:
        return "(?!)"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return re.escape(chr(ranges[0][0]))
    return "[" + "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges) + "]"
