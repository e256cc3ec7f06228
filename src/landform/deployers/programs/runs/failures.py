"""How a program that did not do its work is told of in the item's error; pure."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Final

from landform.api.errors import ErrorCode
from landform.deployers.library.failures import FinalFailure
from landform.deployers.programs.contract.outcomes import End

if TYPE_CHECKING:
    from landform.deployers.programs.contract.outcomes import Outcome

MAIN: Final = "RunMainContainer"
STAGING: Final = "RunInitContainer"
COLLECTING: Final = "RunWaitContainer"
TIMEOUT: Final = "ProgressingTimeout"

_WORDS: Final = {
    End.OUT_OF_MEMORY: "the program was ended because it ran out of memory",
    End.NOT_STARTED: "the program was not started",
    End.LOST: "nobody knows how the program ended",
}

_REASONS: Final = {
    End.EXITED: "ProgramFailed",
    End.SIGNALED: "ProgramKilled",
    End.OUT_OF_MEMORY: "OutOfMemory",
    End.NOT_STARTED: "ProgramNotStarted",
    End.LOST: "ProgramLost",
}


class ProgramFailure(FinalFailure):
    """A failure whose message may end in what the program printed: that is for the item's owner, and for no log."""

    def __str__(self) -> str:
        return super().__str__().partition("\n")[0]


def of_outcome(outcome: Outcome, tail: str, fault: str = "") -> ProgramFailure:
    """The failure of a program that did not succeed.

    `tail` are the last lines that it printed, `fault` is why its state could not be kept, if so.
    """
    operation = STAGING if outcome.end is End.NOT_STARTED else MAIN
    detail = ": ".join(word for word in (outcome.reason, outcome.message) if word)
    sentence = _sentence(outcome) + (f": {detail}" if detail else "") + (f"; {fault}" if fault else "")
    return ProgramFailure(operation, outcome.reason or _REASONS[outcome.end], with_tail(sentence, tail))


def of_collection(fault: str, tail: str) -> ProgramFailure:
    """The failure of a program whose exports or state cannot be taken over."""
    sentence = f"the program succeeded, but what it left cannot be taken over: {fault}"
    return ProgramFailure(COLLECTING, "CollectionFailed", with_tail(sentence, tail))


def out_of_time(allowed: str, stopped: str, tail: str) -> ProgramFailure:
    """The failure of a program that was stopped because its time was over."""
    sentence = f"the program did not end within {allowed} and was stopped: {stopped}"
    return ProgramFailure(MAIN, TIMEOUT, with_tail(sentence, tail), codes=(ErrorCode.TIMEOUT,))


def again(reason: str, message: str) -> ProgramFailure:
    """A failure that was told before the deployer was killed."""
    codes = (ErrorCode.TIMEOUT,) if reason == TIMEOUT else ()
    return ProgramFailure(MAIN, reason, message, codes=codes)


def with_tail(sentence: str, tail: str) -> str:
    """A sentence, and below it the last lines of output if there are any."""
    return f"{sentence}; it printed last:\n{tail}" if tail else sentence


def _sentence(outcome: Outcome) -> str:
    if outcome.end is End.EXITED:
        return f"the program ended with exit code {outcome.exit_code}"
    if outcome.end is End.SIGNALED:
        return f"the program was ended by signal {outcome.signal}{_signal_name(outcome.signal)}"
    return _WORDS[outcome.end]


def _signal_name(number: int | None) -> str:
    try:
        return f" ({signal.Signals(number or 0).name})"
    except ValueError:
        return ""
