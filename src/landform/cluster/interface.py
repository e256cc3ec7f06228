"""The door to any cluster: what controllers and deployers may ask of it, whichever home it has."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from contextlib import AbstractAsyncContextManager

    from landform.cluster.resources import Resource, Unstructured

T = TypeVar("T")


class PatchType(enum.StrEnum):
    """How a patch is written; the value is its media type."""

    MERGE = "application/merge-patch+json"
    JSON = "application/json-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"
    APPLY = "application/apply-patch+yaml"


class Propagation(enum.StrEnum):
    """What happens to the objects that a deleted one owns."""

    BACKGROUND = "Background"
    FOREGROUND = "Foreground"
    ORPHAN = "Orphan"


class EventType(enum.StrEnum):
    """What a watch reports."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"
    """No object changed: `resource_version` is how far the watch has come."""


@dataclass(frozen=True)
class WatchEvent(Generic[T]):
    """One report of a watch."""

    type: EventType
    resource_version: str
    object: T | None
    """The object after the change (before it, for DELETED); nothing for BOOKMARK."""

    initial_events_end: bool = False
    """With BOOKMARK: everything that existed when the watch began has been reported."""


@dataclass(frozen=True)
class ObjectList(Generic[T]):
    """One page of a list, or all of it."""

    items: Sequence[T]
    resource_version: str
    continue_token: str = ""
    remaining: int | None = None


@dataclass(frozen=True)
class ListOptions:
    """Which objects, and how fresh."""

    label_selector: str = ""
    field_selector: str = ""
    resource_version: str = ""
    """List: empty = most recent, ``0`` = any, else at least (or exactly, by `resource_version_match`).
    Watch: events after this version; empty = start with what exists."""

    resource_version_match: str = ""
    limit: int = 0
    """At most this many in one page; 0 = all."""

    continue_token: str = ""
    send_initial_events: bool = False
    """Watch only: report what exists, then a bookmark that says so."""

    timeout_seconds: float | None = None
    """Watch only: the server ends the watch after this time."""


@dataclass(frozen=True)
class WriteOptions:
    """How a write is done."""

    subresource: str = ""
    """``status``, ``scale``, ``token`` ...; empty for the object itself."""

    dry_run: bool = False
    """Check and answer as if done, but keep nothing."""

    field_manager: str = ""
    """Who owns the written fields; required for PatchType.APPLY."""

    force: bool = False
    """PatchType.APPLY only: take over fields that others own."""

    field_validation: str = ""
    """``Ignore``, ``Warn`` or ``Strict`` for unknown and duplicate fields; empty = the server's default."""


@dataclass(frozen=True)
class DeleteOptions:
    """How an object is deleted."""

    uid: str = ""
    """Precondition: delete only the object with this uid."""

    resource_version: str = ""
    """Precondition: delete only this version."""

    propagation: Propagation | None = None
    grace_period_seconds: int | None = None
    dry_run: bool = False


LIST_ALL = ListOptions()
PLAIN_WRITE = WriteOptions()
PLAIN_DELETE = DeleteOptions()


class Reader(Protocol):
    """Reads from a cluster."""

    async def get(self, resource: Resource[T], name: str, *, namespace: str = "", subresource: str = "") -> T:
        """The object; NotFound if there is none."""
        ...

    async def list(
        self, resource: Resource[T], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> ObjectList[T]:
        """The objects in a namespace, or in all of them; Gone if a continue token is too old."""
        ...

    def watch(
        self, resource: Resource[T], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> AbstractAsyncContextManager[AsyncIterator[WatchEvent[T]]]:
        """Changes as they happen, until the server ends the watch.

        Gone (on entry or while iterating) means: list again. Raises Unreachable when the connection breaks or the
        peer falls silent.
        """
        ...


class Writer(Protocol):
    """Writes to a cluster. Every answer is the object as stored; it is on disk when the call returns."""

    async def create(
        self,
        resource: Resource[T],
        obj: T | Unstructured,
        *,
        namespace: str = "",
        name: str = "",
        options: WriteOptions = PLAIN_WRITE,
    ) -> T:
        """Store a new object; AlreadyExists if the name is taken. `name` is needed for subresources only."""
        ...

    async def replace(
        self, resource: Resource[T], obj: Unstructured, *, namespace: str = "", options: WriteOptions = PLAIN_WRITE
    ) -> T:
        """Replace the whole object; Conflict if its resourceVersion is not the current one."""
        ...

    async def patch(
        self,
        resource: Resource[T],
        name: str,
        patch: Any,
        *,
        namespace: str = "",
        type: PatchType = PatchType.MERGE,
        options: WriteOptions = PLAIN_WRITE,
    ) -> T:
        """Change the object; with ``metadata.resourceVersion`` in the patch, only if that is the current one."""
        ...

    async def delete(
        self, resource: Resource[T], name: str, *, namespace: str = "", options: DeleteOptions = PLAIN_DELETE
    ) -> T | None:
        """Begin to delete the object: the object if something still holds it, None when it is gone at once."""
        ...

    async def delete_collection(
        self,
        resource: Resource[T],
        *,
        namespace: str = "",
        selection: ListOptions = LIST_ALL,
        options: DeleteOptions = PLAIN_DELETE,
    ) -> None:
        """Begin to delete all that `selection` names."""
        ...


class Cluster(Reader, Writer, Protocol):
    """A cluster: reads, writes, and what it offers."""

    async def discover(self) -> Sequence[Resource[Unstructured]]:
        """Every resource the cluster serves, subresources left out, preferred version first."""
        ...

    async def version(self) -> dict[str, str]:
        """What the cluster says of itself at ``/version``."""
        ...

    async def close(self) -> None:
        """Give back connections. Idempotent."""
        ...
