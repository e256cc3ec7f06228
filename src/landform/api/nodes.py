"""Walking through plain JSON data that may be anything, and noting what is wrong on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.api import faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.api.faults import Fault, Reason


class Notes:
    """The faults found so far, each once, in the order they were found."""

    def __init__(self) -> None:
        self._faults: dict[tuple[Reason, str, str], Fault] = {}

    def add(self, fault: Fault) -> None:
        """Note a fault."""
        self._faults.setdefault((fault.reason, fault.field, fault.message), fault)

    @property
    def faults(self) -> list[Fault]:
        """What was noted."""
        return list(self._faults.values())


class Node:
    """A place in an object: what stands there, if anything, and its path.

    Nothing here raises, whatever the object looks like: a value of the wrong type is noted as a fault and then counts
    as absent.
    """

    __slots__ = ("notes", "path", "value")

    def __init__(self, value: Any, path: str, notes: Notes) -> None:
        self.value = value
        self.path = path
        self.notes = notes

    @property
    def is_set(self) -> bool:
        """Whether something stands here: neither null nor an empty text; an empty list or object is something."""
        return self.value is not None and self.value != ""

    def __getitem__(self, field: str) -> Node:
        """The field of an object."""
        value = self._of_type(dict, "object").get(field)
        return Node(value, f"{self.path}.{field}" if self.path else field, self.notes)

    def entries(self) -> Iterator[tuple[str, Node]]:
        """The entries of a map, by key."""
        for key, value in self._of_type(dict, "object").items():
            yield str(key), Node(value, f"{self.path}[{key}]", self.notes)

    def elements(self) -> Iterator[Node]:
        """The elements of a list."""
        for index, value in enumerate(self._of_type(list, "array")):
            yield Node(value, f"{self.path}[{index}]", self.notes)

    def text(self) -> str:
        """The text that stands here; empty if there is none."""
        return str(self._of_type(str, "string"))

    def required_text(self, detail: str) -> str:
        """The text that stands here; a fault if there is none."""
        text = self.text()
        if not self.is_set:
            self.notes.add(faults.required(self.path, detail))
        return text

    def invalid(self, detail: str) -> None:
        """Note that the value breaks a rule."""
        self.notes.add(faults.invalid(self.path, self.value, detail))

    def exactly_one_of(self, *fields: str) -> None:
        """Note a fault unless exactly one of the fields is set."""
        given = [field for field in fields if self[field].is_set]
        rule = f"give exactly one of {', '.join(fields)}"
        if not given:
            self.notes.add(faults.required(self.path, f"{rule}; none is given"))
        elif len(given) > 1:
            # Only the names: the fields may hold credentials.
            self.notes.add(faults.invalid(self.path, given, f"{rule}, not {' and '.join(given)}"))

    def _of_type(self, type_: type, name: str) -> Any:
        if isinstance(self.value, type_):
            return self.value
        if self.value is not None:
            self.notes.add(faults.type_invalid(self.path, self.value, name))
        return type_()
