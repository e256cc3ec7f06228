"""Tracing: which part of a template each part of its output comes from.

A trace renders once more, with marks in the output; it is for the moment when something is wrong with an output and
somebody must be told where.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.gotemplate.nodes import Action, Branch, Listing, Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.gotemplate.nodes import Node

# Characters that Unicode reserves for such use: no text that is meant for others has them.
_MARK = re.compile("\ufdd0([0-9]+)(\ufdd1|\ufdd2([^\ufdd1]*)\ufdd1)")


@dataclass(frozen=True)
class Piece:
    """A part of an output that one node made."""

    start: int
    """Offset in the output."""
    position: int
    """Offset in the text of the template."""
    action: str | None
    """The action that printed it; None for text that stands for itself."""


@dataclass(frozen=True)
class Trace:
    """An output and where its parts come from."""

    output: str
    pieces: tuple[Piece, ...]

    def piece(self, offset: int) -> Piece | None:
        """The part that the character at an offset belongs to."""
        index = bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1
        return self.pieces[index] if index >= 0 else None

    def position(self, offset: int) -> int | None:
        """Where in the template the character at an offset comes from."""
        piece = self.piece(offset)
        if piece is None:
            return None
        return piece.position + (offset - piece.start if piece.action is None else 0)


def mark(trees: Mapping[str, Listing]) -> dict[str, Listing]:
    """The trees with a mark before everything that is written."""
    return {name: _marked(tree) for name, tree in trees.items()}


def unmarked(output: str) -> Trace:
    """What a marked output says."""
    plain: list[str] = []
    pieces: list[Piece] = []
    size = end = 0
    for match in _MARK.finditer(output):
        plain.append(output[end : match.start()])
        size += match.start() - end
        end = match.end()
        pieces.append(Piece(size, int(match[1]), match[3]))
    return Trace("".join([*plain, output[end:]]), tuple(pieces))


def _marked(listing: Listing) -> Listing:
    return Listing(listing.position, [inner for node in listing.nodes for inner in _with_mark(node)])


def _with_mark(node: Node) -> Iterator[Node]:
    if isinstance(node, Text):
        yield Text(node.position, f"\ufdd0{node.position}\ufdd1")
    elif isinstance(node, Action) and not node.pipe.variables:
        yield Text(node.position, f"\ufdd0{node.position}\ufdd2{node.text()}\ufdd1")
    elif isinstance(node, Branch):
        otherwise = _marked(node.otherwise) if node.otherwise is not None else None
        node = type(node)(node.position, node.pipe, _marked(node.body), otherwise)
    yield node
