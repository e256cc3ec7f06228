"""Progressing: items are started as soon as what they depend on has succeeded, until all have, or one has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api import jobs
from landform.executions import completion, confirming, failures, items, standings, stations, waits

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem
    from landform.executions.snapshot import Snapshot
    from landform.executions.standings import Run
    from landform.runtime.intents import Intent


def decide(snapshot: Snapshot) -> list[Intent]:
    """Start what may start; or end the job; or wait.

    No item starts after another has failed, but those that run come to their end.
    """
    team = standings.members(snapshot)
    run = standings.of_run(team, snapshot.job)
    if run.ready and not run.failed:
        return [_started(snapshot, member.item) for member in run.ready if member.item is not None]
    if run.running:
        working = [member.item for member in run.running if member.item is not None]
        return stations.standing(snapshot, waits.for_items(working), working)
    if run.failed:
        return _failed(snapshot, run)
    if run.pending:
        raise failures.of_standstill(run)
    return completion.decide(snapshot, team)


def _started(snapshot: Snapshot, item: DeployItem) -> Intent:
    """Start an item; but in a job that only renews, one that is as it was is done at once."""
    target = snapshot.target_of(item)
    if jobs.is_renewal(snapshot.job) and items.is_unchanged(item, target):
        return items.passed(item, snapshot.job, snapshot.moment)
    return items.triggered(item, snapshot.job, snapshot.moment, target)


def _failed(snapshot: Snapshot, run: Run) -> list[Intent]:
    missing = [member.object_name for member in run.failed if member.item is None]
    return [confirming.Gone(snapshot, tuple(missing)), *stations.failed(snapshot, failures.of_run(run))]
