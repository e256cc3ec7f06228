"""What was fetched for the job of an Installation: kept in memory until it ends, and fetched again after a crash."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from landform.blueprints.questions import Answers

if TYPE_CHECKING:
    from landform.api.errors import OperationFailed
    from landform.blueprints.questions import Question
    from landform.installations.sources import Sources

MOST_JOBS: Final = 2_000
"""Of so many jobs at most the answers are kept; the longest unused is forgotten and fetched again if it goes on."""


PATIENCE: Final = timedelta(minutes=2)
"""So long something is tried to fetch that cannot be reached; then the job has failed."""

_SOONEST: Final = timedelta(seconds=1)
_LATEST: Final = timedelta(seconds=30)


@dataclass(frozen=True)
class Trouble:
    """Something cannot be fetched now."""

    message: str
    since: datetime
    until: datetime
    """When it is tried again."""

    tries: int = 1

    @property
    def is_hopeless(self) -> bool:
        """Whether it was tried for long enough."""
        return self.until - self.since > PATIENCE


@dataclass(frozen=True)
class Known:
    """What one job knows by now."""

    sources: Sources | OperationFailed | None = None
    """Component and blueprint, or why they cannot be had; None while nobody has looked."""

    answers: Answers = field(default_factory=Answers)
    """Answers to the questions of its templates."""

    trouble: Trouble | None = None
    """What stands in the way of more."""


NOTHING: Final = Known()


class Notebook:
    """What is known, by Installation and job."""

    def __init__(self, most: int = MOST_JOBS) -> None:
        self._most = most
        self._jobs: OrderedDict[tuple[str, str], Known] = OrderedDict()

    def known(self, uid: str, job: str) -> Known:
        """What the job of the Installation with that uid knows."""
        if (uid, job) not in self._jobs:
            return NOTHING
        self._jobs.move_to_end((uid, job))
        return self._jobs[uid, job]

    def note_sources(self, uid: str, job: str, sources: Sources | OperationFailed) -> None:
        """Component and blueprint were fetched, or cannot be."""
        self._note(uid, job, replace(self.known(uid, job), sources=sources, trouble=None))

    def note_answer(self, uid: str, job: str, question: Question, answer: Any) -> None:
        """A question was answered; an exception is an answer too."""
        known = self.known(uid, job)
        self._note(uid, job, replace(known, answers=known.answers.with_answer(question, answer), trouble=None))

    def note_trouble(self, uid: str, job: str, message: str, now: datetime) -> Trouble:
        """Something could not be fetched: when it is tried again, a little later each time."""
        known = self.known(uid, job)
        last = known.trouble
        tries = last.tries + 1 if last else 1
        until = now + min(_SOONEST * 2 ** (tries - 1), _LATEST)
        trouble = Trouble(message, last.since if last else now, until, tries)
        self._note(uid, job, replace(known, trouble=trouble))
        return trouble

    def forget(self, uid: str, job: str) -> None:
        """The job is over."""
        self._jobs.pop((uid, job), None)

    def _note(self, uid: str, job: str, known: Known) -> None:
        self._jobs[uid, job] = known
        self._jobs.move_to_end((uid, job))
        while len(self._jobs) > self._most:
            self._jobs.popitem(last=False)
