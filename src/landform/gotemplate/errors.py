"""The errors of the template language, in Go's words.

TemplateError        whatever a template does wrong; the only error that parsing and rendering let out
├── ParseError       the text is not a template
├── ExecError        rendering stopped at a node
└── BudgetError      rendering asked for more than its budget

GoError              raised inside by functions; becomes an ExecError that says which call failed
Fault                raised inside by the engine; becomes an ExecError at the node in hand
Overspent            raised inside by the meter; becomes a BudgetError
"""

from __future__ import annotations


class TemplateError(Exception):
    """A template that cannot be parsed or rendered.

    `name` is the template's name, `line` counts from 1, `column` from 0 in bytes as Go counts (None when parsing),
    `node` is the text of the node in hand (empty when parsing), `reason` the message without its location.
    """

    def __init__(
        self, message: str, *, name: str, reason: str, line: int = 0, column: int | None = None, node: str = ""
    ) -> None:
        super().__init__(message)
        self.name = name
        self.reason = reason
        self.line = line
        self.column = column
        self.node = node


class ParseError(TemplateError):
    """The text is not a template."""

    def __init__(self, name: str, line: int, reason: str) -> None:
        super().__init__(f"template: {name}:{line}: {reason}", name=name, reason=reason, line=line)


class ExecError(TemplateError):
    """Rendering stopped at a node."""


class BudgetError(TemplateError):
    """Rendering asked for more than its budget allows."""


class GoError(ValueError):
    """What a function gives back as its error, or would panic with, in Go; also what `from_json` raises."""


class Fault(Exception):
    """What the engine itself finds wrong with a node."""


class Overspent(Exception):
    """A budget is used up; becomes a BudgetError where rendering began."""
