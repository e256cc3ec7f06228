"""Phase Completing: all children have succeeded, so the exports are made and the job is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from landform.api.conditions import ConditionType
from landform.api.errors import ErrorCode, OperationFailed
from landform.cluster.kinds import DATA_OBJECTS
from landform.cluster.resources import ObjectKey
from landform.installations import endings, exporting, imports, plans, preparing, sources, states, statuses
from landform.installations.certainty import Certain
from landform.installations.plans import StepFailed

if TYPE_CHECKING:
    from landform.api.installations import InstallationStatus
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent

_OPERATION: Final = "handlePhaseCompleting"
_STEPS: Final = ("ConstructImportsForExports", "RenderImportExecutionsForExports")


def complete(snapshot: Snapshot) -> list[Intent]:
    """Check that nothing has changed under the job, write the exports, and end it."""
    status = snapshot.status
    try:
        return _complete(snapshot, status)
    except StepFailed as failure:
        outer = OperationFailed(_OPERATION, failure.operation, failure.message, codes=failure.codes)
        return endings.fail(snapshot, _stated(status, outer, snapshot), outer)
    except OperationFailed as failure:
        return endings.fail(snapshot, _stated(status, failure, snapshot), failure)


def _complete(snapshot: Snapshot, status: InstallationStatus) -> list[Intent]:
    _check_generation(snapshot)
    found = preparing.find_sources(snapshot)
    if found is None:
        if snapshot.context is None:
            raise OperationFailed(sources.OPERATION, "CalculateContext", "its Context was deleted during the job")
        return [sources.Fetch(snapshot.desk, sources.Wanted(snapshot.installation, snapshot.context))]
    reading = imports.read(snapshot)
    if reading.missing:
        return preparing.missing_imports(snapshot, status, reading)
    if reading.hash != status.imports_hash:
        message = "what it imports has changed during the job; reconcile again"
        raise OperationFailed(_OPERATION, "CheckImportsHash", message)
    begun = plans.begin(snapshot, found, reading.given, _STEPS)
    made = plans.export(snapshot, begun, exporting.gather(snapshot))
    return [
        *_doubts(snapshot),
        *exporting.clean_inner_scope(snapshot),
        *states.write(snapshot, made.states),
        *exporting.write(snapshot, made.exports),
        *endings.succeed(snapshot, _exported(status, snapshot)),
    ]


def _check_generation(snapshot: Snapshot) -> None:
    """A request to delete counts as a change too, but it is no reason to spoil the end of the job before."""
    if not snapshot.is_deleted and snapshot.status.observed_generation != snapshot.installation.metadata.generation:
        message = "its specification has changed during the job; reconcile again"
        codes = [ErrorCode.FOR_INFO_ONLY]
        raise OperationFailed(_OPERATION, "CheckObservedGeneration", message, codes=codes)


def _doubts(snapshot: Snapshot) -> list[Intent]:
    """The exports of the items must be those of this job: their watch may be behind that of the Execution."""
    execution = snapshot.own_execution
    reference = execution.status.export_ref if execution is not None else None
    if reference is None:
        return []
    seen = snapshot.data_object(reference.name)
    return [Certain(snapshot.reader, DATA_OBJECTS, ObjectKey(snapshot.namespace, reference.name), seen)]


def _exported(status: InstallationStatus, snapshot: Snapshot) -> InstallationStatus:
    return statuses.stated(
        status,
        ConditionType.CREATE_EXPORTS,
        ok=True,
        reason="DataObjectsCreated",
        message="the exports are those of the last job that succeeded",
        now=snapshot.now,
    )


def _stated(status: InstallationStatus, failure: OperationFailed, snapshot: Snapshot) -> InstallationStatus:
    """The exports of the job before are still in place; what failed is to write new ones."""
    return statuses.stated(
        status,
        ConditionType.CREATE_EXPORTS,
        ok=False,
        reason=failure.reason,
        message=failure.message,
        now=snapshot.now,
    )
