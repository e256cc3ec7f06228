"""Installations without a job: how they are now, and what would start them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api import phases, waiting
from landform.api.waiting import Wait, WaitReason
from landform.installations import health, latedata, relations, retries, waits
from landform.runtime.intents import WakeAt

if TYPE_CHECKING:
    from datetime import datetime

    from landform.installations.retries import Plan
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent


def rest(snapshot: Snapshot) -> list[Intent]:
    """Say how it is, and wake it for its next automatic run."""
    plan = retries.plan(snapshot)
    status = retries.stated(snapshot, latedata.stated(snapshot, health.stated(snapshot, snapshot.status)))
    intents = waits.stand(snapshot, status, _wait(snapshot, plan), since=_still_since(snapshot))
    moments = (plan.at if plan is not None else None, latedata.due(snapshot))
    return [*intents, *(WakeAt(moment) for moment in moments if moment is not None)]


def _still_since(snapshot: Snapshot) -> datetime | None:
    """When it last moved: its job ended, or somebody began to delete it, to whose job it then belongs."""
    times = snapshot.status.transition_times
    moments = (times.finished_time if times else None, snapshot.installation.metadata.deletion_timestamp)
    return max((moment for moment in moments if moment is not None), default=None)


def _wait(snapshot: Snapshot, plan: Plan | None) -> Wait | None:
    if plan is not None and phases.is_failed(snapshot.status.phase):
        error = snapshot.status.last_error
        return waiting.retry(plan.at, error.message if error else "")
    if snapshot.is_deleted and snapshot.parent is not None:
        parent = relations.title(snapshot.parent)
        return Wait(WaitReason.FINALIZER, f"{parent} deletes it in its next job; ask that one to reconcile")
    return None
