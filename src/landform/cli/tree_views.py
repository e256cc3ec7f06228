"""How trees are shown to people: one line for each object, and below it what there is to say about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from rich.text import Text

from landform.api.names import DOMAIN
from landform.embedded.tables.ages import humanised
from landform.insight.trees import State, first_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from landform.insight.trees import ExportNode, Node

STYLES: Final = {
    State.IDLE: "dim",
    State.WORKING: "cyan",
    State.WAITING: "yellow",
    State.SUCCEEDED: "green",
    State.FAILED: "bold red",
}

_NOT_STARTED: Final = "(not started)"
_NOT_BEGUN: Final = "(asked to start)"
"""If it stays like this, no controller runs."""

_LINES_BELOW = 3
"""How much of what a program printed last is shown."""

_GAP: Final = "  "


def name_of(node: Node) -> str:
    """How an object is called: by its own name, and the one in the blueprint."""
    title = f" ({node.title})" if node.title else ""
    if node.kind == "Execution":
        return f"execution {node.name}"
    return f"{node.name}{title}"


def lines(roots: Iterable[Node], *, show_values: bool = False) -> list[Text]:
    """All trees, as lines whose columns stand below each other."""
    rows = [row for root in roots for row in _rows(root, "", "", show_values)]
    width = max((row.left.cell_len for row in rows if row.right is not None), default=0)
    return [row.joined(width) for row in rows]


class _Row:
    """One line: of an object if it has a right side, else a note that may be as long as it likes."""

    def __init__(self, left: Text, right: Text | None = None) -> None:
        self.left = left
        self.right = right

    def joined(self, width: int) -> Text:
        if self.right is None:
            return self.left
        padding = " " * (width - self.left.cell_len)
        line = Text.assemble(self.left, padding, _GAP, self.right)
        line.rstrip()
        return line


def _rows(node: Node, branch: str, trunk: str, show_values: bool) -> Iterator[_Row]:
    """The lines of an object and of all below it; `branch` leads to it, `trunk` goes on beside what is below."""
    left = Text.assemble((branch, "dim"), name_of(node), (_type_of(node), "dim"))
    yield _Row(left, _progress(node))
    stem = trunk + ("│  " if node.children else "   ")
    for note in _notes(node, show_values):
        yield _Row(Text.assemble((stem, "dim"), note))
    for child in node.children:
        fork, beside = ("└─ ", "   ") if child is node.children[-1] else ("├─ ", "│  ")
        yield from _rows(child, trunk + fork, trunk + beside, show_values)


def _type_of(node: Node) -> str:
    return f" {node.type.removeprefix(f'{DOMAIN}/')}" if node.type else ""


def _progress(node: Node) -> Text:
    phase = node.phase or (_NOT_STARTED if node.state is State.IDLE else _NOT_BEGUN)
    word = f"{phase}{' (being deleted)' if node.is_deleting else ''}"
    took = humanised(node.seconds) if node.seconds is not None else ""
    return Text.assemble((f"{word:<12}", STYLES[node.state]), _GAP, (took, "dim"))


def _notes(node: Node, show_values: bool) -> Iterator[Text]:
    if node.waits_for:
        yield Text(f"waits: {first_line(node.waits_for)}", "yellow")
    if node.unhealthy and node.state is not State.FAILED:  # that it failed says more
        yield Text(f"unhealthy: {first_line(node.unhealthy)}", "red")
    for line in _error_lines(node.error):
        yield Text(line, "red" if node.state is State.FAILED else "yellow")
    if node.exports and not show_values:
        yield Text(f"exports {', '.join(each.name for each in node.exports)}", "dim")
    for export in node.exports if show_values else ():
        yield Text(f"exports {export.name} = {_value(export)}")


def _error_lines(error: str) -> list[str]:
    """The first line of an error; one that ends in a colon says nothing without the last of those below it."""
    if not error:
        return []
    first = first_line(error)
    below = error.strip().splitlines()[1:] if first.endswith(":") else []
    return [first, *(f"  {line}" for line in below[-_LINES_BELOW:])]


def _value(export: ExportNode) -> str:
    return msgspec.json.encode(export.value).decode()
