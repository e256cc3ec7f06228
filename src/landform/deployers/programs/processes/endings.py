"""What a keeper wrote about the end of its program, as an outcome; pure."""

from __future__ import annotations

import errno
import os
import signal
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec

from landform.deployers.programs.contract.outcomes import PAST_ITS_GRACE, PERHAPS_MEMORY, End, Outcome
from landform.deployers.programs.local.launchers import STOPPED


def outcome_of(text: bytes | None, faults: str) -> Outcome:
    """The outcome; without any text, and with one that a crash of the machine left half written, it is lost."""
    try:
        said = msgspec.json.decode(text or b"")
    except msgspec.DecodeError:
        return _lost(faults)
    return replace(
        _end(said),
        started=datetime.fromtimestamp(said["started"], UTC),
        finished=datetime.fromtimestamp(said["finished"], UTC),
    )


def _end(said: dict[str, Any]) -> Outcome:
    if said["errno"]:
        return Outcome(End.NOT_STARTED, reason="StartError", message=_not_started(said))
    reason = STOPPED if said["isStopped"] else ""
    if said["signal"] is None:
        return Outcome(End.EXITED, exit_code=said["exitCode"], reason=reason)
    return Outcome(End.SIGNALED, signal=said["signal"], reason=reason, message=_signaled(said))


def _lost(faults: str) -> Outcome:
    message = "the process that kept the program has ended without a word: it was killed, or the machine was restarted"
    if faults:
        message = f"{message}; it said last: {faults.splitlines()[-1]}"
    return Outcome(End.LOST, reason="KeeperLost", message=message)


def _signaled(said: dict[str, Any]) -> str:
    number = said["signal"]
    if said["isKilled"]:
        return PAST_ITS_GRACE
    if number == signal.SIGKILL and not said["isStopped"]:
        return PERHAPS_MEMORY
    if number == signal.SIGXCPU:
        return "it used more processor time than it may"
    if number == signal.SIGXFSZ:
        return "it wrote a larger file than it may"
    return ""


def _not_started(said: dict[str, Any]) -> str:
    number, command = said["errno"], said["command"]
    why = os.strerror(number)
    match said["step"]:
        case "exec" if number == errno.ENOENT:
            return f"{command} is not there: install it on this machine, or name another interpreter"
        case "exec" if number == errno.EACCES and "/" not in command:
            # A folder of PATH that may not be looked into is told in the same way as a file that may not be executed.
            return f"{command} is not in PATH, or may not be executed by the program's user: install it, or name a path"
        case "exec" if number == errno.E2BIG:
            return "its arguments and variables are longer than the system takes: put large values into importValues"
        case "exec" if number == errno.EACCES:
            return f"{command} may not be executed by the program's user: allow it, or name another interpreter"
        case "exec":
            return f"{command} cannot be executed: {why}"
        case "folder":
            return (
                f"the program's user cannot enter its folder: {why}; let it pass through all folders above, "
                "or configure another folder for programs"
            )
        case "limit":
            return f"its resource limits cannot be set: {why}; lower them in the deployer's configuration"
        case _:
            return f"the program cannot be started: {why}"
