"""Items that no deployer begins: they say so after a second, and fail after five minutes.

Until a deployer begins, nobody else writes to an item that was given a job, so this controller may. A deployer takes
the `Waiting` condition off with the write by which it begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from landform.api import errors, jobs, waiting
from landform.api.errors import ErrorCode, OperationFailed
from landform.api.phases import Phase, TransitionTimes
from landform.api.waiting import Wait, WaitReason
from landform.cluster.codec import key_of
from landform.cluster.kinds import DEPLOY_ITEMS, TARGETS
from landform.cluster.resources import ObjectKey
from landform.executions import items, waits, writing
from landform.runtime.controllers import Controller, itself
from landform.runtime.intents import Emit, WakeAt
from landform.runtime.recorders import EventType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from landform.api.deployitems import DeployItem
    from landform.cluster.informers import Caches
    from landform.kit.clocks import Clock
    from landform.runtime.controllers import Settings
    from landform.runtime.errors import Terminal
    from landform.runtime.intents import Hands, Intent
    from landform.runtime.metrics import Metrics

NAME = "pickups"

DEFAULT_TIMEOUT = timedelta(minutes=5)
"""So long may it take until a deployer begins."""


@dataclass(frozen=True)
class Snapshot:
    """An item that was given a job which no deployer has begun."""

    item: DeployItem
    now: datetime
    timeout: timedelta | None
    """None: wait for ever."""

    has_target: bool = True
    """Whether the Target that the item names is there; also if it names none."""


def decide(snapshot: Snapshot) -> list[Intent]:
    """Say that nobody has begun, or give up."""
    given = _given(snapshot.item)
    if given is None:
        return []
    if snapshot.timeout is not None and snapshot.now >= given + snapshot.timeout:
        return _failed(snapshot, snapshot.timeout)
    deadline = [WakeAt(given + snapshot.timeout)] if snapshot.timeout is not None else []
    status = snapshot.item.status
    since = given + waits.ROUNDING
    conditions, wake_at = waiting.settle(status.conditions, _wait(snapshot), since=since, now=snapshot.now)
    if wake_at is not None:
        return [*deadline, WakeAt(wake_at)]
    return [writing.item_status(snapshot.item, msgspec.structs.replace(status, conditions=conditions)), *deadline]


def _given(item: DeployItem) -> datetime | None:
    """When the item was given its job."""
    times = item.status.transition_times
    return item.status.job_id_generation_time or (times.trigger_time if times else None)


def _wait(snapshot: Snapshot) -> Wait:
    message = f"no deployer for type {snapshot.item.spec.type} has begun"
    return Wait(WaitReason.NO_DEPLOYER, message + _hint(snapshot))


def _hint(snapshot: Snapshot) -> str:
    target = snapshot.item.spec.target
    return f"; its Target {target.name} does not exist" if target and not snapshot.has_target else ""


def _failed(snapshot: Snapshot, timeout: timedelta) -> list[Intent]:
    item, failure = snapshot.item, _failure(snapshot, timeout)
    status, moment = item.status, snapshot.now.replace(microsecond=0)
    conditions, _ = waiting.settle(status.conditions, None, since=moment, now=moment)
    new = msgspec.structs.replace(
        status,
        phase=str(Phase.DELETE_FAILED if items.is_deleted(item) else Phase.FAILED),
        job_id_finished=status.job_id,
        observed_generation=item.metadata.generation or 0,
        last_error=errors.updated(status.last_error, failure, moment),
        conditions=conditions,
        transition_times=msgspec.structs.replace(status.transition_times or TransitionTimes(), finished_time=moment),
    )
    return [
        writing.item_status(item, new),
        Emit(DEPLOY_ITEMS, item, EventType.WARNING, failure.reason, failure.message),
    ]


def _failure(snapshot: Snapshot, timeout: timedelta) -> OperationFailed:
    seconds = f"{timeout.total_seconds():g} seconds"
    message = f"no deployer has reconciled this deployitem within {seconds}"
    advice = f"is a deployer for type {snapshot.item.spec.type} running?"
    text = f"{message}: {advice}{_hint(snapshot)}"
    return OperationFailed("WaitingForPickup", "PickupTimeout", text, codes=[ErrorCode.TIMEOUT])


class Pickups:
    """What the controller is told."""

    def __init__(self, caches: Caches, clock: Clock, timeout: timedelta | None) -> None:
        self.items = caches.informer(DEPLOY_ITEMS)
        self._targets = caches.informer(TARGETS)
        self._clock = clock
        self._timeout = timeout

    def observe(self, key: ObjectKey) -> Snapshot | None:
        item = self.items.get(key)
        if item is None or not is_waiting(item):
            return None
        return Snapshot(item, self._clock.now(), self._timeout, self._has_target(item))

    def decide(self, snapshot: Snapshot) -> Sequence[Intent]:
        return decide(snapshot)

    def mark(self, snapshot: Snapshot, error: Terminal) -> Sequence[Intent]:
        return [Emit(DEPLOY_ITEMS, snapshot.item, EventType.WARNING, error.reason, str(error))]

    def _has_target(self, item: DeployItem) -> bool:
        target = item.spec.target
        return target is None or self._targets.get(ObjectKey(item.metadata.namespace or "", target.name)) is not None


def is_waiting(item: DeployItem) -> bool:
    """Whether the item was given a job that no deployer has begun."""
    return jobs.is_busy(item.status) and not items.is_begun(item)


def controller(
    caches: Caches,
    hands: Hands,
    metrics: Metrics,
    *,
    timeout: timedelta | None = DEFAULT_TIMEOUT,
    settings: Settings | None = None,
    root: Callable[[ObjectKey], ObjectKey] = itself,
) -> Controller[Snapshot]:
    """The controller, with the caches it needs; without a `timeout` items wait for ever, and say so."""
    told = Pickups(caches, hands.surroundings.clock, timeout)
    made = Controller(NAME, told, hands, metrics=metrics, settings=settings, root=root)
    made.follow(told.items, lambda item: [key_of(item)] if is_waiting(item) else [])
    return made
