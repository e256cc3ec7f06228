"""Interruption: everything unfinished fails at once, without waiting for deployers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from landform.api import errors, jobs, waiting
from landform.api.errors import OperationFailed
from landform.api.names import Annotation
from landform.api.phases import Phase, TransitionTimes
from landform.cluster.kinds import EXECUTIONS
from landform.executions import items, stations, writing
from landform.runtime.intents import Patch

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem
    from landform.executions.snapshot import Snapshot
    from landform.runtime.intents import Intent

_INTERRUPT = "InterruptOperation"


def decide(snapshot: Snapshot) -> list[Intent]:
    """Let every unfinished item fail, and at last take off the annotation that asks for it.

    The Execution then ends by itself. One that has not begun to wait for items would not: it ends here.
    """
    failed: list[Intent] = [_failed(snapshot, item) for item in snapshot.items if _is_unfinished(snapshot, item)]
    if jobs.is_busy(snapshot.execution.status) and (snapshot.is_new_job or _is_beginning(snapshot)):
        return [*failed, *stations.failed(snapshot, _failure("the job was interrupted before its items began"))]
    change = {"metadata": {"annotations": {Annotation.OPERATION: None}}}
    return [*failed, Patch(EXECUTIONS, snapshot.execution, change)]


def _is_beginning(snapshot: Snapshot) -> bool:
    return snapshot.execution.status.phase == Phase.INIT


def _is_unfinished(snapshot: Snapshot, item: DeployItem) -> bool:
    """During a job also what has not started yet; otherwise only a scheduled pass that runs."""
    if jobs.is_busy(snapshot.execution.status):
        return jobs.base(item.status.job_id_finished) != snapshot.job or jobs.is_busy(item.status)
    return jobs.is_busy(item.status)


def _failed(snapshot: Snapshot, item: DeployItem) -> Intent:
    status, failure = item.status, _failure("the deploy item was interrupted")
    job = status.job_id if items.has_job(item, snapshot.job) else snapshot.job
    conditions, _ = waiting.settle(status.conditions, None, since=snapshot.now, now=snapshot.now)
    times = status.transition_times or TransitionTimes()
    error = errors.updated(status.last_error, failure, snapshot.now)
    return writing.item_status(
        item,
        msgspec.structs.replace(
            status,
            phase=str(Phase.DELETE_FAILED if items.is_deleted(item) else Phase.FAILED),
            job_id=job,
            job_id_finished=job,
            last_error=error,
            conditions=conditions,
            transition_times=msgspec.structs.replace(times, finished_time=snapshot.moment),
        ),
    )


def _failure(message: str) -> OperationFailed:
    return OperationFailed(_INTERRUPT, _INTERRUPT, message)
