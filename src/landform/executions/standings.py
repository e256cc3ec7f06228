"""How far the items of an Execution are in its job: who works, who is done, who may begin."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.api import jobs, phases
from landform.api.phases import Phase
from landform.executions import items

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from landform.api.deployitems import DeployItem
    from landform.executions.snapshot import Snapshot


@dataclass(frozen=True)
class Member:
    """One item of the current job."""

    name: str
    """In the Execution."""

    object_name: str
    item: DeployItem | None
    """None if somebody has removed it."""


def members(snapshot: Snapshot) -> tuple[Member, ...]:
    """The items of the current job, in the order of the Execution, as they were when it began."""
    remembered = snapshot.execution.status.deploy_item_cache
    found = {items.object_name(item): item for item in snapshot.items}
    return tuple(
        Member(each.spec_name or "", each.object_name or "", found.get(each.object_name or ""))
        for each in (remembered.active_dis if remembered else None) or ()
    )


@dataclass(frozen=True)
class Run:
    """The members of a job that installs."""

    running: tuple[Member, ...] = ()
    succeeded: tuple[Member, ...] = ()
    failed: tuple[Member, ...] = ()
    """Their job is over without success, or they were deleted meanwhile."""
    ready: tuple[Member, ...] = ()
    """All that they depend on succeeded in this job."""
    pending: tuple[Member, ...] = ()

    @property
    def size(self) -> int:
        """How many there are."""
        return sum(map(len, (self.running, self.succeeded, self.failed, self.ready, self.pending)))


def of_run(team: Sequence[Member], job: str) -> Run:
    """Who is how far with a job that installs."""
    found: dict[_State, list[Member]] = {state: [] for state in _State}
    for member in team:
        found[_state_in_run(member.item, job)].append(member)
    done = {member.name for member in found[_State.SUCCEEDED]}
    for member in found.pop(_State.WAITING):
        may_begin = member.item is not None and done.issuperset(items.dependencies(member.item))
        found[_State.READY if may_begin else _State.PENDING].append(member)
    return Run(**{str(state): tuple(members) for state, members in found.items()})


class _State(enum.StrEnum):
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    READY = "ready"
    PENDING = "pending"
    WAITING = "waiting"
    """READY or PENDING: the others decide."""


def _state_in_run(item: DeployItem | None, job: str) -> _State:
    if item is None:
        return _State.FAILED
    if items.has_job(item, job) and jobs.is_busy(item.status):
        return _State.RUNNING  # a scheduled pass on the job's results counts too
    if items.is_deleted(item):
        return _State.FAILED  # by hand: it is not what was wanted, whatever its deployer made of it
    if not items.has_job(item, job):
        return _State.WAITING
    return _State.SUCCEEDED if item.status.phase == Phase.SUCCEEDED else _State.FAILED


@dataclass(frozen=True)
class Leave:
    """The items that are to go, all of them deleted already."""

    running: tuple[DeployItem, ...] = ()
    failed: tuple[DeployItem, ...] = ()
    ready: tuple[DeployItem, ...] = ()
    """No other item that is still there depends on them."""
    pending: tuple[DeployItem, ...] = ()


def of_leave(going: Sequence[DeployItem], job: str) -> Leave:
    """Who is how far with a job that removes: in the reverse order, dependents first."""
    found: dict[_State, list[DeployItem]] = {state: [] for state in _State}
    needed = {name for item in going for name in items.dependencies(item)}
    for item in going:
        found[_state_in_leave(item, job, needed)].append(item)
    ready, pending = found[_State.READY], found[_State.PENDING]
    if not ready and not found[_State.RUNNING] and not found[_State.FAILED]:
        ready, pending = pending, []  # two generations of the Execution left a circle: any order is better than none
    return Leave(*map(tuple, (found[_State.RUNNING], found[_State.FAILED], ready, pending)))


def _state_in_leave(item: DeployItem, job: str, needed: Collection[str]) -> _State:
    if not items.is_held(item):
        return _State.RUNNING  # nothing of ours holds it any more
    if not items.has_job(item, job):
        return _State.PENDING if items.logical_name(item) in needed else _State.READY
    over = not jobs.is_busy(item.status) and phases.is_failed(item.status.phase)
    return _State.FAILED if over else _State.RUNNING
