"""What can go wrong with a path, in the words of client-go.

JSONPathError            everything below
├── InvalidPath          the text is not a path: tell the user, it can never work
└── EvaluationError      the path does not fit this data: it may fit later
    ├── Mismatch         a field is missing, an index is out of bounds, types do not fit
    └── TooMuchWork      the path visits more values than any honest path does
"""

from __future__ import annotations

from typing import Any


class JSONPathError(ValueError):
    """The root of everything that can go wrong with a path."""


class InvalidPath(JSONPathError):
    """The text cannot be parsed."""

    def __init__(self, message: str, path: str = "", position: int = 0) -> None:
        super().__init__(message)
        self.path = path
        """The text that was parsed; for a part such as a filter, that part in braces."""
        self.position = position
        """Where in it the parser stood."""


class EvaluationError(JSONPathError):
    """The path cannot be evaluated on this data."""


class Mismatch(EvaluationError):
    """The data is not as the path expects it."""

    def __init__(self, message: str, found: list[Any]) -> None:
        super().__init__(message)
        self.found = found
        """What the failing step hands back all the same. A filter that only asks whether something exists looks at
        this and not at the error, so `[?(@.list[9])]` selects every element that has a list."""


class TooMuchWork(EvaluationError):
    """The path was stopped because it visits or prints too many values."""
