"""Items that no deployer begins, or that their deployer has left: they are given up.

Until a deployer begins, nobody else writes to an item that was given a job, so this controller may: after a second the
item says what it waits for, and after five minutes it fails. A deployer takes the `Waiting` condition off with the
write by which it begins. From then on the item is the deployer's, which ends it at its deadline at the latest. When
nothing has come even five minutes after that, the deployer is gone for good, and the item fails all the same.

Clocks need not agree: what counts is how long this process has seen the item as it is. After a restart it counts anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from landform.api import errors, jobs, waiting
from landform.api.deployitems import DEFAULT_TIMEOUT as DEFAULT_TIME
from landform.api.deployitems import time_allowed
from landform.api.errors import ErrorCode, OperationFailed
from landform.api.phases import Phase, TransitionTimes
from landform.api.waiting import Wait, WaitReason
from landform.cluster.codec import key_of
from landform.cluster.kinds import DEPLOY_ITEMS, TARGETS
from landform.cluster.resources import ObjectKey
from landform.executions import items, writing
from landform.runtime.controllers import Controller, itself
from landform.runtime.intents import Emit, WakeAt
from landform.runtime.recorders import EventType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from landform.api.deployitems import DeployItem
    from landform.cluster.informers import Caches
    from landform.runtime.controllers import Settings
    from landform.runtime.errors import Terminal
    from landform.runtime.intents import Hands, Intent
    from landform.runtime.metrics import Metrics

NAME = "pickups"

_State: TypeAlias = "tuple[str, str, datetime | None]"
"""Of an item: its uid, its job, and when a deployer began with that."""

DEFAULT_TIMEOUT = timedelta(minutes=5)
"""So long may it take until a deployer begins."""


@dataclass(frozen=True)
class Snapshot:
    """An item that was given a job."""

    item: DeployItem
    now: datetime
    timeout: timedelta | None
    """None: wait for ever."""

    since: datetime
    """When this process first saw the item with this job, and begun or not as it is."""

    has_target: bool = True
    """Whether the Target that the item names is there; also if it names none."""

    under_pressure: bool = False
    """Whether the process is behind with its work."""


def decide(snapshot: Snapshot) -> list[Intent]:
    """Say that nobody has begun, or give up."""
    return _left(snapshot) if items.is_begun(snapshot.item) else _unbegun(snapshot)


def _left(snapshot: Snapshot) -> list[Intent]:
    """Give up an item whose deployer should have ended it long ago."""
    until = _deadline(snapshot)
    if until is None or snapshot.timeout is None:
        return []
    if snapshot.now < until + snapshot.timeout:
        return [WakeAt(until + snapshot.timeout)]
    return _failed(snapshot, _failure_of_left(snapshot))


def _deadline(snapshot: Snapshot) -> datetime | None:
    """When its deployer ends the item at the latest; None for an item that may take for ever."""
    try:
        allowed = time_allowed(snapshot.item)
    except ValueError:
        allowed = DEFAULT_TIME  # its deployer says what is wrong, if there is one
    return None if allowed is None else snapshot.since + max(allowed.timedelta, timedelta())


def _unbegun(snapshot: Snapshot) -> list[Intent]:
    if snapshot.timeout is not None and snapshot.now >= snapshot.since + snapshot.timeout:
        return _failed(snapshot, _failure(snapshot, snapshot.timeout))
    deadline = [WakeAt(snapshot.since + snapshot.timeout)] if snapshot.timeout is not None else []
    status = snapshot.item.status
    conditions, wake_at = waiting.settle(
        status.conditions,
        _wait(snapshot),
        since=snapshot.since,
        now=snapshot.now,
        under_pressure=snapshot.under_pressure,
    )
    if wake_at is not None:
        return [*deadline, WakeAt(wake_at)]
    return [writing.item_status(snapshot.item, msgspec.structs.replace(status, conditions=conditions)), *deadline]


def _wait(snapshot: Snapshot) -> Wait:
    message = f"no deployer for type {snapshot.item.spec.type} has begun"
    return Wait(WaitReason.NO_DEPLOYER, message + _hint(snapshot))


def _hint(snapshot: Snapshot) -> str:
    target = snapshot.item.spec.target
    return f"; its Target {target.name} does not exist" if target and not snapshot.has_target else ""


def _failed(snapshot: Snapshot, failure: OperationFailed) -> list[Intent]:
    item = snapshot.item
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


def _failure_of_left(snapshot: Snapshot) -> OperationFailed:
    deployer = snapshot.item.status.deployer
    name = f" {deployer.name}" if deployer else ""
    text = f"its deployer{name} has neither finished this deployitem by its deadline nor said why: is it still running?"
    last = snapshot.item.status.last_error
    if last is not None:
        text += f" Its last error: {last.message}"
    return OperationFailed("WaitingForDeployer", "DeployerGone", text, codes=[ErrorCode.TIMEOUT])


class Pickups:
    """What the controller is told."""

    def __init__(self, caches: Caches, hands: Hands, timeout: timedelta | None) -> None:
        self.items = caches.informer(DEPLOY_ITEMS)
        self._targets = caches.informer(TARGETS)
        self._clock = hands.surroundings.clock
        self._pressure = hands.pressure
        self._timeout = timeout
        self._seen: dict[ObjectKey, tuple[_State, datetime]] = {}

    def observe(self, key: ObjectKey) -> Snapshot | None:
        item = self.items.get(key)
        if item is None or not jobs.is_busy(item.status):
            self._seen.pop(key, None)
            return None
        now, has_target = self._clock.now(), self._has_target(item)
        return Snapshot(item, now, self._timeout, self._since(key, item, now), has_target, self._pressure.is_high)

    def _since(self, key: ObjectKey, item: DeployItem, now: datetime) -> datetime:
        times = item.status.transition_times
        state = (item.metadata.uid or "", item.status.job_id or "", times.init_time if times else None)
        seen, since = self._seen.get(key, (None, now))
        if seen != state:
            since = now
            self._seen[key] = (state, since)
        return since

    def knows(self, item: DeployItem) -> bool:
        """Whether it has something to forget of the item."""
        return key_of(item) in self._seen

    def decide(self, snapshot: Snapshot) -> Sequence[Intent]:
        return decide(snapshot)

    def mark(self, snapshot: Snapshot, error: Terminal) -> Sequence[Intent]:
        return [Emit(DEPLOY_ITEMS, snapshot.item, EventType.WARNING, error.reason, str(error))]

    def _has_target(self, item: DeployItem) -> bool:
        target = item.spec.target
        return target is None or self._targets.get(ObjectKey(item.metadata.namespace or "", target.name)) is not None


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
    told = Pickups(caches, hands, timeout)
    made = Controller(NAME, told, hands, metrics=metrics, settings=settings, root=root)
    made.follow(told.items, lambda item: [key_of(item)] if jobs.is_busy(item.status) or told.knows(item) else [])
    return made
