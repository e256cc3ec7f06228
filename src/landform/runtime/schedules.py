"""What is to be done when, and in which order: time, priorities and fairness; pure, no waiting."""

from __future__ import annotations

import enum
import heapq
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from landform.cluster.resources import ObjectKey

_FEW = 64
"""Below so many outdated timers it is not worth clearing them away."""


class Priority(enum.IntEnum):
    """Who waits for it; the greater goes first, always."""

    PERIODIC = 0
    """Nobody: a resync, or what was found at the start."""

    CHANGE = 1
    """Something else changed: a child finished, an export appeared."""

    PERSON = 2
    """A person, who asked for it."""


class Due(NamedTuple):
    """A key whose time has come."""

    key: ObjectKey
    priority: Priority
    since: float
    """Since when it could have been taken."""


@dataclass(slots=True)
class _Entry:
    priority: Priority
    at: float
    delayed: bool


class Schedule:
    """Keys with a priority and a time.

    Invariants:
    - a key is in it at most once, with the greatest of the priorities and the earliest of the times it was added with;
    - no key is given before its time;
    - of the keys whose time has come, the greater priority is given first;
    - within a priority the namespaces take turns: while a key waits, each other namespace is given at most once for
      each key that is ahead in its own namespace, and once more;
    - within a priority and namespace, first come, first served.
    """

    def __init__(self) -> None:
        self._entries: dict[ObjectKey, _Entry] = {}
        self._lanes = tuple(_Lane() for _ in Priority)
        self._timers: list[tuple[float, int, ObjectKey]] = []
        self._delayed = 0
        self._count = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: ObjectKey) -> bool:
        return key in self._entries

    @property
    def ready(self) -> int:
        """How many keys' time has come, as far as `promote` has looked."""
        return len(self._entries) - self._delayed

    def add(self, key: ObjectKey, priority: Priority, at: float, now: float) -> None:
        """Let the key be given at a time, or at once if that is past."""
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = _Entry(priority, max(at, now), delayed=at > now)
            if entry.delayed:
                self._delayed += 1
                self._set_timer(key, at)
            else:
                self._lanes[priority].add(key)
        elif entry.delayed:
            entry.priority = max(entry.priority, priority)
            self._hasten(key, entry, at, now)
        elif priority > entry.priority:
            self._lanes[entry.priority].remove(key)
            self._lanes[priority].add(key)
            entry.priority = priority

    def promote(self, now: float) -> None:
        """Notice whose time has come."""
        while self._timers and self._timers[0][0] <= now:
            at, _, key = heapq.heappop(self._timers)
            entry = self._entries.get(key)
            if entry is not None and entry.delayed and entry.at == at:
                self._make_ready(key, entry)

    def take(self, now: float) -> Due | None:
        """The next key, which is then no longer in the schedule; None if no key's time has come."""
        self.promote(now)
        for lane in reversed(self._lanes):
            if lane:
                key = lane.take()
                entry = self._entries.pop(key)
                return Due(key, entry.priority, entry.at)
        return None

    def next_time(self) -> float | None:
        """When `promote` may find something; None if never."""
        return self._timers[0][0] if self._timers else None

    def _hasten(self, key: ObjectKey, entry: _Entry, at: float, now: float) -> None:
        if at >= entry.at:
            return
        entry.at = max(at, now)
        if at <= now:
            self._make_ready(key, entry)
        else:
            self._set_timer(key, at)

    def _make_ready(self, key: ObjectKey, entry: _Entry) -> None:
        entry.delayed = False
        self._delayed -= 1
        self._lanes[entry.priority].add(key)

    def _set_timer(self, key: ObjectKey, at: float) -> None:
        if len(self._timers) > 2 * self._delayed + _FEW:
            # Timers of keys that were hastened stay behind; without this they would pile up until their time.
            self._timers = [timer for timer in self._timers if self._is_current(timer)]
            heapq.heapify(self._timers)
        # The count makes the order of equal times that of adding, whatever the keys are called.
        self._count += 1
        heapq.heappush(self._timers, (at, self._count, key))

    def _is_current(self, timer: tuple[float, int, ObjectKey]) -> bool:
        at, _, key = timer
        entry = self._entries.get(key)
        return entry is not None and entry.delayed and entry.at == at


class _Lane:
    """Keys of one priority; namespaces take turns."""

    def __init__(self) -> None:
        self._namespaces: OrderedDict[str, OrderedDict[ObjectKey, None]] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._namespaces)

    def add(self, key: ObjectKey) -> None:
        keys = self._namespaces.get(key.namespace)
        if keys is None:
            keys = self._namespaces[key.namespace] = OrderedDict()
        keys[key] = None

    def remove(self, key: ObjectKey) -> None:
        keys = self._namespaces[key.namespace]
        del keys[key]
        if not keys:
            del self._namespaces[key.namespace]

    def take(self) -> ObjectKey:
        namespace, keys = next(iter(self._namespaces.items()))
        key, _ = keys.popitem(last=False)
        if keys:
            self._namespaces.move_to_end(namespace)
        else:
            del self._namespaces[namespace]
        return key
