"""How people are told of a program: conditions, and the sentence that says what is waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from landform.deployers.library import ConditionStatus
from landform.deployers.library.endings import Ending
from landform.deployers.programs.contract.sandboxes import Step
from landform.deployers.programs.runs import failures

if TYPE_CHECKING:
    from landform.deployers.library import Item
    from landform.deployers.library.failures import FinalFailure
    from landform.deployers.programs.contract.outcomes import Result
    from landform.deployers.programs.contract.sandboxes import Progress
    from landform.deployers.programs.runs.memory import Memory

STAGED: Final = "InitContainer"
"""The condition that the program's files are there."""

RAN: Final = "MainContainer"
"""The condition that the program did its work."""

COLLECTED: Final = "WaitContainer"
"""The condition that its state and its exports are taken over."""

_IN_ORDER: Final = (STAGED, RAN, COLLECTED)
_OF_STEP: Final = {Step.STAGING: STAGED, Step.RUNNING: RAN, Step.COLLECTING: COLLECTED}
_OF_OPERATION: Final = {failures.STAGING: STAGED, failures.MAIN: RAN, failures.COLLECTING: COLLECTED}
_SENTENCES: Final = {
    Step.STAGING: "its files are being put in place",
    Step.RUNNING: "it runs",
    Step.COLLECTING: "it has ended, what it left is being collected",
}
_MESSAGES: Final = {
    STAGED: "the program's files are in place",
    RAN: "the program did its work",
    COLLECTED: "what the program left is taken over",
}

_SUCCEEDED: Final = "ContainerSucceeded"


def staging(item: Item) -> None:
    """The run begins."""
    for type_ in _IN_ORDER:
        reason = "Staging" if type_ == STAGED else "Waiting"
        item.condition(type_, ConditionStatus.PROGRESSING, reason, "the run begins")


def underway(item: Item, progress: Progress) -> None:
    """The run is so far: what comes before has succeeded."""
    current = _OF_STEP[progress.step]
    for type_ in _IN_ORDER[: _IN_ORDER.index(current)]:
        if type_ != RAN:  # how the program ended is known when all is collected
            item.condition(type_, ConditionStatus.TRUE, _SUCCEEDED, _MESSAGES[type_])
    message = progress.message or _SENTENCES[progress.step]
    item.condition(current, ConditionStatus.PROGRESSING, str(progress.step), message)


def ended(item: Item, result: Result, failure: FinalFailure | None) -> None:
    """The run is over."""
    at = len(_IN_ORDER) if failure is None else _IN_ORDER.index(_OF_OPERATION[failure.operation])
    for type_ in _IN_ORDER[:at]:
        item.condition(type_, ConditionStatus.TRUE, _SUCCEEDED, _MESSAGES[type_])
    if failure is not None:
        item.condition(_IN_ORDER[at], ConditionStatus.FALSE, failure.reason, failure.message.partition("\n")[0])
    for type_ in _IN_ORDER[at + 1 :]:
        if type_ == COLLECTED and not result.fault:
            item.condition(type_, ConditionStatus.TRUE, _SUCCEEDED, "the program's state is kept")
        else:
            item.condition(type_, ConditionStatus.FALSE, "NotReached", result.fault or "it did not come so far")


def stopped(item: Item, failure: FinalFailure) -> None:
    """The program was stopped because its time was over."""
    item.condition(RAN, ConditionStatus.FALSE, failure.reason, failure.message.partition("\n")[0])
    item.condition(COLLECTED, ConditionStatus.FALSE, "NotReached", "of a stopped program only the state counts")


def sentence(progress: Progress, known: Memory) -> str:
    """What is waited for."""
    what = _image(known)
    since = f" since {known.last_run}" if known.last_run else ""
    detail = progress.message or f"{_SENTENCES[progress.step]}{since if progress.step is Step.RUNNING else ''}"
    return f"the program{what}: {detail}"


def why(ending: Ending) -> str:
    """Why a program was stopped."""
    words = {
        Ending.INTERRUPTED: "the job was ended by somebody",
        Ending.SUPERSEDED: "another job has taken the place of its own",
        Ending.DELETED: "the item is being deleted",
        Ending.GONE: "the item is gone",
    }
    return f"the program was stopped, because {words.get(ending, str(ending))}"


def _image(known: Memory) -> str:
    image = known.containers.get("containerStatus", {}).get("image")
    return f" (image {image})" if image else ""
