"""Kubernetes' JSONPath: the dialect of client-go's `util/jsonpath`, with its results, its printing and its error texts.

>>> compile("{.metadata.name}").find({"metadata": {"name": "web"}})
[['web']]
>>> compile(".spec.ports[*].port").render({"spec": {"ports": [{"port": 80}, {"port": 443}]}})
'80 443'

Data is plain: dict, list, str, bool, None, int (Go's int64) and float (its float64). Nothing here knows of clusters.
"""

from __future__ import annotations

from typing import Any

from landform.kit.jsonpath import nodes, parsing, printing
from landform.kit.jsonpath.budgets import Budget
from landform.kit.jsonpath.errors import EvaluationError, InvalidPath, JSONPathError, Mismatch, TooMuchWork
from landform.kit.jsonpath.parsing import relaxed
from landform.kit.jsonpath.values import NOTHING

__all__ = [
    "EvaluationError",
    "InvalidPath",
    "JSONPath",
    "JSONPathError",
    "Mismatch",
    "TooMuchWork",
    "compile",
    "relaxed",
]


class JSONPath:
    """A compiled path. It keeps no state between evaluations, so threads and tasks may share it."""

    __slots__ = ("_allow_missing", "_nodes", "text")

    def __init__(self, text: str, template: tuple[nodes.Node, ...], *, allow_missing: bool) -> None:
        self.text = text
        """The path as it was given."""
        self._nodes = template
        self._allow_missing = allow_missing

    def __repr__(self) -> str:
        return f"JSONPath({self.text!r})"

    def find(self, data: Any) -> list[list[Any]]:
        """The values that the path finds: one list for each text and each action, as client-go's FindResults.

        Inside of a range, one list for each text and action of each round.
        """
        groups = self._groups(data)
        return [[None if value is NOTHING else value for value in group] for group in groups]

    def render(self, data: Any) -> str:
        """The text that the template prints, as client-go's Execute.

        Values of one action are separated by a space; maps and lists are printed in JSON, a null as `null`.
        """
        budget = Budget()
        return "".join([" ".join([printing.text(value, budget) for value in group]) for group in self._groups(data)])

    def _groups(self, data: Any) -> list[list[Any]]:
        try:
            return nodes.find(self._nodes, data, nodes.Run(allow_missing=self._allow_missing))
        except RecursionError as error:
            raise TooMuchWork("the ranges of the path are nested too deeply") from error


def compile(path: str, allow_missing: bool = False, *, braces: bool = False) -> JSONPath:
    """The path, ready to be evaluated many times; InvalidPath if the text is not one.

    A text with an opening brace is a template: text and actions in braces. A text without is one path in its relaxed
    form (`metadata.name`, `.metadata.name`), unless `braces` demands them: then it is plain text, as in client-go.
    With `allow_missing`, keys that are not there are left out; otherwise they are an error.
    """
    template = path if braces or "{" in path else relaxed(path)
    return JSONPath(path, parsing.parse(template), allow_missing=allow_missing)
