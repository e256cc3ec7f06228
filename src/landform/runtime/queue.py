"""The queue of a controller: keys to reconcile, each run by at most one at a time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.cluster.retries import Backoff
from landform.kit.surroundings import Surroundings
from landform.runtime.schedules import Priority, Schedule

if TYPE_CHECKING:
    from collections.abc import Collection

    from landform.cluster.resources import ObjectKey

DEFAULT_BACKOFF = Backoff(first=0.1, longest=300.0)
"""Soon after a hiccup, and every few minutes for what stays broken."""


@dataclass(frozen=True, slots=True)
class Job:
    """A key that was taken; give it back with `finish`, `requeue` or `back_off`."""

    key: ObjectKey
    priority: Priority
    waited: float
    """Seconds from when it could have run to when it was taken."""


class Queue:
    """Keys wait in a `Schedule`; from being taken to being given back a key occupies its slot.

    Invariants:
    - a key has at most one job at a time;
    - a key that is added while it has a job is given again after that job, with the greatest priority and the
      earliest time it was added with;
    - no key is lost: each added key is given after its time, if only jobs are taken and given back;
    - delays after failures of a key grow from try to try, with chance in them, until a job of it succeeds.
    """

    def __init__(self, *, surroundings: Surroundings | None = None, backoff: Backoff = DEFAULT_BACKOFF) -> None:
        surroundings = surroundings or Surroundings()
        self._clock = surroundings.clock
        self._random = surroundings.random
        self._backoff = backoff
        self._schedule = Schedule()
        self._running: dict[ObjectKey, tuple[Priority, float] | None] = {}
        self._failures: dict[ObjectKey, int] = {}
        self._filled = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._alarm = 0.0

    def __len__(self) -> int:
        """How many keys are here and not running, delayed ones included."""
        return len(self._schedule)

    @property
    def depth(self) -> int:
        """How many keys could run now."""
        return self._schedule.ready

    @property
    def running(self) -> Collection[ObjectKey]:
        """The keys that have a job."""
        return self._running.keys()

    def failures(self, key: ObjectKey) -> int:
        """How many jobs of the key have failed since one succeeded."""
        return self._failures.get(key, 0)

    def add(self, key: ObjectKey, *, priority: Priority = Priority.CHANGE, after: float = 0.0) -> None:
        """Have the key run, in so many seconds at the latest."""
        now = self._clock.monotonic()
        at = now + after
        if key not in self._running:
            self._enter(key, priority, at, now)
            return
        again = self._running[key]
        if again is not None:
            priority, at = max(priority, again[0]), min(at, again[1])
        self._running[key] = (priority, at)

    def take_nowait(self) -> Job | None:
        """The next job, or None if no key can run now."""
        now = self._clock.monotonic()
        due = self._schedule.take(now)
        if due is None:
            return None
        self._running[due.key] = None
        return Job(due.key, due.priority, now - due.since)

    async def take(self) -> Job:
        """The next job, as soon as there is one."""
        while (job := self.take_nowait()) is None:
            self._filled.clear()
            self._set_alarm()
            await self._filled.wait()
        return job

    def finish(self, job: Job) -> None:
        """The job succeeded, or nothing more can be done about its key."""
        self._failures.pop(job.key, None)
        self._leave(job.key)

    def requeue(self, job: Job, after: float) -> None:
        """The job succeeded and wants to run again."""
        self.add(job.key, priority=Priority.PERIODIC, after=after)
        self.finish(job)

    def back_off(self, job: Job, at_least: float = 0.0) -> float:
        """The job failed and is tried again; in how many seconds."""
        tries = self._failures[job.key] = self.failures(job.key) + 1
        delay = max(at_least, self._backoff.delay(tries, self._random))
        self.add(job.key, priority=job.priority, after=delay)
        self._leave(job.key)
        return delay

    def close(self) -> None:
        """Wake nobody any more. Idempotent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _leave(self, key: ObjectKey) -> None:
        again = self._running.pop(key)
        if again is not None:
            self._enter(key, *again, self._clock.monotonic())

    def _enter(self, key: ObjectKey, priority: Priority, at: float, now: float) -> None:
        self._schedule.add(key, priority, at, now)
        if at <= now:
            self._filled.set()
        elif not self._filled.is_set():
            self._set_alarm()

    def _set_alarm(self) -> None:
        """Have the waiting taker woken when the next key's time comes."""
        at = self._schedule.next_time()
        if at is None or (self._timer is not None and self._alarm <= at):
            return
        self.close()
        self._alarm = at
        delay = max(0.0, at - self._clock.monotonic())
        self._timer = asyncio.get_running_loop().call_later(delay, self._ring)

    def _ring(self) -> None:
        self._timer = None
        self._schedule.promote(self._clock.monotonic())
        if self._schedule.ready:
            self._filled.set()
        else:
            self._set_alarm()
