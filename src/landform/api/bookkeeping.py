"""Kinds that Landform keeps for itself: LsHealthCheck, SyncObject, CriticalProblems."""

from __future__ import annotations

import enum

from landform.api.structs import Kind, OrDefault, Part, Time, use_defaults


class Health(enum.StrEnum):
    """What an LsHealthCheck reports."""

    INIT = "Init"
    """Nothing was checked yet."""
    OK = "Ok"
    FAILED = "Failed"


class LsHealthCheck(Kind):
    """Whether the parts of an installation of Landform are running."""

    status: str
    """``Init``, ``Ok`` or ``Failed``."""

    last_update_time: Time
    """When this was last checked."""

    description: str
    """What is wrong, for people."""


class SyncObjectSpec(Part):
    """Who holds the lock on what."""

    pod_name: str
    """The holder; empty when the lock is free."""

    kind: str
    """Kind of the locked object."""

    name: str
    """Name of the locked object."""

    last_update_time: Time
    """When the lock last changed hands."""

    prefix: str
    """Beginning of this object's name; says what the lock is for."""


class EmptyStatus(Part):
    """A status without fields."""


NO_STATUS = EmptyStatus()


class SyncObject(Kind):
    """A lock on an object, so that only one of several processes works on it."""

    spec: SyncObjectSpec
    """Who holds the lock on what."""

    status: OrDefault[EmptyStatus] = NO_STATUS
    """Without fields."""

    def __post_init__(self) -> None:
        use_defaults(self, status=NO_STATUS)


class CriticalProblem(Part):
    """One internal error."""

    pod_name: str | None = None
    """Where it happened."""

    creation_time: Time | None = None
    """When it happened."""

    description: str | None = None
    """What happened."""


class CriticalProblemsSpec(Part):
    """The internal errors, at most ten, newest last."""

    critical_problem: tuple[CriticalProblem, ...] | None = None
    """The errors."""


NO_PROBLEMS = CriticalProblemsSpec()


class CriticalProblems(Kind):
    """Internal errors that were survived and should be reported to the developers."""

    spec: OrDefault[CriticalProblemsSpec] = NO_PROBLEMS
    """The internal errors."""

    status: OrDefault[EmptyStatus] = NO_STATUS
    """Without fields."""

    def __post_init__(self) -> None:
        use_defaults(self, spec=NO_PROBLEMS, status=NO_STATUS)
