"""New jobs of Installations that nobody else gives jobs to, and the small upkeep of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.api import jobs, phases
from landform.api.names import DEFAULT_CONTEXT, RETRY, TRUE, Annotation, Finalizer, Operation
from landform.api.phases import TransitionTimes
from landform.installations import latedata, retries, statuses, writing

if TYPE_CHECKING:
    from landform.api.installations import AutomaticReconcileStatus
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent


def begin(snapshot: Snapshot) -> list[Intent]:
    """Begin a job if one is due; nothing if not."""
    if not snapshot.starts_itself or jobs.is_busy(snapshot.status):
        return []
    if operation := _asked(snapshot):
        by_hand = snapshot.annotations.get(Annotation.RECONCILE_REASON) != RETRY
        automatic = None if by_hand else snapshot.status.automatic_reconcile_status
        renews = operation == Operation.RENEW and not snapshot.is_deleted
        return [_begin(snapshot, automatic, renews=renews)]
    if _must_be_deleted(snapshot) or _has_changed(snapshot):
        return [_begin(snapshot, snapshot.status.automatic_reconcile_status)]
    plan = retries.plan(snapshot)
    if plan is not None and plan.at <= snapshot.now:
        return [_begin(snapshot, plan.status)]
    late = latedata.due(snapshot)
    if late is not None and late <= snapshot.now:
        return [_begin(snapshot, snapshot.status.automatic_reconcile_status, renews=True)]
    return []


def upkeep(snapshot: Snapshot) -> dict[str, Any]:
    """What every Installation must have, and what it must not, as a merge patch; empty if all is well."""
    change: dict[str, Any] = {}
    metadata = snapshot.installation.metadata
    if not snapshot.is_deleted and Finalizer.LANDSCAPER not in (metadata.finalizers or ()):
        change["metadata"] = {"finalizers": [*(metadata.finalizers or ()), str(Finalizer.LANDSCAPER)]}
        if jobs.is_busy(snapshot.status) and _asked(snapshot):
            # Whoever began the job died before it could write this: the request is the one that the job answers.
            change["metadata"].update(_request_taken_off(snapshot))
    if not snapshot.is_deleted and not snapshot.installation.spec.context:
        change["spec"] = {"context": DEFAULT_CONTEXT}
    if not snapshot.starts_itself and _asked(snapshot):
        change.setdefault("metadata", {}).update(_request_taken_off(snapshot))
    return change


def _begin(snapshot: Snapshot, automatic: AutomaticReconcileStatus | None, *, renews: bool = False) -> Intent:
    status = statuses.changed(
        snapshot.status,
        job_id=jobs.renewal_id(snapshot.new_job) if renews else snapshot.new_job,
        automatic_reconcile_status=automatic,
        transition_times=TransitionTimes(trigger_time=statuses.whole(snapshot.now)),
    )
    status = statuses.begun(snapshot, status)
    metadata = upkeep(snapshot)
    if _asked(snapshot):
        metadata.setdefault("metadata", {}).update(_request_taken_off(snapshot))
    return writing.Begin(snapshot.installation, writing.status_change(snapshot.status, status), metadata)


def _asked(snapshot: Snapshot) -> str:
    """The operation by which somebody asks for a job; empty if nobody does."""
    operation = snapshot.annotations.get(Annotation.OPERATION, "")
    return operation if operation in (Operation.RECONCILE, Operation.RENEW) else ""


def _must_be_deleted(snapshot: Snapshot) -> bool:
    """Once it has failed, deletion begins anew only when somebody asks for it."""
    return snapshot.is_deleted and not phases.is_deletion(snapshot.status.phase)


def _has_changed(snapshot: Snapshot) -> bool:
    wants = snapshot.annotations.get(Annotation.RECONCILE_IF_CHANGED) == TRUE
    generation = snapshot.installation.metadata.generation
    return wants and not snapshot.is_deleted and snapshot.status.observed_generation != generation


def _request_taken_off(snapshot: Snapshot) -> dict[str, Any]:
    requests = (Annotation.OPERATION, Annotation.RECONCILE_REASON)
    return {"annotations": {str(key): None for key in requests if key in snapshot.annotations}}
