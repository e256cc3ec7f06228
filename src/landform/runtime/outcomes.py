"""How a reconcile ended, and what that means for its key; pure."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from landform.cluster.errors import (
    ApiError,
    BadRequest,
    Conflict,
    Invalid,
    MethodNotAllowed,
    TooLarge,
    Unreadable,
    UnsupportedMedia,
)
from landform.runtime.errors import LeaseLost, Retry, Terminal

_HOPELESS = (BadRequest, Invalid, MethodNotAllowed, TooLarge, UnsupportedMedia, Unreadable)
"""Sent again, these are refused again."""


class Result(enum.StrEnum):
    """The kinds of ends; the value is the metrics' label."""

    DONE = "done"
    WAIT = "wait"
    REQUEUE = "requeue"
    CONFLICT = "conflict"
    ERROR = "error"
    TERMINAL = "terminal"
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class Outcome:
    """An end. Make it with the constructors, which say what is meant."""

    result: Result
    after: float = 0.0
    """Seconds until it runs again: exactly for REQUEUE, at the least for CONFLICT and ERROR."""

    @classmethod
    def done(cls) -> Outcome:
        """Everything that is to be done now was done."""
        return _DONE

    @classmethod
    def wait(cls) -> Outcome:
        """Nothing can be done until something changes, and that change will wake us."""
        return _WAIT

    @classmethod
    def requeue(cls, after: float) -> Outcome:
        """It is to be looked at again in so many seconds."""
        return cls(Result.REQUEUE, after)

    @classmethod
    def back_off(cls, at_least: float = 0.0) -> Outcome:
        """It failed; try again, later each time."""
        return cls(Result.ERROR, at_least)

    @property
    def is_failure(self) -> bool:
        """Whether the key is tried again with growing delays."""
        return self.result in (Result.ERROR, Result.CONFLICT)


_DONE = Outcome(Result.DONE)
_WAIT = Outcome(Result.WAIT)


def of_error(error: Exception) -> Outcome:
    """What an error means for the key it happened to."""
    match error:
        case LeaseLost():
            return Outcome(Result.RELEASED)
        case Terminal():
            return Outcome(Result.TERMINAL)
        case Retry():
            return Outcome.back_off(error.after)
        case Conflict():
            # Decided on an old version: the watch brings the new one, mostly before the first delay is over.
            return Outcome(Result.CONFLICT)
        case _ if isinstance(error, _HOPELESS):
            return Outcome(Result.TERMINAL)
        case ApiError():
            return Outcome.back_off(error.retry_after or 0.0)
        case _:
            return Outcome.back_off()


def terminal(error: Exception) -> Terminal:
    """The error as one that an object can be marked with."""
    if isinstance(error, Terminal):
        return error
    reason = error.reason if isinstance(error, ApiError) else type(error).__name__
    return Terminal(reason, str(error))
