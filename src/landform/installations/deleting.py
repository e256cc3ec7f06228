"""Phases InitDelete to DeleteFailed. Nothing here needs the blueprint, the component or the Context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api.errors import ErrorCode, OperationFailed
from landform.api.names import TRUE, Annotation, Finalizer
from landform.api.phases import Phase
from landform.api.waiting import Wait, WaitReason
from landform.cluster.kinds import EXECUTIONS, INSTALLATIONS
from landform.cluster.resources import ObjectKey
from landform.installations import endings, progressing, relations, statuses, waits, writing
from landform.installations.certainty import Certain
from landform.installations.snapshot import is_unfinished
from landform.runtime.intents import Patch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.api.executions import Execution
    from landform.api.installations import Installation, InstallationStatus
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent

_UNINSTALL = Annotation.DELETE_WITHOUT_UNINSTALL


def begin(snapshot: Snapshot) -> list[Intent]:
    """Wait until no sibling needs the exports; then have everything below deleted."""
    status = _status(snapshot)
    if importers := _importers(snapshot):
        return _blocked(snapshot, status, importers[0])
    if not snapshot.below:
        return let_go(snapshot)
    status = statuses.timed(statuses.moved(status, Phase.DELETING, snapshot.now), snapshot.now, "wait_time")
    return [*_discard_children(snapshot), *writing.write_status(snapshot.installation, status)]


def go_on(snapshot: Snapshot) -> list[Intent]:
    """Wait until everything below is gone; then let the Installation go."""
    children = snapshot.below
    if not children:
        return let_go(snapshot)
    if discards := _discard_children(snapshot):
        return discards
    if starts := progressing.trigger_children(snapshot):
        return starts
    if unfinished := [child for child in children if is_unfinished(child, snapshot.job)]:
        return waits.stand(snapshot, snapshot.status, Wait(WaitReason.CHILDREN, progressing.describe(unfinished)))
    return endings.fail(snapshot, snapshot.status, _undeleted(children))


def let_go(snapshot: Snapshot) -> list[Intent]:
    """Take off the finalizer; what the Installation has written goes with it.

    Should its Execution only not have been seen yet, nobody would be left to have it deleted.
    """
    key = ObjectKey(snapshot.namespace, snapshot.name)
    left = [name for name in snapshot.installation.metadata.finalizers or () if name != Finalizer.LANDSCAPER]
    return [
        Certain(snapshot.reader, EXECUTIONS, key, snapshot.execution),
        Patch(INSTALLATIONS, snapshot.installation, {"metadata": {"finalizers": left or None}}),
    ]


def _status(snapshot: Snapshot) -> InstallationStatus:
    """An Installation that still waited to begin when it was deleted has nothing to finish first."""
    status = statuses.entered(snapshot)
    return status if status.phase == Phase.INIT_DELETE else statuses.moved(status, Phase.INIT_DELETE, snapshot.now)


def _importers(snapshot: Snapshot) -> list[Installation]:
    if snapshot.annotations.get(Annotation.DELETE_IGNORE_SUCCESSORS) == TRUE:
        return []
    return list(snapshot.importers)


def _blocked(snapshot: Snapshot, status: InstallationStatus, importer: Installation) -> list[Intent]:
    title = relations.title(importer)
    if importer.status.job_id_finished == snapshot.job and importer.status.phase == Phase.DELETE_FAILED:
        message = f"{title} imports from this one and could not be deleted"
        failure = OperationFailed("CheckSuccessorSibling", "SiblingDeleteError", message)
        return endings.fail(snapshot, status, failure)
    phase = f" (in phase {importer.status.phase})" if importer.status.phase else ""
    message = (
        f"{title}{phase} still imports {_shared(snapshot, importer)}; delete it first, "
        f'or annotate this one with {Annotation.DELETE_IGNORE_SUCCESSORS}: "{TRUE}"'
    )
    return waits.stand(snapshot, status, Wait(WaitReason.IMPORTER, message))


def _shared(snapshot: Snapshot, importer: Installation) -> str:
    imported = set(relations.imports_of(importer))
    return next(str(export) for export in relations.exports_of(snapshot.installation) if export in imported)


def _discard_children(snapshot: Snapshot) -> list[Intent]:
    """Delete what is not being deleted; and whenever it is asked for, pass on that the target is to be left alone."""
    leave_alone = snapshot.annotations.get(_UNINSTALL) == TRUE
    intents: list[Intent] = []
    for child in snapshot.below:
        annotations = {str(_UNINSTALL): TRUE} if leave_alone and not _is_left_alone(child) else {}
        resource = writing.resource_of(child)
        if child.metadata.deletion_timestamp is None:
            intents.append(writing.Discard(resource, child, annotations))
        elif annotations:
            intents.append(Patch(resource, child, {"metadata": {"annotations": annotations}}))
    return intents


def _is_left_alone(child: Installation | Execution) -> bool:
    return (child.metadata.annotations or {}).get(_UNINSTALL) == TRUE


def _undeleted(children: Sequence[Installation | Execution]) -> OperationFailed:
    listing = "; ".join(
        f"{progressing.title(child)} is in phase {child.status.phase}"
        + (f": {child.status.last_error.message}" if child.status.last_error else "")
        for child in children
    )
    message = f"these could not be deleted: {listing}"[: progressing.LONGEST]
    return OperationFailed("handleReconcilePhase", "UndeletedSubobjects", message, codes=[ErrorCode.FOR_INFO_ONLY])
