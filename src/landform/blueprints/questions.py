"""Questions: what a rendering needs to know from elsewhere, and the answers that it was given.

Rendering is pure. When it needs something that only I/O can tell, it asks; an unanswered question ends it, the caller
finds the answer and renders again with it.

>>> question = Question("content", ("example.com/shop", "1.0.0", "schema"))
>>> answers = Answers()
>>> try:
...     answers.ask("content", "example.com/shop", "1.0.0", "schema")
... except Unanswered as unanswered:
...     answers = answers.with_answer(unanswered.question, b"{}")
>>> answers.ask("content", "example.com/shop", "1.0.0", "schema")
b'{}'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

RESOURCE_CONTENT: Final = "resource content"
"""Kind of the question for the bytes of a component's resource: component name, its version, name of the resource.

Where others have that name too, a fourth argument has its whole identity, as sorted pairs.
"""


@dataclass(frozen=True)
class Question:
    """Something that a rendering must know and cannot find out by itself."""

    kind: str
    """What is asked for; says what the arguments mean and what an answer looks like."""

    arguments: tuple[Hashable, ...]
    """What it is asked about."""

    def __str__(self) -> str:
        return f"{self.kind} of {', '.join(map(str, self.arguments))}"


class Unanswered(Exception):
    """A rendering cannot go on without the answer to `question`; not an error, so nothing but the caller catches it."""

    def __init__(self, question: Question) -> None:
        super().__init__(f"this needs an answer first: {question}")
        self.question = question


class Answers:
    """The answers that are known so far. An answer that is an exception is raised when it is asked for."""

    def __init__(self, known: Mapping[Question, Any] | None = None) -> None:
        self._known = dict(known or {})

    def ask(self, kind: str, *arguments: Hashable) -> Any:
        """The answer to a question; Unanswered if there is none yet."""
        question = Question(kind, arguments)
        if question not in self._known:
            raise Unanswered(question)
        answer = self._known[question]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def with_answer(self, question: Question, answer: Any) -> Answers:
        """These answers and one more."""
        return Answers({**self._known, question: answer})
