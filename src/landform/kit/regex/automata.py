"""An automaton that runs all ways through a pattern at once, in linear time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING

from landform.kit.regex.errors import RegexError
from landform.kit.regex.syntax import Assertion, Chars, Choice, Group, Pattern, Repeat, Sequence, Tree

if TYPE_CHECKING:
    from landform.kit.regex.classes import Ranges

CHAR, SPLIT, JUMP, SAVE, ASSERT, MATCH = range(6)
_LARGEST = 100_000  # instructions
_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_STRIDE = 64  # steps between two payments

Slots = tuple[int, ...]
"""Where a match and its groups begin and end; -1 where a group took no part."""

Spend = Callable[[int], None]
"""Told now and then how many steps a search has taken since the last time; stops it by raising."""


def freely(steps: int) -> None:
    """For patterns and texts of our own."""


class CharSet:
    """A set of characters that remembers what it was asked."""

    __slots__ = ("_bounds", "_known")

    def __init__(self, ranges: Ranges) -> None:
        self._bounds = [bound for low, high in ranges for bound in (low, high + 1)]
        self._known: dict[str, bool] = {}

    def __contains__(self, char: object) -> bool:
        assert isinstance(char, str)
        known = self._known.get(char)
        if known is None:
            known = self._known[char] = bisect_right(self._bounds, ord(char)) % 2 == 1
            if len(self._known) > 4096:
                self._known.clear()
        return known


class Automaton:
    """The instructions of a pattern."""

    def __init__(self, pattern: Pattern) -> None:
        self._code: list[list[int]] = []
        self._sets: list[CharSet] = []
        self._assertions: list[str] = []
        self._slots = 2 * len(pattern.names)
        self._emit(SAVE, 0)
        self._compile(pattern.tree)
        self._emit(SAVE, 1)
        self._emit(MATCH)

    def _emit(self, kind: int, first: int = 0, second: int = 0) -> int:
        if len(self._code) >= _LARGEST:
            raise RegexError("expression too large")
        self._code.append([kind, first, second])
        return len(self._code) - 1

    def _compile(self, tree: Tree) -> None:
        if isinstance(tree, Chars):
            self._sets.append(CharSet(tree.ranges))
            self._emit(CHAR, len(self._sets) - 1)
        elif isinstance(tree, Assertion):
            self._assertions.append(tree.kind)
            self._emit(ASSERT, len(self._assertions) - 1)
        elif isinstance(tree, Sequence):
            for item in tree.items:
                self._compile(item)
        elif isinstance(tree, Choice):
            self._choice(tree.items)
        elif isinstance(tree, Group):
            self._emit(SAVE, 2 * tree.number)
            self._compile(tree.item)
            self._emit(SAVE, 2 * tree.number + 1)
        elif isinstance(tree, Repeat):
            self._repeat(tree)

    def _choice(self, items: list[Tree]) -> None:
        ends = []
        for item in items[:-1]:
            split = self._emit(SPLIT, len(self._code) + 1)
            self._compile(item)
            ends.append(self._emit(JUMP))
            self._code[split][2] = len(self._code)
        self._compile(items[-1])
        for end in ends:
            self._code[end][1] = len(self._code)

    def _repeat(self, repeat: Repeat) -> None:
        item, least, most, greedy = repeat.item, repeat.least, repeat.most, repeat.greedy
        if most < 0:
            if least == 0:
                # What may be empty must not end its loop early, so x* becomes (x+)?.
                self._optional(lambda: self._loop(item, greedy), greedy)
                return
            for _ in range(least - 1):
                self._compile(item)
            self._loop(item, greedy)
            return
        for _ in range(least):
            self._compile(item)
        self._optionals(item, most - least, greedy)

    def _loop(self, item: Tree, greedy: bool) -> None:
        start = len(self._code)
        self._compile(item)
        end = len(self._code) + 1
        self._emit(SPLIT, *((start, end) if greedy else (end, start)))

    def _optional(self, body: Callable[[], None], greedy: bool) -> None:
        split = self._emit(SPLIT)
        body()
        inside, after = split + 1, len(self._code)
        self._code[split][1:] = [inside, after] if greedy else [after, inside]

    def _optionals(self, item: Tree, count: int, greedy: bool) -> None:
        """x? nested count times: each only after the one before."""
        splits = []
        for _ in range(count):
            splits.append(self._emit(SPLIT))
            self._compile(item)
        after = len(self._code)
        for split in splits:
            self._code[split][1:] = [split + 1, after] if greedy else [after, split + 1]

    def search(self, text: str, start: int, *, groups: bool = True, spend: Spend = freely) -> Slots | None:
        """The places of the leftmost match from a place on, and of its groups; without them it takes less memory."""
        slots = self._slots if groups else 2
        return _Run(self._code, self._sets, self._assertions, slots, text, spend).search(start)


class _Run:
    """One search through one text."""

    def __init__(
        self, code: list[list[int]], sets: list[CharSet], assertions: list[str], slots: int, text: str, spend: Spend
    ) -> None:
        self._code = code
        self._sets = sets
        self._assertions = assertions
        self._empty = (-1,) * slots
        self._text = text
        self._spend = spend

    def search(self, start: int) -> Slots | None:
        text, code, sets = self._text, self._code, self._sets
        threads: list[tuple[int, Slots]] = []
        found: Slots | None = None
        position = start
        work = 0
        while True:
            if found is None:
                self._follow(threads, {place for place, _ in threads}, 0, self._empty, position)
            if not threads and found is not None:
                break
            char = text[position] if position < len(text) else ""
            following: list[tuple[int, Slots]] = []
            seen: set[int] = set()
            for place, slots in threads:
                kind, argument, _ = code[place]
                if kind == MATCH:
                    found = slots
                    break  # all threads after this one come later in the order of preference
                if char and char in sets[argument]:
                    self._follow(following, seen, place + 1, slots, position + 1)
            work += len(threads) + 1
            if work > _STRIDE:
                self._spend(work // 16)
                work %= _STRIDE
            threads = following
            if not char:
                break
            position += 1
        return found

    def _follow(
        self, threads: list[tuple[int, Slots]], seen: set[int], place: int, slots: Slots, position: int
    ) -> None:
        """Adds the threads that a place leads to without reading a character, in the order of preference."""
        code = self._code
        stack = [(place, slots)]
        while stack:
            place, slots = stack.pop()
            if place in seen:
                continue
            seen.add(place)
            kind, first, second = code[place]
            if kind == JUMP:
                stack.append((first, slots))
            elif kind == SPLIT:
                stack.append((second, slots))
                stack.append((first, slots))
            elif kind == SAVE:
                kept = (*slots[:first], position, *slots[first + 1 :]) if first < len(slots) else slots
                stack.append((place + 1, kept))
            elif kind == ASSERT:
                if self._holds(self._assertions[first], position):
                    stack.append((place + 1, slots))
            else:
                threads.append((place, slots))

    def _holds(self, kind: str, position: int) -> bool:
        text = self._text
        if kind == "text start":
            return position == 0
        if kind == "text end":
            return position == len(text)
        if kind == "line start":
            return position == 0 or text[position - 1] == "\n"
        if kind == "line end":
            return position == len(text) or text[position] == "\n"
        before = position > 0 and text[position - 1] in _WORD
        after = position < len(text) and text[position] in _WORD
        return (before != after) == (kind == "boundary")
