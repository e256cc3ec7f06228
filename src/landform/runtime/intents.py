"""What a decision wants to have done, and the hands that do it.

A decision is a list of intents, performed in order; the first that fails ends it. Whatever is written carries the
version it was decided on, so what was decided on old knowledge, or by a replica that has lost its lease, changes
nothing that somebody else wrote. What is written is in the caches before the next intent is performed.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import msgspec

from landform.cluster import codec
from landform.cluster.errors import NotFound
from landform.cluster.interface import DeleteOptions, Propagation, WriteOptions
from landform.kit import patches
from landform.kit.surroundings import Surroundings
from landform.runtime.errors import LeaseLost
from landform.runtime.pressure import Pressure

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from landform.cluster.informers import Informer
    from landform.cluster.interface import Writer
    from landform.cluster.resources import ObjectKey, Resource, Unstructured
    from landform.runtime.recorders import EventType, Recorder

T = TypeVar("T")

SOONEST = 0.05
"""Seconds: a decision that keeps wishing to be woken in the past must not keep the process busy."""


class Fence(Protocol):
    """Knows for which root objects this replica may write."""

    def remaining(self, root: ObjectKey) -> float:
        """For how many seconds from now it surely may; LeaseLost if it may not."""
        ...

    def owns(self, root: ObjectKey) -> bool:
        """Whether it may now."""
        ...


class NoFence:
    """The fence of a single replica: there is nobody else."""

    def remaining(self, root: ObjectKey) -> float:
        return math.inf

    def owns(self, root: ObjectKey) -> bool:
        return True


@dataclass(frozen=True)
class Hands:
    """What intents are performed with."""

    cluster: Writer
    recorder: Recorder
    informers: Iterable[Informer[Any]] = ()
    """The caches that are told at once of what was written; a whole `Caches` will do."""

    fence: Fence = field(default_factory=NoFence)
    surroundings: Surroundings = field(default_factory=Surroundings)
    pressure: Pressure = field(default_factory=Pressure)
    """Of all controllers that have these hands."""

    async def write(self, root: ObjectKey, request: Callable[[], Awaitable[T]]) -> T:
        """Do a write for a root object.

        Invariant: no write is begun, and none is waited for, when the lease may be over.
        """
        remaining = self.fence.remaining(root)
        try:
            async with asyncio.timeout(None if math.isinf(remaining) else remaining) as limit:
                return await request()
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise LeaseLost(f"a write for {root} was not answered before the lease was over") from error

    def show(self, resource: Resource[T], obj: T) -> None:
        """Put what was written into the caches of its resource."""
        for informer in self.informers:
            if informer.resource == resource:
                informer.observe_write(obj)


class Intent(Protocol):
    """One thing to do. Deployers may add their own."""

    async def perform(self, hands: Hands, root: ObjectKey) -> None: ...


@dataclass(frozen=True)
class Patch(Generic[T]):
    """Change an object by a merge patch, if it still has the version that was decided on.

    Invariant: it is not sent if it would change nothing.
    """

    resource: Resource[T]
    obj: T
    """The object that was decided on."""

    change: Mapping[str, Any]
    subresource: str = ""

    def changes_anything(self) -> bool:
        """Whether the object would be another."""
        plain = _plain_parts(self.obj, self.change)
        return not patches.same(patches.merge_patch(plain, dict(self.change)), plain)

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        if not self.changes_anything():
            return
        said, key = codec.metadata(self.obj), codec.key_of(self.obj)
        condition = {"metadata": {"resourceVersion": said.resource_version}}
        change = patches.merge_patch(dict(self.change), condition)
        options = WriteOptions(subresource=self.subresource)
        changed = await hands.write(
            root,
            lambda: hands.cluster.patch(self.resource, key.name, change, namespace=key.namespace, options=options),
        )
        hands.show(self.resource, changed)


@dataclass(frozen=True)
class Create(Generic[T]):
    """Store a new object; its name should follow from what it is for, so that it cannot be created twice."""

    resource: Resource[T]
    obj: T | Unstructured

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        namespace = codec.key_of(self.obj).namespace
        created = await hands.write(root, lambda: hands.cluster.create(self.resource, self.obj, namespace=namespace))
        hands.show(self.resource, created)


@dataclass(frozen=True)
class Delete(Generic[T]):
    """Begin to delete an object, if it still has the version that was decided on; it may be gone already."""

    resource: Resource[T]
    obj: T
    propagation: Propagation = Propagation.BACKGROUND

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        said, key = codec.metadata(self.obj), codec.key_of(self.obj)
        options = DeleteOptions(uid=said.uid, resource_version=said.resource_version, propagation=self.propagation)
        try:
            left = await hands.write(
                root, lambda: hands.cluster.delete(self.resource, key.name, namespace=key.namespace, options=options)
            )
        except NotFound:
            return
        if left is not None:
            hands.show(self.resource, left)


@dataclass(frozen=True)
class Emit(Generic[T]):
    """Tell people about an object by an Event."""

    resource: Resource[T]
    obj: T
    type: EventType
    reason: str
    message: str

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        hands.recorder.emit(self.resource, self.obj, self.type, self.reason, self.message)


@dataclass(frozen=True)
class WakeAt:
    """Look at the key again at a moment, if nothing wakes it before."""

    moment: datetime

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        """Nothing: whoever performs a decision looks for these."""


def wake_after(intents: Sequence[Intent], now: datetime) -> float | None:
    """In how many seconds the first of the wake-ups is, not below SOONEST; None if there is none."""
    moments = [intent.moment for intent in intents if isinstance(intent, WakeAt)]
    return max(SOONEST, (min(moments) - now).total_seconds()) if moments else None


def _plain_parts(obj: Any, names: Iterable[str]) -> dict[str, Any]:
    """Some parts of an object as plain JSON data, as the cluster has them; the others can be large."""
    if isinstance(obj, dict):
        return {name: obj[name] for name in names if name in obj}
    fields = _fields(type(obj))
    parts = {name: getattr(obj, fields[name]) for name in names if name in fields}
    plain = msgspec.json.decode(codec.encode(parts))
    return {name: part for name, part in plain.items() if part is not None}


_FIELDS: dict[type, dict[str, str]] = {}
"""Of each model the names of its fields in JSON, with those in Python; filled when first needed."""


def _fields(model: type) -> dict[str, str]:
    if (fields := _FIELDS.get(model)) is None:
        fields = _FIELDS[model] = {field.encode_name: field.name for field in msgspec.structs.fields(model)}
    return fields
