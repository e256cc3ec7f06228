"""Why a job failed: which items, and each with what its own deployer said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api.errors import ErrorCode, OperationFailed
from landform.executions import items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.api.deployitems import DeployItem
    from landform.executions.standings import Leave, Member, Run

_PROGRESSING = "handlePhaseProgressing"
_DELETING = "handlePhaseDeleting"
_CODES = (ErrorCode.FOR_INFO_ONLY,)
"""The problem itself is the item's, and so are its codes."""


def of_run(run: Run) -> OperationFailed:
    """Items failed, or are missing."""
    names = ", ".join(member.name for member in run.failed)
    lines = [f"{len(run.failed)} of {run.size} deploy items failed: {names}", *map(_about_member, run.failed)]
    lines += _unstarted([member.name for member in (*run.ready, *run.pending)])
    return OperationFailed(_PROGRESSING, "DeployItemsFailed", "\n".join(lines), codes=_CODES)


def of_standstill(run: Run) -> OperationFailed:
    """Nothing runs, nothing failed, and nothing can begin."""
    names = ", ".join(member.name for member in run.pending)
    message = f"these deploy items could not be started, because what they depend on did not succeed: {names}"
    return OperationFailed(_PROGRESSING, "DeployItemsNotStarted", message, codes=_CODES)


def of_leave(leave: Leave, *, orphans: bool) -> OperationFailed:
    """Items could not be removed."""
    names = ", ".join(map(items.logical_name, leave.failed))
    kind = "deploy items that are no longer wanted" if orphans else "deploy items"
    lines = [f"{kind} could not be deleted: {names}", *map(_about_item, leave.failed)]
    lines += _unstarted([*map(items.logical_name, (*leave.ready, *leave.pending))])
    if orphans:
        return OperationFailed(_PROGRESSING, "OrphanedDeployItemsFailed", "\n".join(lines), codes=_CODES)
    return OperationFailed(_DELETING, "DeployItemsNotDeleted", "\n".join(lines), codes=_CODES)


def _about_member(member: Member) -> str:
    if member.item is None:
        return f"- {member.name} ({member.object_name}) was deleted during the job"
    if items.is_deleted(member.item):
        return f"- {member.name} ({member.object_name}) is being deleted; the next job creates it anew"
    return _about_item(member.item)


def _about_item(item: DeployItem) -> str:
    error = item.status.last_error or item.status.first_error
    said = f"{error.reason}: {error.message}" if error else f"its deployer gave no reason for phase {item.status.phase}"
    return f"- {items.logical_name(item)} ({items.object_name(item)}, type {item.spec.type}): {said}"


def _unstarted(names: Sequence[str]) -> list[str]:
    return [f"not started: {', '.join(names)}"] if names else []
