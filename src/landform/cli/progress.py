"""Progress: how people see a landscape change while they wait, on a terminal and elsewhere."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rich.console import Group
from rich.live import Live

from landform.cli import tree_views
from landform.insight.trees import first_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from landform.insight.trees import Node

_FRAMES_PER_SECOND = 8


class Display(Protocol):
    """Something that shows how far trees have come."""

    def show(self, roots: Sequence[Node]) -> None:
        """This is how they are now."""
        ...


@contextmanager
def display(console: Console, *, transient: bool = True) -> Iterator[Display]:
    """A tree that changes in place on a terminal; elsewhere, a line for each change."""
    if not console.is_terminal:
        yield Changes(console)
        return
    with Live(console=console, auto_refresh=False, transient=transient, vertical_overflow="ellipsis") as live:
        yield InPlace(live)


class InPlace:
    """The whole tree, drawn anew in the same place."""

    def __init__(self, live: Live) -> None:
        self._live = live

    def show(self, roots: Sequence[Node]) -> None:
        self._live.update(Group(*tree_views.lines(roots)), refresh=True)


class Changes:
    """One line for each object that reached another phase, or waits for something else."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._said: dict[tuple[str, str, str], tuple[str, str]] = {}

    def show(self, roots: Sequence[Node]) -> None:
        for node in roots:
            self._show(node)

    def _show(self, node: Node) -> None:
        key, now = (node.kind, node.namespace, node.name), (node.phase, node.waits_for)
        if self._said.get(key, ("", "")) != now:
            self._said[key] = now
            waits = f" waits: {first_line(node.waits_for)}" if node.waits_for else ""
            self._console.print(f"{tree_views.name_of(node)}: {node.phase or 'not started'}{waits}")
        for child in node.children:
            self._show(child)
