"""The history of a run: every write that took effect, every fault, and what became of the processes.

Invariants look at it and at nothing else. Its text form is the same, byte for byte, whenever a seed is run again.
"""

from __future__ import annotations

import contextvars
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from landform.cluster.resources import ObjectKey
from landform.embedded.journal import MemoryJournal, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from landform.cluster.resources import Resource, Unstructured
    from landform.embedded.journal import Change
    from landform.testing.simulation.faults import Kind

HOME = "home"
"""Who does what the cluster does by itself, such as garbage collection."""

USER = "user"
"""Who sets things up and works as people do."""

NEIGHBOUR = "neighbour"
"""Who touches objects just before others write them."""

PEOPLE = frozenset({HOME, USER, NEIGHBOUR})
"""Who acts beside the processes."""


@dataclass(frozen=True, slots=True)
class Request:
    """A write as its sender meant it."""

    actor: str
    """Name of the process, or one of PEOPLE."""

    verb: str
    subresource: str = ""
    condition: str = ""
    """The resourceVersion that it was to be done on; empty if on any."""

    seen: int = 0
    """The newest version of the object that the sender had been shown when it sent the request; 0 if none."""

    id: str = ""


request: contextvars.ContextVar[Request | None] = contextvars.ContextVar("request", default=None)
"""The request that the current task performs."""

_BY_HOME = Request(HOME, "")


@dataclass(frozen=True, slots=True)
class Write:
    """A write that took effect."""

    number: int
    """1 for the first of the run."""

    at: float
    """Seconds of virtual time."""

    request: Request
    resource: str
    """As ``str(Resource)``: ``deployitems.landscaper.gardener.cloud``."""

    key: ObjectKey
    before: Unstructured | None
    after: Unstructured | None
    """None if the object is gone."""

    version: int

    @property
    def actor(self) -> str:
        """Who wrote."""
        return self.request.actor

    def is_of(self, *resources: Resource[Any]) -> bool:
        """Whether an object of one of the resources was written."""
        return any(self.resource == str(resource) for resource in resources)

    def __str__(self) -> str:
        verb = self.request.verb or ("delete" if self.after is None else "write")
        part = f"/{self.request.subresource}" if self.request.subresource else ""
        return f"{verb} {self.resource}{part} {self.key} -> version {self.version}"


@dataclass(frozen=True, slots=True)
class Strike:
    """A fault that was injected."""

    at: float
    id: str
    kind: Kind

    def __str__(self) -> str:
        return f"{self.kind} at {self.id}"


@dataclass(frozen=True, slots=True)
class Note:
    """Something else that happened: a process started, died, froze; the storm ended."""

    at: float
    actor: str
    text: str

    def __str__(self) -> str:
        return self.text


Entry: TypeAlias = Write | Strike | Note


class History:
    """What happened, in order, and what the cluster holds now."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.entries: list[Entry] = []
        self.writes: list[Write] = []
        self.strikes: list[Strike] = []
        self.calm_at: float | None = None
        """Since when nothing goes wrong any more; None if it still does."""

        self.converged_at: float | None = None
        """Since when everything is as it should be in the end; None if it is not yet."""

        self.written: Callable[[Write], None] = lambda write: None
        """Told of each write."""

        self._now = now
        self._objects: dict[str, dict[ObjectKey, Unstructured]] = {}
        self._closed = False

    @property
    def now(self) -> float:
        """Seconds since the run began."""
        return self._now()

    def objects(self, resource: Resource[Any], namespace: str | None = None) -> list[Unstructured]:
        """The objects of a resource that exist now, as plain data, in the order in which they came."""
        found = self._objects.get(str(resource), {})
        return [obj for key, obj in found.items() if namespace is None or key.namespace == namespace]

    def get(self, resource: Resource[Any], key: ObjectKey) -> Unstructured | None:
        """The object as it is now."""
        return self._objects.get(str(resource), {}).get(key)

    def writes_of(self, resource: Resource[Any], key: ObjectKey | None = None) -> Iterator[Write]:
        """The writes to a resource, or to one object of it."""
        name = str(resource)
        return (write for write in self.writes if write.resource == name and key in (None, write.key))

    def furnish(self, rows: Iterable[Row]) -> None:
        """Begin with what was there before the run."""
        for row in rows:
            objects = self._objects.setdefault(row.resource, {})
            objects[ObjectKey(row.namespace, row.name)] = msgspec.json.decode(row.raw)

    def write(self, change: Change) -> None:
        """A write takes effect."""
        if self._closed:
            return
        key = ObjectKey(change.namespace, change.name)
        objects = self._objects.setdefault(change.resource, {})
        before = objects.pop(key, None) if change.raw is None else objects.get(key)
        after = None
        if change.raw is not None:
            after = objects[key] = msgspec.json.decode(change.raw)
        asked = request.get() or _BY_HOME
        number = len(self.writes) + 1
        write = Write(number, self.now, asked, change.resource, key, before, after, change.version)
        self.writes.append(write)
        self.entries.append(write)
        self.written(write)

    def strike(self, id: str, kind: Kind) -> None:
        """A fault is injected."""
        strike = Strike(self.now, id, kind)
        self.strikes.append(strike)
        self.entries.append(strike)

    def note(self, actor: str, text: str) -> None:
        """Something else happens."""
        if not self._closed:
            self.entries.append(Note(self.now, actor, text))

    def close(self) -> None:
        """What comes now is only clearing away."""
        self._closed = True

    def text(self) -> bytes:
        """All of it, for comparing: a JSON text per line."""
        return b"\n".join(msgspec.json.encode((type(entry).__name__, entry)) for entry in self.entries)


class RecordingJournal(MemoryJournal):
    """The journal of the simulated home: it keeps nothing, but tells a history of each write as it is decided.

    Each write is told in the context of who asked for it. What the home does after that is the home's own doing, so
    it gets a context in which nobody has asked for anything.
    """

    def __init__(self, history: History) -> None:
        super().__init__()
        self._history = history
        self._home = contextvars.copy_context()

    def append(self, change: Change, epoch: int) -> None:
        self._history.write(change)
        self._home.run(super().append, change, epoch)


class CollectingJournal(MemoryJournal):
    """A journal that remembers what the home holds."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[tuple[str, str, str], Row] = {}

    def append(self, change: Change, epoch: int) -> None:
        place = (change.resource, change.namespace, change.name)
        if change.raw is None:
            self._rows.pop(place, None)
        else:
            self._rows[place] = Row(*place, change.version, change.raw)
        super().append(change, epoch)

    def rows(self) -> tuple[Row, ...]:
        """What the home holds."""
        return tuple(self._rows.values())
