"""Continuous reconcile: a finished item is deployed again at set times, as its configuration says.

    continuousReconcile:
      every: 1h          # or
      cron: "0 3 * * *"

The interval counts from `status.lastReconcileTime`, the moment at which a deployer last began to work on the item; so
any job puts it off. A cron schedule is not put off. Activations that were missed count as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from landform.api import anyjson
from landform.api.deployitems import effective_config
from landform.api.errors import ErrorCode, OperationFailed
from landform.api.names import Annotation
from landform.deployers.library.hooks import HookCall, HookResult
from landform.kit import cron, durations

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from landform.api.deployitems import DeployItem
    from landform.kit.clocks import Clock

FIELD = "continuousReconcile"
"""Where a configuration has its schedule."""

_FIELD_BYTES = FIELD.encode()
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)


def next_pass(item: DeployItem, last: datetime) -> datetime | None:
    """The first moment after `last` at which the item's schedule wants a pass; None if it has no schedule.

    OperationFailed if its schedule makes no sense.
    """
    config = effective_config(item)
    # Nearly no item has a schedule, and this is asked for every finished item: most need not be decoded for it.
    if _FIELD_BYTES not in bytes(config):
        return None
    schedule = parse((anyjson.value(config) or {}).get(FIELD))
    return schedule.next(last) if schedule else None


def parse(node: Any) -> cron.Schedule | None:
    """The schedule that a `continuousReconcile` node describes; None if it is switched off."""
    if not node:
        return None
    if not isinstance(node, dict):
        raise _wrong(f"must be an object with every or cron, not {type(node).__name__}")
    if unknown := sorted(set(node) - {"every", "cron"}):
        raise _wrong(f"there is no field {unknown[0]}; give every or cron")
    every, spec = node.get("every"), node.get("cron")
    if spec and every is not None:
        raise _wrong("exactly one of cron, every must be given, not both")
    return cron_schedule(spec) if spec else interval(every)


def cron_schedule(spec: Any) -> cron.Schedule:
    """The schedule of `cron`; in UTC unless it names a zone."""
    try:
        schedule = cron.parse(_text("cron", spec))
    except cron.CronError as fault:
        raise _wrong(f"cron {spec!r} is not a schedule: {fault}") from fault
    if schedule.next(_ANY_DAY) is None:
        raise _wrong(f"cron {spec!r} never comes: there is no such day")
    return schedule


def interval(every: Any) -> cron.Schedule | None:
    """The schedule of `every`; None for no interval at all."""
    if every is None:
        return None
    try:
        duration = durations.parse(_text("every", every))
    except durations.DurationError as fault:
        raise _wrong(f"every {every!r} is not a duration: {fault}") from fault
    if duration < durations.ZERO:
        raise _wrong(f"every must be greater than zero, not {every}")
    return cron.ConstantDelaySchedule.every(duration) if duration else None


def _text(field: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(f"{field} must be a text, not {type(value).__name__}")
    return value


def _wrong(message: str) -> OperationFailed:
    return OperationFailed(
        "ValidateProviderConfiguration",
        "InvalidContinuousReconcile",
        f"{FIELD}: {message}",
        codes=(ErrorCode.CONFIGURATION_PROBLEM,),
    )


@dataclass(frozen=True)
class ContinuousReconcile:
    """The extension as a hook of type ShouldReconcile."""

    next_pass: Callable[[DeployItem, datetime], datetime | None]
    clock: Clock

    async def __call__(self, call: HookCall) -> HookResult | None:
        return self.answer(call.item) if call.item is not None else None

    def answer(self, item: DeployItem) -> HookResult | None:
        """Whether a pass is due, and when to ask again."""
        last = item.status.last_reconcile_time
        if last is None or is_switched_off(item.metadata.annotations or {}):
            return None
        try:
            return due(lambda moment: self.next_pass(item, moment), last, self.clock.now())
        except OperationFailed:
            return None  # the job that met this configuration has failed with the very same error


def due(following: Callable[[datetime], datetime | None], last: datetime, now: datetime) -> HookResult | None:
    """What the extension answers, from when a deployer last began and what follows which moment."""
    moment = following(last)
    if moment is None:
        return None
    moment, now = moment.replace(microsecond=0), now.replace(microsecond=0)
    if moment > now:
        return HookResult(abort=True, requeue_after=(moment - now).total_seconds())
    after = following(now)
    return HookResult(abort=False, requeue_after=(after - now).total_seconds() if after is not None else 0.0)


def is_switched_off(annotations: Mapping[str, str]) -> bool:
    """Whether the item's schedule rests."""
    return annotations.get(Annotation.CONTINUOUS_RECONCILE) == "false"
