"""Whether everything below an Installation is as the last job left it, in its condition `Healthy`.

The phase says how the last job ended, and stays; this moves when something below fails or recovers later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api import conditions, jobs, phases
from landform.api.conditions import ConditionStatus, ConditionType
from landform.api.phases import Phase
from landform.installations import relations, statuses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.api.conditions import Condition
    from landform.api.executions import Execution
    from landform.api.installations import Installation, InstallationStatus
    from landform.installations.snapshot import Snapshot


def stated(snapshot: Snapshot, status: InstallationStatus) -> InstallationStatus:
    """The status of a finished Installation with what is below it now."""
    if not phases.is_final(status.phase):
        return status
    trouble = _trouble(snapshot, status)
    return statuses.stated(
        status,
        ConditionType.HEALTHY,
        ok=trouble is None,
        reason="AsItShouldBe" if trouble is None else "NotAsItShouldBe",
        message=trouble or "everything below is as the last job left it",
        now=snapshot.now,
    )


def _trouble(snapshot: Snapshot, status: InstallationStatus) -> str | None:
    if status.phase != Phase.SUCCEEDED:
        reason = status.last_error.reason if status.last_error else status.phase
        return f"the last job ended in phase {status.phase}: {reason}"
    return next(_troubles(snapshot), None)


def _troubles(snapshot: Snapshot) -> Iterator[str]:
    if snapshot.own_execution is not None:
        yield from _trouble_of("the execution", snapshot.own_execution)
    for child in snapshot.children:
        yield from _trouble_of(relations.title(child), child)


def _trouble_of(title: str, child: Installation | Execution) -> Iterator[str]:
    if (said := _unhealthy(child)) is not None:
        yield f"{title}: {said.message}"
    elif phases.is_failed(child.status.phase) and not jobs.is_busy(child.status):
        yield f"{title} is in phase {child.status.phase}"


def _unhealthy(child: Installation | Execution) -> Condition | None:
    said = conditions.find(child.status.conditions, ConditionType.HEALTHY)
    return said if said is not None and said.status == ConditionStatus.FALSE else None
