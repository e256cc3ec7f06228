"""What an error of a deployer means: tried again, or final; and how it is told. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.api.errors import ErrorCode, OperationFailed, is_unrecoverable
from landform.cluster.errors import ApiError, ConfigurationError, Unauthorized
from landform.kit.errors import LandformError
from landform.runtime.errors import Retry, Terminal

if TYPE_CHECKING:
    from landform.api.errors import Error
    from landform.api.waiting import Wait

_BUGS = (
    TypeError,
    AttributeError,
    NameError,
    LookupError,
    ArithmeticError,
    AssertionError,
    NotImplementedError,
    RecursionError,
)
"""Mistakes in the deployer: they do not pass."""


class FinalFailure(OperationFailed):
    """A failure that trying again cannot mend, whatever its codes."""


class AccessGone(Exception):
    """What a target is reached by does not exist: the Target itself, its Secret, or its ServiceAccount."""


class NoAccess(AccessGone, FinalFailure):
    """There is no way to a target, and trying again does not help."""


class SecretGone(AccessGone, OperationFailed):
    """There is no Secret of the name that a Target says; it may come later."""


class AccountGone(AccessGone, ConfigurationError):
    """There is no ServiceAccount of the name that a Target says."""


@dataclass(frozen=True)
class Verdict:
    """What became of an error."""

    failure: OperationFailed
    """As it is told in the status."""

    is_final: bool
    """Whether trying again cannot help."""

    after: float = 0.0
    """Otherwise: not before so many seconds."""

    is_bug: bool = False
    """Whether the log should have its traceback."""


def judge(error: Exception, operation: str) -> Verdict:
    """What an error means that came up while doing `operation`."""
    match error:
        case OperationFailed():
            is_final = isinstance(error, FinalFailure) or is_unrecoverable(error.codes)
            return Verdict(error, is_final, _delay(error))
        case Terminal():
            return Verdict(OperationFailed(operation, error.reason, str(error), cause=error.__cause__), is_final=True)
        case Unauthorized():
            return _failed(error, operation, error.reason, ErrorCode.UNAUTHORIZED)
        case ConfigurationError():
            return _failed(error, operation, "ConfigurationError", ErrorCode.CONFIGURATION_PROBLEM)
        case LandformError():
            reason = error.reason if isinstance(error, ApiError) else type(error).__name__
            return Verdict(OperationFailed(operation, reason, str(error)), is_final=False, after=_delay(error))
        case _ if isinstance(error, _BUGS):
            text = f"the deployer has a bug, its log has the details: {_named(error)}"
            failure = OperationFailed(operation, "InternalError", text, codes=(ErrorCode.INTERNAL_PROBLEM,))
            return Verdict(failure, is_final=True, is_bug=True)
        case _:
            return Verdict(OperationFailed(operation, type(error).__name__, _named(error)), is_final=False, is_bug=True)


def is_access_gone(error: BaseException | None) -> bool:
    """Whether an error, or one it comes from, says that there is no access to the target any more."""
    while error is not None and not isinstance(error, AccessGone):
        error = error.__cause__
    return error is not None


def timed_out(operation: str, allowed: str, last: Error | None, wait: Wait | None) -> OperationFailed:
    """The end of an item whose time is over: it says what the deployer itself said last."""
    codes = (*((last.codes or ()) if last else ()), ErrorCode.TIMEOUT)
    if last is not None:
        message = f"{last.message} (given up after {allowed})"
        return OperationFailed(last.operation, "ProgressingTimeout", message, codes=codes)
    if wait is not None:
        return OperationFailed(
            operation, "ProgressingTimeout", f"given up after {allowed}: {wait.message}", codes=codes
        )
    return OperationFailed(operation, "ProgressingTimeout", f"not finished after {allowed}", codes=codes)


def _failed(error: LandformError, operation: str, reason: str, code: ErrorCode) -> Verdict:
    return Verdict(OperationFailed(operation, reason, str(error), codes=(code,)), is_final=True)


def _delay(error: BaseException | None) -> float:
    """The wish to wait that an error, or one it comes from, carries."""
    while error is not None:
        if isinstance(error, Retry):
            return error.after
        if isinstance(error, ApiError):
            return error.retry_after or 0.0
        error = error.__cause__
    return 0.0


def _named(error: Exception) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
