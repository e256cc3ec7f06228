"""Runs: the work of a deployer on one item under one job, as a task that may take hours.

A run never writes the item's status: it says in its `Record` what is to be said, and wakes the controller.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from landform.api import waiting
from landform.api.deployitems import effective_config, time_allowed
from landform.api.errors import ErrorCode, OperationFailed
from landform.api.names import Annotation, Operation
from landform.api.waiting import PATIENCE, Wait, WaitReason
from landform.cluster.resources import NAMESPACES
from landform.deployers.library import endings, exports, failures, records, responsibility
from landform.deployers.library.endings import Ending
from landform.deployers.library.hooks import HookCall, HookType
from landform.deployers.library.items import Item
from landform.kit import durations
from landform.runtime import logs
from landform.runtime.errors import LeaseLost
from landform.runtime.recorders import EventType

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from landform.api.deployitems import DeployItem
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import ObjectKey
    from landform.deployers.library.plans import Plan
    from landform.deployers.library.records import Record
    from landform.deployers.library.targets import ResolvedTarget
    from landform.deployers.library.workplaces import Workplace

log = logging.getLogger(__name__)

GRACE = timedelta(milliseconds=250)
"""Work that takes less is told in one write, together with its end. So long that quick work stays within it on a busy
machine too, and so short that nobody misses the phase meanwhile."""

GRACE_UNDER_PRESSURE = timedelta(seconds=5)
"""The same while the process is behind with its work: then quick work, too, takes longer than usual."""

PAUSE = timedelta(seconds=0.5)
"""Between two writes of what is going on, unless the deployer wants one."""


class Run:
    """The work on one item.

    Invariants:
    - it is for one job, and for deploying or deleting, never both;
    - once `cancel` was called its outcome counts for nothing;
    - `ended` is called once, when nothing of it runs any more.
    """

    def __init__(
        self,
        place: Workplace,
        item: DeployItem,
        *,
        key: ObjectKey,
        wake: Callable[[], None],
        ended: Callable[[Run], None],
    ) -> None:
        self.place = place
        self.key = key
        self._cut: Ending | None = None
        self._limit: asyncio.Timeout | None = None
        self.said = 1
        """How often there was something to say; the first is that the work was begun."""

        self._urgent = 0
        """What was said up to here is to be written without delay."""

        self._written = 0
        """What was said up to here is in the status."""

        self._seen: DeployItem | None = None
        """The item with that status."""

        self.requeue_after = 0.0
        """When the hooks at the end want to see the item again, in seconds; 0 if they do not care."""

        self._item = item
        self._clock = place.hands.surroundings.clock
        now = self._clock.now()
        self.record: Record = records.begin(item, place.information, now)
        self.deadline: datetime | None = None
        self._begun = now
        self.report_at = now + GRACE
        """When what is going on may be written next, if the process keeps up with its work."""

        self._wake = wake
        self._ended = ended
        self._changed = asyncio.Event()
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        """Who waits until so much is in the status."""

        self._alarm: asyncio.TimerHandle | None = None
        self._held: list[ResolvedTarget] = []
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name=f"{self.place.deployer.name} {self.key}")

    @property
    def is_over(self) -> bool:
        """Whether it has an outcome, or never will have one."""
        return self._task is not None and self._task.done()

    @property
    def urgent(self) -> bool:
        """Whether what was said is to be written without delay."""
        return self._written < self._urgent

    @property
    def interrupted(self) -> bool:
        """Whether its outcome counts for nothing."""
        return self._cut is not None

    @property
    def ending(self) -> Ending | None:
        """Why the deployer was told to stop; None as long as it was not."""
        if self._cut is None and self._limit is not None and self._limit.expired():
            return Ending.OUT_OF_TIME
        return self._cut

    def judged_by(self, item: DeployItem) -> Ending | None:
        """Why the item does not want any more what the run does; None if it still does."""
        return endings.judged(item, self.record, self._item.metadata.uid)

    def look(self, item: DeployItem | None) -> None:
        """See the item as it is now, None if it is gone, and stop if it does not want the work any more."""
        if (ending := Ending.GONE if item is None else self.judged_by(item)) is not None:
            self.cancel(ending)

    def cancel(self, ending: Ending) -> None:
        """The work is of no use here any more: stop it at once. Said again, it does not disturb what is tidied up."""
        if self._cut is None:
            self._cut = ending
            if self._task is not None:
                self._task.cancel()

    async def gone(self, seconds: float | None = None) -> None:
        """Return when nothing of it runs any more, after so many seconds at the latest."""
        if self._task is not None:
            await asyncio.wait((self._task,), timeout=seconds)

    def target_changed(self) -> None:
        """What the target holds has changed: no reason to wait longer for the next try."""
        self._changed.set()

    def wait_for(self, wait: Wait | None) -> None:
        """Say what is waited for."""
        now = self._clock.now()
        if self.record.wait_for(wait, now):
            if wait is not None and wait.reason is not WaitReason.RETRY and self.record.waited is None:
                self.record.waited = now
            self.tell()

    def tell(self) -> None:
        """There is news: have it written soon, but leave it time to be told in one write with what follows."""
        if self._written == self.said:
            self.report_at = max(self.report_at, self._clock.now() + GRACE)
            self.look_at(self.report_at)
        self.said += 1

    def has_news(self, item: DeployItem) -> bool:
        """Whether there is something to say; not if nothing happened since the item was written as it is."""
        return self._written < self.said or item is not self._seen

    async def written(self) -> None:
        """Have the record written and return when it is."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._report_now()
        self._waiters.append((self.said, waiter))
        await waiter

    def was_written(self, said: int, item: DeployItem | None) -> None:
        """The item says what the record said when so much was said; meanwhile there may be more."""
        self._written, self._seen = said, item
        for number, waiter in self._waiters:
            if number <= said and not waiter.done():
                waiter.set_result(None)
        self._waiters = [each for each in self._waiters if not each[1].done()]

    def report_time(self, *, under_pressure: bool) -> datetime:
        """When what is going on may be written next."""
        return max(self.report_at, self._begun + GRACE_UNDER_PRESSURE) if under_pressure else self.report_at

    def look_at(self, moment: datetime) -> None:
        """Have the controller look at the run then, instead of at whatever moment it was to look next."""
        self._disarm()
        delay = max(0.0, (moment - self._clock.now()).total_seconds())
        self._alarm = asyncio.get_running_loop().call_later(delay, self._ring)

    async def export(self, item: DeployItem, values: Any) -> None:
        """Write the exported values."""
        place = self.place
        root = place.root(self.key)
        self.record.export = await exports.write(place.hands, place.reading, item, values, root)

    def connect(self, target: ResolvedTarget) -> Cluster:
        """A client for a target, until the run is over."""
        cluster = self.place.clusters.acquire(target)
        self._held.append(target)
        return cluster

    def _report_now(self) -> None:
        self.said += 1
        self._urgent = self.said
        self._wake()

    def _ring(self) -> None:
        """Some things are to be said when nothing happens for a while."""
        self.said += 1
        self._wake()

    def _disarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    async def _run(self) -> None:
        try:
            with logs.about(self.place.deployer.name, self.key):
                logs.name_job(self.record.job)
                await self._work()
        except LeaseLost as lost:
            log.debug("released: %s", lost)
            self._cut = self._cut or Ending.LET_GO
        except Exception as bug:  # of ours; without an outcome it would be done again and again
            log.exception("the library failed")
            self.record.fail(failures.judge(bug, self.record.operation).failure, self._clock.now())
        finally:
            self._disarm()
            for _, waiter in self._waiters:
                waiter.cancel()
            await self._release()
            self._ended(self)

    async def _release(self) -> None:
        for target in self._held:
            await self.place.clusters.release(target)
        self._held.clear()

    async def _work(self) -> None:
        """Work until it is done, given up, or out of time."""
        record, clock = self.record, self._clock
        try:
            self.deadline = records.deadline(self._item, record)
            left = None if self.deadline is None else (self.deadline - clock.now()).total_seconds()
            async with asyncio.timeout(left) as self._limit:
                await self._tries()
            record.succeed()
        except TimeoutError:  # that of the line above: whatever a deployer raises is a failure here
            record.fail(self._timed_out(), clock.now())
        except durations.DurationError as fault:
            codes = (ErrorCode.CONFIGURATION_PROBLEM,)
            failure = OperationFailed(record.operation, "InvalidTimeout", f"spec.timeout: {fault}", codes=codes)
            record.fail(failure, clock.now())
        except OperationFailed as failure:
            record.fail(failure, clock.now())

    def _timed_out(self) -> OperationFailed:
        record = self.record
        failure = failures.timed_out(record.operation, str(time_allowed(self._item)), record.errors.last, record.wait)
        log.warning("out of time: %s", failure)
        return failure

    async def _tries(self) -> None:
        """Try until it is done; raises the failure that is final."""
        tries = 0
        while not self.interrupted:
            self._changed.clear()
            tries += 1
            try:
                delay = await self._try()
                if delay is None:
                    return
                until = self._clock.now() + timedelta(seconds=delay)
                self.wait_for(Wait(WaitReason.RETRY, f"a hook has put it off until {waiting.told(until)}"))
            except LeaseLost:
                raise
            except Exception as error:  # whatever a deployer raises concerns its item alone
                delay = self._failed(error, tries)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(delay):
                    await self._changed.wait()
            self.wait_for(None)

    def _failed(self, error: Exception, tries: int) -> float:
        """Take in an error: seconds until the next try; raises what is final."""
        verdict, now = failures.judge(error, self.record.operation), self._clock.now()
        log.warning("try %d failed: %s", tries, verdict.failure, exc_info=error if verdict.is_bug else None)
        if verdict.is_final:
            raise verdict.failure
        self.record.note(verdict.failure, now)
        if self.deadline is not None and now >= self.deadline:
            raise self._timed_out()  # it was cancelled and made an error of its own of that
        delay = max(verdict.after, self.place.backoff.delay(tries, self.place.hands.surroundings.random))
        self.wait_for(waiting.retry(now + timedelta(seconds=delay), verdict.failure.message))
        # The error is written now anyway, so what is waited for is said in the same write.
        self.record.wait_since = now - PATIENCE
        self._report_now()
        return delay

    async def _try(self) -> float | None:
        """One try with what is known now: None if it is done, seconds to wait if a hook put it off."""
        place, record = self.place, self.record
        obj = place.reading.items.get(self.key) or self._item
        record.generation = obj.metadata.generation or 0
        try:
            item = await self._given(obj)
            if (delay := await self._before(item)) is not None:
                return delay
            await (place.deployer.delete(item) if record.deleting else place.deployer.reconcile(item))
        except Exception as error:  # whatever a deployer raises
            if not record.deleting or not (self._is_not_needed(obj, error) or await self._is_left_behind(error)):
                raise
            return None
        answer = await place.hooks.call(self._call(HookType.END, item))
        self.requeue_after = answer.requeue_after if answer is not None else 0.0
        return None

    def _is_not_needed(self, item: DeployItem, error: Exception) -> bool:
        """Whether the target that cannot be reached any more is not needed: nothing was ever deployed there."""
        return failures.is_access_gone(error) and not self.place.deployer.has_deployed(item)

    async def _is_left_behind(self, error: Exception) -> bool:
        """Whether what is deployed can never be uninstalled from here; then that is said, and the item may go.

        In a namespace that is being deleted nothing can be created. If the access to the target is gone before the
        item, trying again does not help, and failing would hold the namespace for ever.
        """
        if not failures.is_access_gone(error):
            return False
        namespace = await self.place.reading.going_namespace(self.key.namespace)
        if namespace is None:
            return False
        message = (
            f"deploy item {self.key} goes without being uninstalled, what it deployed stays: its namespace is being"
            f" deleted, and {failures.judge(error, self.record.operation).failure.message}"
        )
        log.warning(message)
        # About the namespace and not about the item: no Event can be created in there any more.
        self.place.hands.recorder.emit(NAMESPACES, namespace, EventType.WARNING, "NotUninstalled", message)
        return True

    async def plan(self) -> Plan | None:
        """What the work would do; for a run that is never started."""
        try:
            return await self.place.deployer.plan(await self._given(self._item))
        finally:
            await self._release()

    async def _given(self, obj: DeployItem) -> Item:
        """What the deployer is given: the item with its target and its context, checked."""
        place, key = self.place, responsibility.target_key(obj)
        target = None if key is None else await place.resolved(key)
        item = Item(self, obj, target, await place.reading.context(obj))
        self._check(item)
        return item

    def _check(self, item: Item) -> None:
        """What is wrong with the configuration, as far as the library can tell."""
        if self.record.deleting:
            return
        if not effective_config(item.object):
            raise OperationFailed(
                "ReconcileDeployItem",
                "ProviderConfigurationMissing",
                f"deploy item {self.key} has no configuration; give it one in spec.config",
                codes=(ErrorCode.CONFIGURATION_PROBLEM,),
            )
        # A schedule that makes no sense is told now and not when its first time would have come.
        self.place.deployer.next_pass(item.object, self.record.started)

    async def _before(self, item: Item) -> float | None:
        """Ask the hooks before the work: seconds to wait if one of them puts it off."""
        annotations = self._item.metadata.annotations or {}
        if self.record.deleting:
            special = HookType.BEFORE_DELETE
        elif annotations.get(Annotation.OPERATION) == Operation.FORCE_RECONCILE:
            special = HookType.BEFORE_FORCE_RECONCILE
        else:
            special = HookType.BEFORE_RECONCILE
        for type_ in (HookType.BEFORE_ANY_RECONCILE, special):
            answer = await self.place.hooks.call(self._call(type_, item))
            if answer is not None and answer.abort:
                return answer.requeue_after or self.place.backoff.longest
        return None

    @staticmethod
    def _call(type_: HookType, item: Item) -> HookCall:
        return HookCall(type_, item.object, item.target.target if item.target is not None else None)
