"""What the kubelet says of a container that has ended, as an outcome; pure."""

from __future__ import annotations

import signal
from datetime import datetime
from typing import TYPE_CHECKING, Any

from landform.deployers.programs.contract.outcomes import PAST_ITS_GRACE, PERHAPS_MEMORY, End, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEVER_RAN = ("StartError", "ContainerCannotRun")
"""Reasons for a container that ended before its program began."""

_KILLED = 128
"""What is added to the number of a signal to make the exit code of whom it ended."""

_SAYS_NOTHING = ("Completed", "Error")
"""Reasons that the exit code tells already."""


def outcome_of(terminated: Mapping[str, Any], *, is_stopped: bool = False) -> Outcome:
    """The outcome that the `terminated` state of a container tells; `is_stopped` if its pod is being deleted."""
    code, reason = int(terminated.get("exitCode", 0)), str(terminated.get("reason", ""))
    number = int(terminated.get("signal") or 0) or _signal_of(code)
    if reason == "OOMKilled":
        end = End.OUT_OF_MEMORY
    elif reason in _NEVER_RAN:
        end, number = End.NOT_STARTED, None
    else:
        end = End.SIGNALED if number else End.EXITED
    return Outcome(
        end,
        exit_code=code,
        signal=number,
        reason="" if reason in _SAYS_NOTHING else reason,
        message=_words(terminated) if end is End.NOT_STARTED else _why_killed(reason, number, is_stopped),
        started=_moment(terminated, "startedAt"),
        finished=_moment(terminated, "finishedAt"),
    )


def _signal_of(code: int) -> int | None:
    """The signal behind an exit code, by the convention of shells and container runtimes."""
    number = code - _KILLED
    return number if number in signal.valid_signals() else None


def _why_killed(reason: str, number: int | None, is_stopped: bool) -> str:
    if number != signal.SIGKILL or reason not in ("", *_SAYS_NOTHING):
        return ""
    return PAST_ITS_GRACE if is_stopped else PERHAPS_MEMORY


def _words(terminated: Mapping[str, Any]) -> str:
    return str(terminated.get("message", "")).strip()


def _moment(terminated: Mapping[str, Any], name: str) -> datetime | None:
    text = terminated.get(name)
    moment = datetime.fromisoformat(text) if text else None
    return moment if moment is not None and moment.year > 1970 else None  # a container that never ran says 1970
