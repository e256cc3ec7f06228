"""What is wrong with a pattern."""

from __future__ import annotations


class RegexError(ValueError):
    """A pattern cannot be read; the message is Go's."""

    def __init__(self, reason: str, part: str | None = None) -> None:
        super().__init__(f"error parsing regexp: {reason}" + (f": `{part}`" if part is not None else ""))
