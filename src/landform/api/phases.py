"""Phases of Installations, Executions and DeployItems, and when each was reached."""

from __future__ import annotations

import enum

from landform.api.structs import Part, Time


class Phase(enum.StrEnum):
    """Where an object stands in its job; an object that never ran has none."""

    INIT = "Init"
    CLEANUP_ORPHANED = "CleanupOrphaned"
    """Installation only."""
    OBJECTS_CREATED = "ObjectsCreated"
    """Installation only."""
    PROGRESSING = "Progressing"
    COMPLETING = "Completing"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    INIT_DELETE = "InitDelete"
    TRIGGER_DELETE = "TriggerDelete"
    """Installation and Execution only."""
    DELETING = "Deleting"
    DELETE_FAILED = "DeleteFailed"


FINAL = frozenset({Phase.SUCCEEDED, Phase.FAILED, Phase.DELETE_FAILED})
"""The job is over."""

UNSUCCESSFUL = frozenset({Phase.FAILED, Phase.DELETE_FAILED})
"""The job is over and did not reach its goal."""

DELETION = frozenset({Phase.INIT_DELETE, Phase.TRIGGER_DELETE, Phase.DELETING, Phase.DELETE_FAILED})
"""The job deletes, or has tried to."""


def is_final(phase: str | None) -> bool:
    """Whether the job is over; false without a phase."""
    return phase in FINAL


def is_failed(phase: str | None) -> bool:
    """Whether the job is over and did not reach its goal."""
    return phase in UNSUCCESSFUL


def is_deletion(phase: str | None) -> bool:
    """Whether the job deletes, or has tried to."""
    return phase in DELETION


class TransitionTimes(Part):
    """When the current job reached its stations."""

    trigger_time: Time | None = None
    """When the job id was assigned."""

    init_time: Time | None = None
    """When the phase became Init or InitDelete."""

    wait_time: Time | None = None
    """When the children were triggered, or the deployment was done and waiting began."""

    finished_time: Time | None = None
    """When a final phase was reached."""
