"""The steps of a compiled path. Each takes the values found so far and returns the next ones.

A step that fails raises `Mismatch` with the values that the original returns beside its error.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

from landform.kit.jsonpath.budgets import Budget
from landform.kit.jsonpath.errors import EvaluationError, Mismatch
from landform.kit.jsonpath.printing import verb_v
from landform.kit.jsonpath.values import COMPARISONS, LISTS, NOTHING, Byte, Incomparable, Literal, type_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

EXISTS = "exists"
"""The operator of a filter without comparison."""


@dataclass(slots=True, kw_only=True)
class Run(Budget):
    """The state of one evaluation: the counters by which `{range}` and `{end}` find each other, and the budget."""

    allow_missing: bool
    begin_range: int = 0
    """Ranges that were announced but not entered yet."""
    in_range: int = 0
    """Ranges that we are inside of."""
    end_range: int = 0
    """Ends that were met but not acted upon yet."""
    last_end: int = -1
    """Position of the last end that closed a range."""


class Node(Protocol):
    """One step of a path."""

    def walk(self, values: list[Any], run: Run) -> list[Any]:
        """The values that this step finds, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Steps:
    """Steps one after the other: what stands between braces, or one side of a comparison."""

    nodes: tuple[Node, ...] = ()

    def walk(self, values: list[Any], run: Run) -> list[Any]:
        for node in self.nodes:
            values = node.walk(values, run)
            run.left -= len(values) + 1  # not `spend`: this is the innermost loop of every path
            if run.left < 0:
                run.stop()
        return values


@dataclass(frozen=True, slots=True)
class Text:
    """Text between actions, or a quoted text inside of one."""

    text: str

    def walk(self, values: list[Any], run: Run) -> list[Any]:
        return [self.text]


@dataclass(frozen=True, slots=True)
class Constant:
    """A number or a truth value, once for each value found so far."""

    value: Literal | float | bool

    def walk(self, values: list[Any], run: Run) -> list[Any]:
        return [self.value] * len(values)


@dataclass(frozen=True, slots=True)
class Identifier:
    """A word: `range` and `end` have a meaning, all others are errors."""

    name: str

    def walk(self, values: list[Any], run: Run) -> list[Any]:
        if self.name == "range":
            run.begin_range += 1
            return values
        if self.name != "end":
            raise Mismatch(f"unrecognized identifier {self.name}", values)
        if run.in_range == 0:
            raise Mismatch("not in range, nothing to end", [])
        run.end_range += 1
        return []


@dataclass(frozen=True, slots=True)
class Field:
    """One key of each map. It is missing only if none of the maps has it."""

    name: str

    def walk(self, values: list[Any], run: Run) -> list[Any]:
        name = self.name
        results = [value[name] for value in values if isinstance(value, dict) and name in value]
        if not results and values and not run.allow_missing:
            raise Mismatch(f"{name} is not found", results)
        return results


@dataclass(frozen=True, slots=True)
class Fields:
    """Several keys, one inside of the other. The same as that many `Field`s, in one go where all keys are there."""

    names: tuple[str, ...]

    def walk(self, values: list[Any], run: Run) -> list[Any]:
        if len(values) == 1:
            value = values[0]
            for name in self.names:
                if not isinstance(value, dict) or name not in value:
                    break
                value = value[name]
            else:
                return [value]
        for name in self.names:
            values = Field(name).walk(values, run)
            run.spend(len(values) + 1)
        return values


def fused(nodes: Iterable[Node]) -> Steps:
    """The nodes as steps, with neighbouring fields as one: nearly every path begins with a row of them."""
    fused_nodes: list[Node] = []
    for is_field, group in groupby(nodes, lambda node: isinstance(node, Field)):
        members = list(group)
        if is_field and len(members) > 1:
            fused_nodes.append(Fields(tuple(node.name for node in members if isinstance(node, Field))))
        else:
            fused_nodes.extend(members)
    return Steps(tuple(fused_nodes))


@dataclass(frozen=True, slots=True)
class Wildcard:
    """All contents of each value."""

    def walk(self, values: list[Any], run: Run) -> list[Any]:
        results: list[Any] = []
        for value in values:
            results.extend(_children(value, run))
        return results


@dataclass(frozen=True, slots=True)
class Recursive:
    """Each value that has contents, and all such values below it, parents before children."""

    def walk(self, values: list[Any], run: Run) -> list[Any]:
        results: list[Any] = []
        # A stack and not recursion, for data may be nested deeper than Python's own calls.
        stack = values[::-1]
        while stack:
            value = stack.pop()
            if isinstance(value, str):
                if value:
                    results.append(value)  # without its bytes: they have no contents
            elif children := _children(value, run):
                results.append(value)
                stack.extend(children[::-1])
        return results


def _children(value: Any, run: Run) -> Sequence[Any]:
    """The contents of a map in the order of its keys, of a list, or the bytes of a text.

    Go visits maps in random order; sorted keys are one of its possible answers, and always the same one.
    """
    if isinstance(value, dict):
        run.spend(len(value))
        return [value[name] for name in sorted(value)]
    if isinstance(value, LISTS):
        run.spend(len(value))
        return value
    if isinstance(value, str):
        run.spend(len(value))
        return [Byte(byte) for byte in value.encode("utf-8", "surrogatepass")]
    return ()


@dataclass(frozen=True, slots=True)
class Slice:
    """An index or a range of each list: `[2]`, `[-1]`, `[1:3]`, `[::2]`."""

    start: int | None
    end: int | None
    step: int | None
    is_index: bool
    """Whether only a start was written, so that the end is the element behind it."""

    def walk(self, values: list[Any], run: Run) -> list[Any]:
        if self.is_index and self.step is None and len(values) == 1:
            value, index = values[0], self.start or 0
            if isinstance(value, LISTS) and -len(value) <= index < len(value):
                return [value[index]]
        results: list[Any] = []
        for value in values:
            if value is None:
                continue
            if not isinstance(value, LISTS):
                raise Mismatch(f"{type_name(value)} is not array or slice", values)
            start, end = self._bounds(len(value))
            if start == end:
                # The original stops here and does not look at the remaining lists.
                return results
            self._check(start, end, len(value), values)
            results.extend(value[start : end : self.step or 1])
            run.spend(1)
        return results

    def _bounds(self, length: int) -> tuple[int, int]:
        start = self.start or 0
        end = length if self.end is None else self.end
        if end < 0 or (end == 0 and self.is_index):
            end += length
        return start + length if start < 0 else start, end

    def _check(self, start: int, end: int, length: int, values: list[Any]) -> None:
        if not 0 <= start < length:
            raise Mismatch(f"array index out of bounds: index {start}, length {length}", values)
        if not 0 <= end <= length:
            raise Mismatch(f"array index out of bounds: index {end - 1}, length {length}", values)
        if start > end:
            raise Mismatch(f"starting index {start} is greater than ending index {end}", values)
        if self.step is not None and self.step <= 0:
            raise Mismatch("step must be > 0", values)


@dataclass(frozen=True, slots=True)
class Union:
    """Several selections from the same values, one after the other."""

    members: tuple[Steps, ...]

    def walk(self, values: list[Any], run: Run) -> list[Any]:
        results: list[Any] = []
        for member in self.members:
            try:
                results.extend(member.walk(values, run))
            except Mismatch as error:
                raise Mismatch(str(error), values) from error
        return results


@dataclass(frozen=True, slots=True)
class Filter:
    """The elements of each list for which a comparison holds, or for which a path finds something."""

    left: Steps
    operator: str
    right: Steps

    def walk(self, values: list[Any], run: Run) -> list[Any]:
        results: list[Any] = []
        for value in values:
            if not isinstance(value, LISTS):
                raise Mismatch(f"{verb_v(value, run)} is not array or slice and cannot be filtered", values)
            passes = self._exists if self.operator == EXISTS else self._compares
            for element in value:
                run.spend(1)
                if passes(element, run, values, results):
                    results.append(element)
        return results

    def _exists(self, element: Any, run: Run, values: list[Any], results: list[Any]) -> bool:
        try:
            found = self.left.walk([element], run)
        except Mismatch as error:
            found = error.found
        return len(found) > 0

    def _compares(self, element: Any, run: Run, values: list[Any], results: list[Any]) -> bool:
        """Whether the comparison holds. The two lists are what the original returns beside an error."""
        try:
            lefts = self.left.walk([element], run)
            rights = self.right.walk([element], run) if _one(lefts) else []
            if not _one(rights):
                return False
        except Mismatch as error:
            raise Mismatch(str(error), values) from error
        compare = COMPARISONS.get(self.operator)
        if compare is None:
            raise Mismatch(f"unrecognized filter operator {self.operator}", results)
        try:
            return compare(lefts[0], rights[0])
        except Incomparable as error:
            raise Mismatch(str(error), results) from error


def _one(values: Sequence[Any]) -> bool:
    if len(values) > 1:
        raise Mismatch("can only compare one element at a time", [])
    return len(values) == 1


def find(nodes: Sequence[Node], data: Any, run: Run, first: int = 0) -> list[list[Any]]:
    """The results of each node from the `first` on; a range evaluates what follows once for each of its values.

    Where a range has no end, the nodes behind it are evaluated again on the data outside of it, as in the original.
    """
    groups: list[list[Any]] = []
    values = [NOTHING if data is None else data]
    index = first
    while index < len(nodes):
        results = nodes[index].walk(values, run)
        run.spend(1)
        if 0 < run.end_range <= run.in_range:
            run.end_range -= 1
            run.last_end = index
            break
        if run.begin_range > 0:
            groups.extend(_range(nodes, results, run, index))
            index = max(index, run.last_end)
        else:
            groups.append(results)
        index += 1
    return groups


def _range(nodes: Sequence[Node], results: list[Any], run: Run, index: int) -> list[list[Any]]:
    run.begin_range -= 1
    run.in_range += 1
    groups: list[list[Any]] = []
    for value in results:
        if value is NOTHING:
            raise EvaluationError("cannot range over nil data")
        groups.extend(find(nodes, value, run, index + 1))
    if not results:
        # The body runs once on nothing, so that its end is found; what it prints is dropped.
        find(nodes, None, run, index + 1)
    run.in_range -= 1
    return groups
