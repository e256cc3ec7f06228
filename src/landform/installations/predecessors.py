"""The siblings that an Installation imports from: they come first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from landform.api import jobs
from landform.api.errors import ErrorCode, OperationFailed
from landform.api.names import Annotation, Operation
from landform.api.phases import Phase
from landform.api.waiting import Wait, WaitReason
from landform.blueprints.graph import ARROW
from landform.installations import relations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.api.installations import Installation
    from landform.installations.snapshot import Snapshot

_OPERATION: Final = "init"


def of(snapshot: Snapshot) -> Sequence[Installation]:
    """The predecessors, by name; OperationFailed if it is not clear who they are, or if they wait for this one."""
    found: dict[str, Installation] = {}
    for reference, exporters in snapshot.exporters.items():
        lasting = [sibling for sibling in exporters if sibling.metadata.deletion_timestamp is None] or exporters
        if len(lasting) > 1:
            names = " and ".join(sorted(sibling.metadata.name or "" for sibling in lasting))
            message = f"the {reference} is exported more than once, by {names}: give one of the exports another name"
            raise OperationFailed(_OPERATION, "DuplicateExporters", message)
        found[lasting[0].metadata.name or ""] = lasting[0]
    if found and snapshot.circle:
        message = f"installations import from each other in a circle: {ARROW.join([*snapshot.circle, snapshot.name])}"
        raise OperationFailed(_OPERATION, "CyclicDependencies", message)
    return [found[name] for name in sorted(found)]


def wait_for(snapshot: Snapshot, predecessors: Sequence[Installation]) -> Wait | None:
    """What must be waited for: the first predecessor that has something to do before."""
    for predecessor in predecessors:
        if _is_unfinished(snapshot, predecessor):
            phase = predecessor.status.phase
            state = f"is in phase {phase}" if phase and jobs.is_busy(predecessor.status) else "is about to start"
            return Wait(WaitReason.PREDECESSOR, f"{relations.title(predecessor)} {state}")
    return None


def check_success(predecessors: Sequence[Installation]) -> None:
    """OperationFailed if one of them did not succeed."""
    for predecessor in predecessors:
        if predecessor.status.phase != Phase.SUCCEEDED:
            phase = predecessor.status.phase
            state = f"is in phase {phase}" if phase else "never ran"
            message = f"predecessor {relations.title(predecessor)} {state}; it must succeed first"
            codes = [ErrorCode.FOR_INFO_ONLY]
            raise OperationFailed(_OPERATION, "AllPredecessorsSucceeded", message, codes=codes)


def _is_unfinished(snapshot: Snapshot, predecessor: Installation) -> bool:
    if snapshot.parent is not None:
        return (predecessor.status.job_id_finished or "") != snapshot.job
    asked = (predecessor.metadata.annotations or {}).get(Annotation.OPERATION)
    return asked == Operation.RECONCILE or jobs.is_busy(predecessor.status)
