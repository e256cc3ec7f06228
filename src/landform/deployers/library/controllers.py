"""The controller of a deployer: looks at each item of its type and does the one thing that is next for it.

Looking is short. The work itself is a `Run`, a task of its own, so ten thousand items may wait at once; the
controller starts it, writes what it says, stops it when it is of no use any more, and writes how it ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.api import errors, jobs
from landform.api.deployitems import DeployerInformation
from landform.api.errors import OperationFailed
from landform.api.phases import Phase
from landform.cluster.codec import key_of
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import SECRETS
from landform.cluster.retries import Backoff
from landform.deployers.library import decisions, exports, failures, records, responsibility, selectors, statuses
from landform.deployers.library.continuous import ContinuousReconcile
from landform.deployers.library.decisions import Step
from landform.deployers.library.desks import Desk
from landform.deployers.library.endings import Ending
from landform.deployers.library.hooks import NOTHING, HookCall, Hooks, HookType, merged
from landform.deployers.library.reading import Reading
from landform.deployers.library.runs import PAUSE, Run
from landform.deployers.library.workplaces import Workplace
from landform.runtime.controllers import Controller, itself
from landform.runtime.intents import Delete, NoFence, Patch
from landform.runtime.manager import Life
from landform.runtime.recorders import EventType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from landform.api.deployitems import DeployItem, DeployItemStatus
    from landform.api.targets import Target
    from landform.cluster.informers import Caches
    from landform.cluster.resources import ObjectKey
    from landform.deployers.library.clusters import Clusters
    from landform.deployers.library.deployers import Deployer
    from landform.deployers.library.hooks import HookResult
    from landform.deployers.library.plans import Plan
    from landform.deployers.library.records import Record
    from landform.deployers.library.selectors import Selectors
    from landform.runtime.errors import Terminal
    from landform.runtime.intents import Hands, Intent
    from landform.runtime.metrics import Metrics

log = logging.getLogger(__name__)

BETWEEN_SERVICES = Backoff(first=2.0, longest=60.0)
"""How long until `Deployer.serve` is called again after it has failed."""

BETWEEN_TRIES = Backoff(first=1.0, longest=15.0)
"""How long a deployer waits after an error that may pass."""

STOP_SECONDS = 10.0
"""How long running work may take to finish when the process is to end; then it is cancelled, and done again later."""

TIDY_SECONDS = 5.0
"""How long work that was cancelled then may take to tidy up; the process does not wait longer for it."""

_GUARD_SECONDS = 0.25
"""How often it is looked whether running work is still ours; less than the margin of a lease."""

_CLOSE_SECONDS = 0.01
"""How often it is looked whether the ends of all runs are written."""

_SOONEST = 0.05
"""Seconds: a hook that always wants the item back at once must not keep the process busy."""


def deployer_controller(
    deployer: Deployer,
    caches: Caches,
    hands: Hands,
    metrics: Metrics,
    clusters: Clusters,
    *,
    selectors: Selectors = selectors.EVERYTHING,
    identity: str = "",
    root: Callable[[ObjectKey], ObjectKey] = itself,
    backoff: Backoff = BETWEEN_TRIES,
) -> DeployerController:
    """The part that runs a deployer; `hands` should show its writes to `caches`."""
    clock = hands.surroundings.clock
    identity = identity or f"{deployer.name}-{int(clock.now().timestamp())}"
    schedule = Hooks().with_hook(ContinuousReconcile(deployer.next_pass, clock), HookType.SHOULD_RECONCILE)
    place = Workplace(
        deployer=deployer,
        information=DeployerInformation(identity=identity, name=deployer.name, version=deployer.version),
        hooks=deployer.hooks | schedule,
        hands=hands,
        reading=Reading.of(clusters.home, caches),
        clusters=clusters,
        backoff=backoff,
        root=root,
    )
    return DeployerController(place, selectors, metrics)


class DeployerController(Controller["DeployItem"]):
    """Runs one deployer.

    Invariants:
    - an item of another type, or whose target is not selected, is never written;
    - an item has at most one run at a time, and none when its job is finished;
    - a run is stopped as soon as the cache shows that its job is over, replaced, or turned into a deletion, and before
      another replica can begin with it.
    """

    def __init__(self, place: Workplace, selectors: Selectors, metrics: Metrics) -> None:
        super().__init__(
            place.deployer.name, _Looking(self), place.hands, metrics=metrics, root=place.root, job=_job_of
        )
        self._place = place
        self._selectors = selectors
        self._runs: dict[ObjectKey, Run] = {}
        self._clock = place.hands.surroundings.clock
        self._is_closing = False
        self._desk = Desk(place, selectors)
        reading = place.reading
        reading.items.subscribe(self._item_changed)
        reading.targets.subscribe(lambda old, new: self._target_changed(reading.items_of_target, old, new))
        reading.secrets.subscribe(lambda old, new: self._target_changed(reading.items_of_secret, old, new))
        self.follow(reading.items, self._keys)

    def running_roots(self) -> list[ObjectKey]:
        """The roots of all items that are looked at or worked on."""
        return [*super().running_roots(), *(self._root(run.key) for run in self._runs.values() if not run.is_over)]

    def resync(self) -> None:
        """Look at everything again."""
        super().resync()
        self._desk.everything_changed()

    async def run(self, life: Life) -> None:
        """Work until asked to stop; then let running work finish for a while, and begin nothing."""
        looking = Life()
        async with asyncio.TaskGroup() as group:
            group.create_task(super().run(looking), name=self.name)
            guard = group.create_task(self._guard(), name=f"{self.name} guard")
            service = group.create_task(self._serve_beside(), name=f"{self.name} service")
            await looking.until_ready()
            life.ready()
            try:
                await life.stopping()
                service.cancel()
                await self._close(STOP_SECONDS)
            finally:
                await self._close(0)
                service.cancel()
                guard.cancel()
                looking.stop()

    def observe_item(self, key: ObjectKey) -> DeployItem | None:
        """The item, if it is one of the deployer's type."""
        item = self._place.reading.items.get(key)
        return item if item is not None and self._is_ours(item) else None

    async def look(self, item: DeployItem) -> None:
        """Do the one thing that is next for the item."""
        key = key_of(item)
        run = self._runs.get(key)
        if run is not None and (ending := run.judged_by(item)) is not None:
            run.cancel(ending)
            if not run.is_over:
                return  # its end wakes the key
            self._runs.pop(key)
            run = None
        if run is None:
            await self._consider(key, item)
        elif run.is_over:
            await self._finish(run, item)
        else:
            await self._report(run, item)

    async def refuse(self, item: DeployItem, error: Terminal) -> None:
        """The cluster does not take what a run says: the run has failed, and only that is said."""
        run = self._runs.get(key_of(item))
        if run is None or run.judged_by(item) is not None:
            return
        run.cancel(Ending.INTERRUPTED)
        await run.gone()
        message = f"what the deployer said of its work was refused: {error}"
        await self._give_up(item, OperationFailed(run.record.operation, error.reason, message))
        self._runs.pop(run.key, None)

    async def plan(self, item: DeployItem) -> Plan | None:
        """What the deployer would do for an item, which need not be stored; None if it cannot tell.

        Raises what the deployer raises.
        """
        return await Run(self._place, item, key=key_of(item), wake=_ignore, ended=_ignore).plan()

    async def _serve_beside(self) -> None:
        """Have the deployer do what belongs to no job."""
        tries = 0
        while True:
            begun = self._clock.monotonic()
            try:
                return await self._place.deployer.serve(self._desk)
            except Exception:  # whatever it is, items are worked on all the same
                lasted = self._clock.monotonic() - begun
                tries = 1 if lasted > BETWEEN_SERVICES.longest else tries + 1
                delay = BETWEEN_SERVICES.delay(tries, self._place.hands.surroundings.random)
                log.exception("the service of %s failed, it begins again in %.1f s", self.name, delay)
            finally:
                self._desk.close()
            await self._clock.sleep(delay)

    # What to do with an item that no run works on

    async def _consider(self, key: ObjectKey, item: DeployItem) -> None:
        """Ask the hooks whose item it is and whether there is something to do, and do it."""
        answer = merged(NOTHING, await self._ask(HookType.START, None, None))
        if answer.abort:
            return self._come_back(key, answer)
        target = self._target(item)
        verdict = await self._ask(HookType.DURING_RESPONSIBILITY_CHECK, item, target)
        answer = merged(answer, verdict)
        is_taken = responsibility.is_taken(item, target, self._selectors) if verdict is None else not verdict.abort
        if not is_taken:
            return self._come_back(key, answer)
        try:
            answer = merged(answer, await self._ask(HookType.AFTER_RESPONSIBILITY_CHECK, item, target))
            if answer.abort:
                return self._come_back(key, answer)
            wish = await self._ask(HookType.SHOULD_RECONCILE, item, target)
        except Exception as error:  # of a hook
            await self._hook_failed(item, error)
            raise
        step = decisions.decide(item, is_due=wish is not None and not wish.abort)
        # Hooks may have taken their time. What was decided on an item that has changed since is decided again.
        if self._place.reading.items.get(key) is item and not self._is_closing:
            await self._do(step, key, item)
        if step is Step.NOTHING:
            self._come_back(key, merged(answer, wish))

    async def _do(self, step: Step, key: ObjectKey, item: DeployItem) -> None:
        now, ids = self._clock.now(), self._place.hands.surroundings.ids
        record = records.begin(item, self._place.information, now)
        match step:
            case Step.WORK:
                self._start(key, item)
            case Step.PREPARE:
                await self._patch(item, decisions.preparation(item))
            case Step.LET_GO:
                await self._patch(item, decisions.release(item))
            case Step.SKIP:
                await self._write(item, statuses.skipped(item, record, now))
            case Step.CLAIM_TEST | Step.CLAIM_DELETION:
                await self._write(item, statuses.claimed(item, ids.uid(), record, now))
            case Step.CLAIM_PASS:
                await self._write(item, statuses.claimed(item, jobs.pass_id(item.status.job_id, ids), record, now))

    def _start(self, key: ObjectKey, item: DeployItem) -> None:
        run = Run(self._place, item, key=key, wake=lambda: self.add(key), ended=self._run_ended)
        self._runs[key] = run
        run.start()
        run.look_at(run.report_at)

    def _target(self, item: DeployItem) -> Target | None:
        """The item's target as far as the cache knows it; should it come later, `_target_changed` looks again."""
        key = responsibility.target_key(item)
        return None if key is None else self._place.reading.targets.get(key)

    async def _ask(self, type_: HookType, item: DeployItem | None, target: Target | None) -> HookResult | None:
        return await self._place.hooks.call(HookCall(type_, item, target))

    async def _hook_failed(self, item: DeployItem, error: Exception) -> None:
        """Have the status of a job say that a hook failed; it is asked again until the item's time is over."""
        if not jobs.is_busy(item.status):
            return
        now = self._clock.now()
        record = records.begin(item, self._place.information, now)
        verdict = failures.judge(error, record.operation)
        deadline = records.deadline(item, record)
        if verdict.is_final or (deadline is not None and now >= deadline):
            return await self._give_up(item, verdict.failure)
        if errors.updated(item.status.last_error, verdict.failure, now) is item.status.last_error:
            return  # said already; and what is written has the item looked at again at once
        record.note(verdict.failure, now)
        await self._write(item, statuses.underway(item, record, now)[0])

    async def _give_up(self, item: DeployItem, failure: OperationFailed) -> None:
        """Finish a job without a run."""
        now = self._clock.now()
        record = records.begin(item, self._place.information, now)
        record.fail(failure, now)
        await self._write(item, statuses.finished(item, record, records.failed_phase(record.deleting), now))
        self._emit(record, item)

    def _come_back(self, key: ObjectKey, answer: HookResult) -> None:
        if answer.requeue or answer.requeue_after > 0:
            self.add(key, after=max(_SOONEST, answer.requeue_after))

    # What to do with a run

    async def _report(self, run: Run, item: DeployItem) -> None:
        """Write what is going on, if it is time for that."""
        if not run.has_news(item):
            return  # it is our own write that we see
        now, under_pressure = self._clock.now(), self._place.hands.pressure.is_high
        if not run.urgent and now < run.report_time(under_pressure=under_pressure):
            return run.look_at(max(run.report_at, now + PAUSE) if under_pressure else run.report_at)
        said = run.said
        status, wake = statuses.underway(item, run.record, now, under_pressure=under_pressure)
        if not run.urgent and wake is not None and wake <= now + PAUSE:
            return run.look_at(wake)  # more is to be said soon: that makes one write
        if await self._write(item, status):
            run.report_at = now + PAUSE
            self._emit(run.record, item)
        run.was_written(said, self._place.reading.items.get(run.key))
        if wake is not None:
            run.look_at(wake)

    async def _finish(self, run: Run, item: DeployItem) -> None:
        """Write how the work ended; nothing of it is left then."""
        record, now = run.record, self._clock.now()
        if record.outcome is None:
            self._runs.pop(run.key, None)
            return self.add(run.key)
        if record.deleting and record.outcome is Phase.SUCCEEDED:
            await self._patch(item, decisions.release(item))
        else:
            await self._write(item, statuses.finished(item, record, record.outcome, now))
        self._emit(run.record, item)
        self._runs.pop(run.key, None)
        if record.outcome is Phase.SUCCEEDED and record.export is None:
            await self._drop_exports(item)
        if run.requeue_after > 0:
            self.add(run.key, after=run.requeue_after)

    async def _drop_exports(self, item: DeployItem) -> None:
        """Remove the values that are exported no longer; what a deleted item exported goes with it."""
        secret = self._place.reading.secrets.get(exports.secret_key(item))
        if item.status.export_ref is not None and secret is not None and exports.belongs_to(secret, item):
            await Delete(SECRETS, secret).perform(self._place.hands, self._root(key_of(item)))

    def _emit(self, record: Record, item: DeployItem) -> None:
        for failure in record.unreported:
            self._place.hands.recorder.emit(DEPLOY_ITEMS, item, EventType.WARNING, failure.reason, failure.message)
        record.unreported.clear()

    async def _write(self, item: DeployItem, status: DeployItemStatus) -> bool:
        """Have the item say this status; whether it did not yet."""
        change = statuses.change(item.status, status)
        if change:
            root = self._root(key_of(item))
            await Patch(DEPLOY_ITEMS, item, {"status": change}, subresource="status").perform(self._place.hands, root)
        return bool(change)

    async def _patch(self, item: DeployItem, metadata: dict[str, object]) -> None:
        root = self._root(key_of(item))
        await Patch(DEPLOY_ITEMS, item, {"metadata": metadata}).perform(self._place.hands, root)

    # What happens outside

    def _is_ours(self, item: DeployItem) -> bool:
        return responsibility.is_of_type(item, self._place.deployer.type)

    def _keys(self, item: DeployItem) -> Iterable[ObjectKey]:
        return (key_of(item),) if self._is_ours(item) else ()

    def _item_changed(self, old: DeployItem | None, new: DeployItem | None) -> None:
        """Stop work that is of no use any more, at once and whatever the queue has to do."""
        obj = new if new is not None else old
        run = self._runs.get(key_of(obj)) if obj is not None else None
        if run is not None and not run.is_over:
            run.look(new)
        if obj is not None and self._is_ours(obj):
            self._desk.changed(key_of(obj))

    def _target_changed(
        self, users: Callable[[ObjectKey], Iterable[ObjectKey]], old: object | None, new: object | None
    ) -> None:
        """Whoever waits for its next try need not, and items may have become ours."""
        if not self._runs and not self._selectors.selectors and not self._desk.is_used:
            return
        for key in users(key_of(new if new is not None else old)):
            if self.observe_item(key) is not None:
                self._desk.changed(key)
            if (run := self._runs.get(key)) is not None:
                run.target_changed()
            elif self.observe_item(key) is not None:
                self.add(key)

    def _run_ended(self, run: Run) -> None:
        """Nothing of the run runs any more; from within its task, so `is_over` follows with the next turn."""
        if run.interrupted:
            self._runs.pop(run.key, None)
        asyncio.get_running_loop().call_soon(self.add, run.key)

    async def _guard(self) -> None:
        """Stop work on items that are another replica's now, or may be soon."""
        fence = self._place.hands.fence
        while not isinstance(fence, NoFence):
            await self._clock.sleep(_GUARD_SECONDS)
            for key, run in list(self._runs.items()):
                if not fence.owns(self._root(key)):
                    run.cancel(Ending.LET_GO)
                    if run.is_over:
                        self._runs.pop(key)

    async def _close(self, seconds: float) -> None:
        """Begin nothing more; end what runs, by itself or by force."""
        self._is_closing = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._runs:
                    for run in list(self._runs.values()):
                        await run.gone()
                    await asyncio.sleep(_CLOSE_SECONDS)
        left = [run for run in self._runs.values() if not run.is_over]
        for run in left:
            run.cancel(Ending.LET_GO)
        for run in left:
            await run.gone(TIDY_SECONDS)


@dataclass(frozen=True)
class _Looking:
    """What the runtime is told: one intent for each item of the type."""

    controller: DeployerController

    def observe(self, key: ObjectKey) -> DeployItem | None:
        return self.controller.observe_item(key)

    def decide(self, snapshot: DeployItem) -> Sequence[Intent]:
        return [_Look(self.controller, snapshot)]

    def mark(self, snapshot: DeployItem, error: Terminal) -> Sequence[Intent]:
        return [_Refuse(self.controller, snapshot, error)]


@dataclass(frozen=True)
class _Look:
    controller: DeployerController
    item: DeployItem

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        await self.controller.look(self.item)


@dataclass(frozen=True)
class _Refuse:
    controller: DeployerController
    item: DeployItem
    error: Terminal

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        await self.controller.refuse(self.item, self.error)


def _ignore(*_: object) -> None:
    """Nobody waits for a plan."""


def _job_of(item: DeployItem) -> str:
    return item.status.job_id or ""
