"""Controllers: observe, decide, act, for one key after the other and for many at a time."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from landform.kit.errors import LandformError
from landform.runtime import intents as intending
from landform.runtime import logs, outcomes
from landform.runtime.errors import LeaseLost, Retry
from landform.runtime.outcomes import Outcome, Result
from landform.runtime.queue import DEFAULT_BACKOFF, Queue
from landform.runtime.schedules import Priority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from landform.cluster.informers import Informer
    from landform.cluster.resources import ObjectKey
    from landform.cluster.retries import Backoff
    from landform.runtime.errors import Terminal
    from landform.runtime.intents import Hands, Intent
    from landform.runtime.manager import Life
    from landform.runtime.metrics import Metrics
    from landform.runtime.queue import Job

log = logging.getLogger(__name__)

S = TypeVar("S")
T = TypeVar("T")

_TURNS = 16
"""After so many keys in a row a worker lets others have the event loop, in case no key made it wait."""


class Reconciler(Protocol[S]):
    """What a controller is told from above. Only intents do I/O."""

    def observe(self, key: ObjectKey) -> S | None:
        """A snapshot of all that matters to the key, from caches and their indexes; None if there is nothing to do."""
        ...

    def decide(self, snapshot: S) -> Sequence[Intent]:
        """What is to be done: a pure function. Nothing at all means: wait until something changes."""
        ...

    def mark(self, snapshot: S, error: Terminal) -> Sequence[Intent]:
        """How the object is told that it cannot go on; also pure."""
        ...


@dataclass(frozen=True)
class Settings:
    """How a controller goes about it."""

    concurrency: int = 100
    """So many keys may run at a time. A reconcile that waits costs a sleeping task, so this may be large."""

    backoff: Backoff = DEFAULT_BACKOFF
    """Between failures of a key."""


def itself(key: ObjectKey) -> ObjectKey:
    """The root of what has no parents."""
    return key


class Controller(Generic[S]):
    """A part that reconciles the keys that are added to it.

    Invariants:
    - a key runs once at a time, and only while this replica owns its root;
    - whatever a reconcile raises concerns its key alone: it is retried, marked or released, and all others go on;
    - whatever goes wrong outside of a reconcile ends `run` with the error.
    """

    def __init__(
        self,
        name: str,
        reconciler: Reconciler[S],
        hands: Hands,
        *,
        metrics: Metrics,
        settings: Settings | None = None,
        root: Callable[[ObjectKey], ObjectKey] = itself,
        job: Callable[[S], str] = lambda snapshot: "",
    ) -> None:
        settings = settings or Settings()
        self.name = name
        self.queue = Queue(surroundings=hands.surroundings, backoff=settings.backoff)
        hands.pressure.follow(self.queue)
        self._reconciler = reconciler
        self._hands = hands
        self._clock = hands.surroundings.clock
        self._metrics = metrics.of_controller(name, self.queue)
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._root = root
        self._job = job
        self._sources: list[tuple[Informer[Any], Callable[[Any], Iterable[ObjectKey]]]] = []

    def follow(
        self,
        informer: Informer[T],
        keys: Callable[[T], Iterable[ObjectKey]],
        priority: Callable[[T], Priority] = lambda obj: Priority.CHANGE,
    ) -> None:
        """Have keys run whenever an object changes; both functions see the object after the change, or the last."""

        def changed(old: T | None, new: T | None) -> None:
            obj = new if new is not None else old
            if obj is not None:
                # What is found at the start is nobody's doing; it must not stand in the way of what people do.
                urgency = priority(obj) if informer.synced.is_set() else Priority.PERIODIC
                for key in keys(obj):
                    self.add(key, priority=urgency)

        self._sources.append((informer, keys))
        informer.subscribe(changed)

    def add(self, key: ObjectKey, *, priority: Priority = Priority.CHANGE, after: float = 0.0) -> None:
        """Have a key run, if it is ours; should it become ours, `resync` brings it back."""
        if self._hands.fence.owns(self._root(key)):
            self.queue.add(key, priority=priority, after=after)

    def resync(self) -> None:
        """Look at everything again."""
        for informer, keys in self._sources:
            for obj in informer.list():
                for key in keys(obj):
                    self.add(key, priority=Priority.PERIODIC)

    def running_roots(self) -> list[ObjectKey]:
        """The roots of all keys that run now."""
        return [self._root(key) for key in self.queue.running]

    async def run(self, life: Life) -> None:
        """Reconcile until asked to stop; then finish what runs, and begin nothing."""
        try:
            async with asyncio.TaskGroup() as group:
                dispatching = group.create_task(self._dispatch(group, life), name=f"{self.name} dispatch")
                life.ready()
                await life.stopping()
                dispatching.cancel()
        finally:
            self.queue.close()

    async def _dispatch(self, group: asyncio.TaskGroup, life: Life) -> None:
        while True:
            await self._slots.acquire()
            job = await self.queue.take()
            group.create_task(self._work(job, life), name=self.name)

    async def _work(self, first: Job, life: Life) -> None:
        """Serve one job, and on as long as there are more."""
        job: Job | None = first
        served = 0
        while job is not None:
            await self._serve(job)
            served += 1
            if served % _TURNS == 0:
                await asyncio.sleep(0)
            job = None if life.is_stopping else self.queue.take_nowait()
        self._slots.release()

    async def _serve(self, job: Job) -> None:
        started = self._clock.monotonic()
        with logs.about(self.name, job.key):
            outcome = await self._reconcile(job.key)
            self._settle(job, outcome)
        self._metrics.reconciled(outcome.result, job.waited, self._clock.monotonic() - started)

    async def _reconcile(self, key: ObjectKey) -> Outcome:
        """Observe, decide, act; and what came of it."""
        snapshot: S | None = None
        try:
            root = self._root(key)
            self._hands.fence.remaining(root)
            snapshot = self._reconciler.observe(key)
            if snapshot is None:
                return Outcome.done()
            if job := self._job(snapshot):
                logs.name_job(job)
            return await self._act(self._reconciler.decide(snapshot), root)
        except asyncio.CancelledError:
            _pass_on_cancellation()
            return self._failed(Retry("something that it waited for was cancelled"))
        except Exception as error:  # of one object, whatever it is: the others go on
            outcome = self._failed(error)
            if outcome.result is Result.TERMINAL and snapshot is not None:
                return await self._mark(snapshot, outcomes.terminal(error), root)
            return outcome

    async def _act(self, intents: Sequence[Intent], root: ObjectKey) -> Outcome:
        for intent in intents:
            await intent.perform(self._hands, root)
        after = intending.wake_after(intents, self._clock.now())
        if after is not None:
            return Outcome.requeue(after)
        return Outcome.done() if intents else Outcome.wait()

    async def _mark(self, snapshot: S, error: Terminal, root: ObjectKey) -> Outcome:
        """Tell the object; if that fails it is tried again, for it must not end in silence."""
        try:
            await self._act(self._reconciler.mark(snapshot, error), root)
        except asyncio.CancelledError:
            _pass_on_cancellation()
            return Outcome.back_off()
        except LeaseLost as lost:
            return self._failed(lost)
        except Exception as fault:  # as in `_reconcile`
            outcome = self._failed(fault)
            return outcome if outcome.is_failure else Outcome.back_off()
        return Outcome(Result.TERMINAL)

    def _failed(self, error: Exception) -> Outcome:
        outcome = outcomes.of_error(error)
        if not isinstance(error, LandformError):
            log.error("failed: %s", error, exc_info=error)
        elif outcome.result in (Result.CONFLICT, Result.RELEASED):
            log.debug("%s: %s", outcome.result, error)
        else:
            log.warning("failed: %s", error)
        return outcome

    def _settle(self, job: Job, outcome: Outcome) -> None:
        if outcome.is_failure:
            delay = self.queue.back_off(job, outcome.after)
            log.debug("tried again in %.1f s", delay)
        elif outcome.result is Result.REQUEUE:
            self.queue.requeue(job, outcome.after)
        elif outcome.result is Result.RELEASED and self._hands.fence.owns(self._root(job.key)):
            # The lease was renewed while a write had to be given up: nobody else will bring the key back.
            self.queue.back_off(job)
        else:
            self.queue.finish(job)


def _pass_on_cancellation() -> None:
    """Raise on if it is this task that was cancelled, and not something that it waited for."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
