"""Events: what people read with `kubectl describe`. Recording them never holds up a reconcile and never fails it."""

from __future__ import annotations

import asyncio
import enum
import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from landform.cluster import codec
from landform.cluster.errors import ClusterError, NotFound
from landform.cluster.resources import EVENTS
from landform.kit import clocks
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from datetime import datetime

    from landform.cluster.interface import Writer
    from landform.cluster.resources import Resource
    from landform.runtime.manager import Life

log = logging.getLogger(__name__)

LONGEST_MESSAGE = 1024
"""What the API takes of a message, in characters."""


class EventType(enum.StrEnum):
    """Whether it is good news."""

    NORMAL = "Normal"
    WARNING = "Warning"


class Subject(NamedTuple):
    """The object that an Event is about."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str


class Statement(NamedTuple):
    """What makes two Events the same."""

    subject: Subject
    type: EventType
    reason: str
    message: str


@dataclass(slots=True)
class _Told:
    """How often and when it was said; `name` of the stored Event, once there is one."""

    first: datetime
    last: datetime
    count: int
    name: str = ""


class Recorder:
    """Collects statements and writes them as Events, from `run`.

    Invariants:
    - `emit` only notes: it neither waits nor raises;
    - the same statement is one Event whose count grows, however often it is made;
    - at most `bound` statements wait to be written, and as many are remembered: further ones are `dropped`, and the
      longest unused of the remembered ones forgotten.
    """

    def __init__(
        self, cluster: Writer, component: str, *, surroundings: Surroundings | None = None, bound: int = 1000
    ) -> None:
        surroundings = surroundings or Surroundings()
        self.dropped = 0
        """How many statements there was no room for, or that the cluster did not take."""

        self._cluster = cluster
        self._component = component
        self._clock = surroundings.clock
        self._ids = surroundings.ids
        self._bound = bound
        self._told: OrderedDict[Statement, _Told] = OrderedDict()
        self._pending: OrderedDict[Statement, None] = OrderedDict()
        self._work = asyncio.Event()

    def emit(self, resource: Resource[Any], obj: Any, type: EventType, reason: str, message: str) -> None:
        """Say something about an object."""
        said, key = codec.metadata(obj), codec.key_of(obj)
        subject = Subject(resource.api_version, resource.kind, key.namespace, key.name, said.uid)
        statement = Statement(subject, type, reason, message[:LONGEST_MESSAGE])
        if statement not in self._pending and len(self._pending) >= self._bound:
            self.dropped += 1
            return
        now = self._clock.now()
        told = self._told.setdefault(statement, _Told(now, now, 0))
        told.last, told.count = now, told.count + 1
        self._told.move_to_end(statement)
        self._pending[statement] = None
        self._work.set()
        self._forget_oldest()

    async def run(self, life: Life) -> None:
        """Write what is emitted; when stopping, what is left."""
        life.ready()
        stopping = asyncio.create_task(life.stopping(), name="stop of the recorder")
        stopping.add_done_callback(lambda _: self._work.set())
        try:
            while not stopping.done():
                await self._work.wait()
                self._work.clear()
                await self.flush()
        finally:
            stopping.cancel()

    async def flush(self) -> None:
        """Write all that waits."""
        while self._pending:
            statement, _ = self._pending.popitem(last=False)
            if (told := self._told.get(statement)) is not None:
                await self._write(statement, told)

    async def _write(self, statement: Statement, told: _Told) -> None:
        try:
            if told.name:
                try:
                    return await self._count_up(statement, told)
                except NotFound:
                    pass  # Events expire; what is said again after that is a new one
            await self._create(statement, told)
        except ClusterError as error:
            self.dropped += 1
            log.warning("an Event about %s could not be written: %s", statement.subject.name, error)

    async def _count_up(self, statement: Statement, told: _Told) -> None:
        change = {"count": told.count, "lastTimestamp": clocks.rfc3339(told.last)}
        await self._cluster.patch(EVENTS, told.name, change, namespace=_namespace(statement.subject))

    async def _create(self, statement: Statement, told: _Told) -> None:
        subject = statement.subject
        namespace = _namespace(subject)
        name = f"{subject.name[:200]}.{self._ids.uid()[:13]}"
        event = {
            "metadata": {"name": name, "namespace": namespace},
            "involvedObject": {
                "apiVersion": subject.api_version,
                "kind": subject.kind,
                "namespace": subject.namespace,
                "name": subject.name,
                "uid": subject.uid,
            },
            "type": str(statement.type),
            "reason": statement.reason,
            "message": statement.message,
            "count": told.count,
            "firstTimestamp": clocks.rfc3339(told.first),
            "lastTimestamp": clocks.rfc3339(told.last),
            "source": {"component": self._component},
        }
        await self._cluster.create(EVENTS, event, namespace=namespace)
        told.name = name

    def _forget_oldest(self) -> None:
        while len(self._told) > self._bound:
            oldest = next(iter(self._told))
            if oldest in self._pending:
                return
            del self._told[oldest]


def _namespace(subject: Subject) -> str:
    """Events about cluster-scoped objects live in the default namespace."""
    return subject.namespace or "default"
