"""What an engine says of a container, as an outcome; pure."""

from __future__ import annotations

import re
import signal
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from landform.deployers.programs.contract.outcomes import PAST_ITS_GRACE, PERHAPS_MEMORY, End, Outcome
from landform.deployers.programs.local.launchers import STOPPED

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIGNALED: Final = 128
"""What is added to the number of a signal to make the exit code of whom it ended."""

_NEVER: Final = "0001-01-01"
_FRACTION: Final = re.compile(r"(\.\d{6})\d+")


def has_started(container: Mapping[str, Any]) -> bool:
    """Whether its program was started, also if it has ended."""
    return _moment(container, "StartedAt") is not None


def has_ended(container: Mapping[str, Any]) -> bool:
    """Whether its program ran and does not any more."""
    return has_started(container) and container["State"]["Status"] in ("exited", "stopped", "dead", "removing")


def outcome_of(container: Mapping[str, Any], *, is_stopped: bool) -> Outcome:
    """How the program of a container has ended."""
    outcome = replace(_end(container["State"], is_stopped), started=_moment(container, "StartedAt"))
    return replace(outcome, finished=_moment(container, "FinishedAt"), reason=STOPPED if is_stopped else "")


def lost(name: str) -> Outcome:
    """The outcome of a container that is not there any more."""
    return Outcome(End.LOST, reason="ContainerLost", message=f"somebody removed its container {name}")


def not_started(reason: str, message: str) -> Outcome:
    """The outcome of a container that never ran, in the engine's words."""
    return Outcome(End.NOT_STARTED, reason=reason, message=message)


def _end(state: Mapping[str, Any], is_stopped: bool) -> Outcome:
    code = int(state["ExitCode"])
    number = code - _SIGNALED
    if state.get("OOMKilled"):
        return Outcome(End.OUT_OF_MEMORY, exit_code=code, signal=number if number > 0 else None)
    if number not in signal.valid_signals():
        return Outcome(End.EXITED, exit_code=code)
    if number == signal.SIGKILL:
        message = PAST_ITS_GRACE if is_stopped else PERHAPS_MEMORY
        return Outcome(End.SIGNALED, exit_code=code, signal=number, message=message)
    return Outcome(End.SIGNALED, exit_code=code, signal=number)


def _moment(container: Mapping[str, Any], name: str) -> datetime | None:
    text = str(container["State"].get(name) or _NEVER)
    return None if text.startswith(_NEVER) else datetime.fromisoformat(_FRACTION.sub(r"\1", text))
