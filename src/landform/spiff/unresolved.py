"""Nodes without a value: finding them, and telling about all of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.spiff.nodes import Issue, Node

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Unresolved:
    """A node without a value, where it is and where it was written."""

    node: Node
    text: str
    """The expression as messages show it, with its brackets."""
    context: tuple[str, ...]
    path: tuple[str, ...]

    @property
    def mark(self) -> str:
        """`*` for an error of its own, `-` if it waits for a failed node, `@` if it waits for others."""
        if self.node.note.error:
            return "*"
        return "-" if self.node.note.failed else "@"

    @property
    def reason(self) -> str:
        """The mark and the reason, or nothing."""
        text = self.node.note.issue.text
        return self.mark + text if text else ""

    def line(self, separator: str) -> str:
        """Expression, source, path and reason."""
        where = f"in {self.node.source}\t{'.'.join(self.context)}\t({'.'.join(self.path)})"
        return f"{self.text}\t{where}{separator if self.reason else ''}{self.reason}"


def in_order(found: Sequence[Unresolved]) -> list[Unresolved]:
    """Errors first, then what waits in a circle, then what waits for failed nodes."""
    ranks = {"*": 0, "@": 1, "-": 2}
    return sorted(found, key=lambda node: ranks[node.mark])


def has_reason(unresolved: Sequence[Unresolved]) -> bool:
    """Whether one of the nodes says why it has no value."""
    return any(node.node.note.issue.text for node in unresolved)


def message(unresolved: Sequence[Unresolved]) -> str:
    """The error message for all nodes."""
    text = "unresolved nodes:"
    for node in unresolved:
        inner = Unresolved(node.node, node.text.replace("\n", "\n\t"), node.context, node.path)
        text += f"\n\t{inner.line(chr(9))}{_nested(node.node.note.issue)}"
    return text


def _nested(issue: Issue) -> str:
    prefix, gap = ("\n\t\t... ", "") if issue.sequence else ("\n", "\t\t\t")
    text = "".join(f"{prefix}{inner.text}{_nested(inner)}" for inner in issue.nested)
    return text.replace("\n", "\n" + gap) if gap else text


def as_issue(unresolved: Sequence[Unresolved], text: str) -> tuple[Issue, bool, bool]:
    """The nodes as one issue of the expression that needs them; whether one is an error, whether one has failed."""
    nested = tuple(node.node.note.issue._replace(text=node.line("")) for node in unresolved)
    error = any(node.node.note.error for node in unresolved)
    failed = any(node.node.note.failed for node in unresolved)
    return Issue(text, None, nested), error, failed
