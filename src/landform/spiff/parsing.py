"""What parsing an expression means to those that only use the parser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from landform.spiff.expressions.base import Expr


class ParseError(Exception):
    """A text is no expression; the message says where reading it ended."""


class Parse(Protocol):
    """Reads an expression that stands at a path of its document and at a path of the stubs."""

    def __call__(self, text: str, path: tuple[str, ...], stub_path: tuple[str, ...]) -> Expr: ...
