"""What an Execution waits for, in words that name the item."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from landform.api import conditions
from landform.api.conditions import ConditionType
from landform.api.names import Finalizer
from landform.api.waiting import Wait, WaitReason
from landform.executions import items

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from landform.api.deployitems import DeployItem
    from landform.executions.snapshot import Snapshot

ROUNDING = timedelta(seconds=1)
"""Times are written in whole seconds: what is said to have happened at 12:00:00 may be almost a second younger."""


def for_items(working: Sequence[DeployItem]) -> Wait:
    """Deployers work on these."""
    return Wait(WaitReason.CHILDREN, _listed(working))


def for_orphans(going: Sequence[DeployItem]) -> Wait:
    """These must go before anything else begins."""
    return Wait(WaitReason.ORPHANS, f"{_listed(going)}; it must be gone before other items begin")


def for_uninstalling(going: Sequence[DeployItem]) -> Wait:
    """The Execution goes when these have gone."""
    held = [item for item in going if not items.is_held(item) and item.metadata.finalizers]
    if len(held) == len(going):
        return Wait(WaitReason.FINALIZER, _listed(going))
    return Wait(WaitReason.UNINSTALL, _listed(going))


def since(snapshot: Snapshot, working: Iterable[DeployItem]) -> datetime:
    """Since when the Execution certainly stands still: the last thing that it did."""
    moments = [snapshot.execution.status.phase_transition_time]
    for item in working:
        times = item.status.transition_times
        moments.append(times.trigger_time if times else None)
    known = [moment for moment in moments if moment is not None]
    return max(known) + ROUNDING if known else snapshot.now


def about(item: DeployItem) -> str:
    """One item, its state, and what it says itself that it waits for."""
    text = f"deploy item {items.object_name(item)} ({items.logical_name(item)}) {_state(item)}"
    own = conditions.find(item.status.conditions, ConditionType.WAITING)
    return f"{text}: {own.message}" if own is not None else text


def _state(item: DeployItem) -> str:
    foreign = [each for each in item.metadata.finalizers or () if each != Finalizer.LANDSCAPER]
    if items.is_deleted(item) and not items.is_held(item) and foreign:
        return f"is held by the finalizer {', '.join(foreign)}"
    if not items.is_begun(item):
        return "has not been begun"
    return f"is in phase {item.status.phase}"


def _listed(working: Sequence[DeployItem]) -> str:
    text = about(working[0])
    return f"{text} (and {len(working) - 1} more)" if len(working) > 1 else text
