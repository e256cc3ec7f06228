"""Error objects in a status, their codes, and the failure that code raises to end up there."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api.structs import Part, Time

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime


class ErrorCode(enum.StrEnum):
    """What kind of problem it is; decides whether work goes on."""

    UNAUTHORIZED = "ERR_UNAUTHORIZED"
    """Credentials were not accepted."""

    CLEANUP = "ERR_CLEANUP"
    """Something that should go does not. Never produced."""

    CONFIGURATION_PROBLEM = "ERR_CONFIGURATION_PROBLEM"
    """The configuration is wrong; trying again does not help."""

    INTERNAL_PROBLEM = "ERR_INTERNAL_PROBLEM"
    """Landform itself is at fault."""

    TIMEOUT = "ERR_TIMEOUT"
    """It took too long."""

    CYCLIC_DEPENDENCIES = "ERR_CYCLIC_DEPENDENCIES"
    """Parts wait for each other in a circle. Never produced."""

    WEBHOOK = "ERR_WEBHOOK"
    """A webhook could not be reached; passes by itself."""

    UNFINISHED = "ERR_UNFINISHED"
    """Children still work."""

    FOR_INFO_ONLY = "ERR_FOR_INFO_ONLY"
    """Not a problem, just the reason for waiting."""

    NO_RETRY = "ERR_NO_RETRY"
    """Do not try again by yourself; an event will come."""


UNRECOVERABLE = frozenset(
    {
        ErrorCode.CONFIGURATION_PROBLEM,
        ErrorCode.INTERNAL_PROBLEM,
        ErrorCode.TIMEOUT,
        ErrorCode.UNAUTHORIZED,
        ErrorCode.CYCLIC_DEPENDENCIES,
    }
)
"""Any of these makes a DeployItem fail at once."""


def is_unrecoverable(codes: Iterable[str] | None) -> bool:
    """Whether one of the codes forces a failed phase."""
    return not UNRECOVERABLE.isdisjoint(codes or ())


class Error(Part):
    """What went wrong last."""

    operation: str
    """What was being done."""

    last_transition_time: Time
    """When the operation last changed."""

    last_update_time: Time
    """When anything of the error last changed."""

    reason: str
    """One word for what went wrong."""

    message: str
    """The same for people, with everything that led to it."""

    codes: tuple[str, ...] | None = None
    """Well-known kinds of problems, innermost cause first."""


class OperationFailed(Exception):
    """Something failed while doing `operation`; the cause, if any, is the exception it was raised from.

    The text of the whole chain of causes becomes part of the message; codes are collected along the chain.
    """

    def __init__(
        self,
        operation: str,
        reason: str,
        message: str = "",
        *,
        codes: Iterable[str] = (),
        cause: BaseException | None = None,
    ) -> None:
        super().__init__(operation, reason, message)
        self.operation = operation
        self.reason = reason
        self.own_message = message
        self.own_codes = tuple(codes)
        if cause is not None:
            self.__cause__ = cause

    @property
    def message(self) -> str:
        """The own message, followed by the causes' texts unless it already ends with them."""
        if self.__cause__ is None:
            return self.own_message
        inner = str(self.__cause__)
        if not self.own_message or self.own_message.endswith(inner):
            return self.own_message or inner
        return f"{self.own_message}: {inner}"

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the whole chain, innermost cause first."""
        return collect_codes(self)

    def __str__(self) -> str:
        return f"Op: {self.operation} - Reason: {self.reason} - Message: {self.message}"


def collect_codes(failure: BaseException | None) -> tuple[str, ...]:
    """The codes along a chain of causes, innermost first; exceptions of other classes have none."""
    chain: list[OperationFailed] = []
    while failure is not None:
        if isinstance(failure, OperationFailed):
            chain.append(failure)
        failure = failure.__cause__
    return tuple(str(code) for failed in reversed(chain) for code in failed.own_codes)


def updated(last: Error | None, failure: OperationFailed | None, now: datetime) -> Error | None:
    """The error that a status holds after `failure`, or None after success; `last` itself if nothing differs.

    `lastUpdateTime` moves when anything differs, `lastTransitionTime` only when the operation does.
    """
    if failure is None:
        return None
    moment = now.replace(microsecond=0)
    said: dict[str, Any] = {
        "operation": failure.operation,
        "reason": failure.reason,
        "message": failure.message,
        "codes": failure.codes or None,
    }
    if last is None:
        return Error(last_transition_time=moment, last_update_time=moment, **said)
    if not failure.codes and not last.codes:
        said["codes"] = last.codes  # an empty list and none at all are no difference
    if last.operation != failure.operation:
        said["last_transition_time"] = moment
    new = msgspec.structs.replace(last, **said)
    return last if new == last else msgspec.structs.replace(new, last_update_time=moment)
