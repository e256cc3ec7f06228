"""Phase Init: who comes first, what is imported, what the blueprint makes of it, and what children that means."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from landform.api.conditions import ConditionType
from landform.api.errors import OperationFailed
from landform.api.names import DEFAULT_CONTEXT, Label
from landform.api.phases import Phase
from landform.api.waiting import Wait, WaitReason
from landform.cluster.codec import key_of
from landform.cluster.kinds import CONTEXTS
from landform.cluster.resources import ObjectKey
from landform.installations import children, endings, imports, plans, predecessors, states, statuses, waits, writing
from landform.installations import sources as sourcing
from landform.installations.certainty import Certain
from landform.installations.plans import StepFailed
from landform.runtime.intents import WakeAt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.api.installations import Installation, InstallationStatus
    from landform.installations.children import Changes
    from landform.installations.imports import Reading
    from landform.installations.snapshot import Snapshot
    from landform.installations.sources import Sources
    from landform.runtime.intents import Intent

_OPERATION: Final = "handlePhaseInit"
_REASON: Final = "CreateImportsAndSubobjects"
_CONTEXT_PATIENCE: Final = timedelta(minutes=1)
"""So long may it take until a new namespace has its default Context."""


def prepare(snapshot: Snapshot) -> list[Intent]:
    """Make everything that the children need, and the children; then they may start."""
    status = statuses.entered(snapshot)
    try:
        return _prepare(snapshot, status)
    except StepFailed as failure:
        failed = _stated(_observed(status, snapshot), failure.condition, failure, snapshot)
        outer = OperationFailed(_OPERATION, _REASON, cause=failure)
        return endings.fail(snapshot, failed, outer)
    except OperationFailed as failure:
        return endings.fail(snapshot, _observed(status, snapshot), failure)


def _prepare(snapshot: Snapshot, status: InstallationStatus) -> list[Intent]:
    if snapshot.context is None:
        return _without_context(snapshot, status)
    before = predecessors.of(snapshot)
    if wait := predecessors.wait_for(snapshot, before):
        return waits.stand(snapshot, status, wait)
    predecessors.check_success(before)
    sources = find_sources(snapshot)
    if sources is None:
        wanted = sourcing.Wanted(snapshot.installation, snapshot.context)
        return [sourcing.Fetch(snapshot.desk, wanted)]
    reading = imports.read(snapshot)
    if reading.missing:
        return missing_imports(snapshot, _observed(status, snapshot), reading)
    begun = plans.begin(snapshot, sources, reading.given, ("ConstructImports", "RenderImportExecutions"))
    plan = plans.plan(snapshot, begun)
    changes = children.arrange(snapshot, sources, plan.templates, plan.items)
    stated = _overwritten(snapshot, status, sources)
    return [
        *_doubts(snapshot, reading, before),
        *states.write(snapshot, plan.states),
        *imports.write_scope(snapshot, plan.scope),
        *changes.intents,
        *writing.write_status(snapshot.installation, _prepared(snapshot, stated, reading, changes)),
    ]


def find_sources(snapshot: Snapshot) -> Sources | None:
    """What the Installation is made from; None if it must be fetched first."""
    found = snapshot.known.sources
    if isinstance(found, OperationFailed):
        raise found
    return found or sourcing.written(snapshot.installation, snapshot.desk.components)


def missing_imports(snapshot: Snapshot, status: InstallationStatus, reading: Reading) -> list[Intent]:
    """Fail, naming each import and the object that is not there; but only if it really is not."""
    message = "; ".join(missing.message for missing in reading.missing)
    failure = OperationFailed("init", "ImportsSatisfied", message)
    checks = [
        Certain(snapshot.reader, missing.resource, ObjectKey(snapshot.namespace, missing.name), missing.seen)
        for missing in reading.missing
    ]
    failed = _stated(status, ConditionType.VALIDATE_IMPORTS, failure, snapshot)
    return [*checks, *endings.fail(snapshot, failed, failure)]


def going_on(status: InstallationStatus, snapshot: Snapshot) -> InstallationStatus:
    """The status when the children may start."""
    status = statuses.moved(status, Phase.PROGRESSING, snapshot.now)
    return statuses.timed(status, snapshot.now, "wait_time")


def _without_context(snapshot: Snapshot, status: InstallationStatus) -> list[Intent]:
    """Fail; but a namespace gets its default Context by itself, perhaps a moment after its first Installation."""
    name = snapshot.installation.spec.context or ""
    until = (status.phase_transition_time or snapshot.now) + _CONTEXT_PATIENCE
    if name == DEFAULT_CONTEXT and snapshot.now < until:
        wait = Wait(WaitReason.MISSING_IMPORT, f"namespace {snapshot.namespace} has no Context {name} yet")
        return [*waits.stand(snapshot, status, wait), WakeAt(until)]
    message = f"there is no Context {name} in namespace {snapshot.namespace}; create it, then reconcile again"
    failure = OperationFailed(sourcing.OPERATION, "CalculateContext", message)
    check = Certain(snapshot.reader, CONTEXTS, ObjectKey(snapshot.namespace, name))
    return [check, *endings.fail(snapshot, _observed(status, snapshot), failure)]


def _doubts(snapshot: Snapshot, reading: Reading, before: Sequence[Installation]) -> list[Intent]:
    """Exports of a predecessor that do not seem to be of its last job: perhaps those have not been seen yet."""
    jobs = {f"Inst.{sibling.metadata.name}": sibling.status.job_id_finished for sibling in before}
    doubts: list[Intent] = []
    for resource, obj in reading.objects:
        labels = obj.metadata.labels or {}
        writer = labels.get(Label.DATA_SOURCE)
        if writer in jobs and labels.get(Label.DATA_JOB_ID) != jobs[writer]:
            doubts.append(Certain(snapshot.reader, resource, key_of(obj), obj))
    return doubts


def _overwritten(snapshot: Snapshot, status: InstallationStatus, sources: Sources) -> InstallationStatus:
    """The status with whether another component is used than the one that is named."""
    if sources.overwrite is None:
        return status
    reason = "FoundOverwrite" if sources.overwrite else "No overwrite defined"
    message = sources.overwrite or "the component is used that the specification names"
    condition, ok = ConditionType.COMPONENT_REFERENCE_OVERWRITE, bool(sources.overwrite)
    return statuses.stated(status, condition, ok=ok, reason=reason, message=message, now=snapshot.now)


def _prepared(snapshot: Snapshot, status: InstallationStatus, reading: Reading, changes: Changes) -> InstallationStatus:
    now = snapshot.now
    for condition, reason, message in (
        (ConditionType.VALIDATE_IMPORTS, "ImportsValid", "all imports exist and fit the blueprint"),
        (ConditionType.CREATE_IMPORTS, "DataObjectsCreated", "the imports were written for the children"),
        (ConditionType.ENSURE_SUB_INSTALLATIONS, "InstallationsInstalled", "all sub-installations are as wanted"),
        (ConditionType.RECONCILE_EXECUTION, "ExecutionDeployed", "the execution is as wanted"),
    ):
        status = statuses.stated(status, condition, ok=True, reason=reason, message=message, now=now)
    status = statuses.changed(
        _observed(status, snapshot),
        imports_hash=reading.hash,
        sub_inst_cache=changes.cache,
        execution_ref=changes.execution_ref,
        last_error=None,
    )
    if changes.has_orphans:
        return statuses.moved(status, Phase.CLEANUP_ORPHANED, now)
    return going_on(status, snapshot)


def _observed(status: InstallationStatus, snapshot: Snapshot) -> InstallationStatus:
    """The status with the generation that this phase saw: since the job began, the Context may have been filled in."""
    return statuses.changed(status, observed_generation=snapshot.installation.metadata.generation or 0)


def _stated(
    status: InstallationStatus, condition: ConditionType, failure: OperationFailed, snapshot: Snapshot
) -> InstallationStatus:
    return statuses.stated(
        status, condition, ok=False, reason=failure.reason, message=failure.message, now=snapshot.now
    )
