"""The Python source that a template becomes, and which node each of its lines stands for."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from landform.gotemplate.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager

_SHORT = 200  # characters of text that may stand in the source itself


class Note(NamedTuple):
    """What a line of source does: at which node of which template, and which function it calls."""

    template: str
    node: Node
    call: str


@dataclass(slots=True)
class Either(Node):
    """One of several nodes; which one, a variable of the source tells when an error is located."""

    variable: str
    nodes: list[Node]

    def chosen(self, names: Mapping[str, Any]) -> Node:
        """The node, given the variables of the frame that failed."""
        node = self.nodes[names.get(self.variable, -1)]
        return node.chosen(names) if isinstance(node, Either) else node


class Code:
    """The source of one Python function."""

    def __init__(self, name: str, parameters: str) -> None:
        self.name = name
        self.lines = [f"def {name}({parameters}):"]
        self.notes: dict[int, Note] = {}
        self.depth = 1
        self.loops = 0

    def emit(self, line: str, note: Note | None = None) -> None:
        """Adds a line."""
        if note is not None:
            self.notes[len(self.lines)] = note
        self.lines.append("\t" * self.depth + line)

    @contextmanager
    def _indented(self) -> Iterator[None]:
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.emit("pass")
        self.depth -= 1

    def block(self, head: str) -> AbstractContextManager[None]:
        """Opens a block under a line."""
        self.emit(head)
        return self._indented()


class Program:
    """All functions of one template, and the values that their source names."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = dict(names)
        self._codes: list[Code] = []
        self._known: dict[int, str] = {}

    def code(self, parameters: str, name: str | None = None) -> Code:
        """A new function."""
        code = Code(name or f"f{len(self._codes)}", parameters)
        self._codes.append(code)
        return code

    def constant(self, value: Any) -> str:
        """An expression for a value that does not change."""
        if type(value) is str and len(value) <= _SHORT:
            return repr(value)
        name = self._known.get(id(value))
        if name is None:
            name = self._known[id(value)] = f"k{len(self._known)}"
            self.names[name] = value
        return name

    def build(self, filename: str) -> tuple[dict[str, Any], dict[tuple[str, int], Note]]:
        """The compiled functions by name, and the notes by function and line.

        Each function is compiled alone, because Python needs much memory for large sources.
        """
        names = dict(self.names)
        notes: dict[tuple[str, int], Note] = {}
        for code in self._codes:
            notes.update({(code.name, index + 1): note for index, note in code.notes.items()})
            exec(compile("\n".join(code.lines), filename, "exec", dont_inherit=True), names)
        return names, notes


@dataclass(slots=True)
class Value:
    """An expression of the source and what is known about it."""

    source: str
    kind: str = ""
    """The Go type when it is known for sure."""
    missing: bool = False
    """Whether it may be the missing value."""
    nil: bool = False
    """Whether it may be nil."""
    boxed: str = "False"
    """Source that tells whether Go holds it as an interface: an element of a list or map, not yet unpacked."""
