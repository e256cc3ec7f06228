"""Children whose parent is gone: nobody will give them a job any more, so here they get one to be deleted in.

A parent waits for its children before it goes. But somebody may take its finalizer off by hand, and the creation of a
child may take effect so late that its parent is gone. The cluster then deletes the child, but its finalizer holds it.

What cannot be uninstalled stays, as it would under its parent; the way out is the annotation that leaves the target as
it is, on the child itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api import phases
from landform.api.executions import Execution, ExecutionSpec, ExecutionStatus
from landform.api.names import TRUE, Annotation, Finalizer
from landform.api.phases import Phase, TransitionTimes
from landform.api.structs import ObjectMeta
from landform.cluster.codec import metadata
from landform.cluster.errors import NotFound
from landform.cluster.kinds import EXECUTIONS, INSTALLATIONS
from landform.executions import removal, writing
from landform.runtime.errors import Retry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from landform.api.deployitems import DeployItem
    from landform.api.structs import Kind, OwnerReference
    from landform.cluster.interface import Reader
    from landform.cluster.resources import ObjectKey, Resource
    from landform.executions.snapshot import Snapshot
    from landform.runtime.intents import Hands, Intent

_AGAIN = "-without-uninstall"
"""Ends the id of the second job of an Execution, which people ask for when the first could not delete it."""


def parent_of(child: Kind, resource: Resource[Any]) -> OwnerReference | None:
    """The object of a resource that the child belongs to."""
    return next((owner for owner in child.metadata.owner_references or () if owner.kind == resource.kind), None)


def stand_in(key: ObjectKey, items: Sequence[DeployItem], now: datetime) -> Execution | None:
    """An Execution that is gone, as it would be if it still deleted its items; None if no item waits for that."""
    parent = next(filter(None, (parent_of(item, EXECUTIONS) for item in items)), None)
    if parent is None or not any(item.metadata.deletion_timestamp for item in items):
        return None
    said = ObjectMeta(
        name=key.name,
        namespace=key.namespace,
        uid=parent.uid,
        deletion_timestamp=now,
        finalizers=(str(Finalizer.LANDSCAPER),),
    )
    status = ExecutionStatus(job_id=parent.uid, phase=str(Phase.DELETING))
    return Execution(metadata=said, spec=ExecutionSpec(), status=status)


def of_items(snapshot: Snapshot) -> list[Intent]:
    """Have the items of an Execution uninstalled that is gone itself, in the reverse of their order."""
    going = [item for item in snapshot.items if parent_of(item, EXECUTIONS) is not None]
    steps = removal.remove(snapshot, going, uninstall=True).steps
    return [Orphaned(snapshot.reader, EXECUTIONS, snapshot.key), *steps] if steps else []


def of_execution(snapshot: Snapshot) -> list[Intent]:
    """Begin to delete an Execution whose Installation is gone; nothing if that is not so, or done already."""
    execution, parent = snapshot.execution, snapshot.lost_parent
    if parent is None or not snapshot.is_deleted or not execution.metadata.finalizers:
        return []
    job = parent.uid
    if phases.is_deletion(execution.status.phase):
        job += _AGAIN
        if execution.status.job_id == job or snapshot.annotated(Annotation.DELETE_WITHOUT_UNINSTALL) != TRUE:
            return []
    times = TransitionTimes(trigger_time=snapshot.moment)
    status = msgspec.structs.replace(execution.status, job_id=job, transition_times=times)
    check = Orphaned(snapshot.reader, INSTALLATIONS, snapshot.key._replace(name=parent.name), parent.uid)
    return [check, writing.execution_status(execution, status)]


@dataclass(frozen=True)
class Orphaned:
    """Go on only if the parent is really gone, and not only unseen."""

    reader: Reader
    resource: Resource[Any]
    parent: ObjectKey
    uid: str = ""
    """Another object of that name is none; empty if it is."""

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        try:
            found = await self.reader.get(self.resource, self.parent.name, namespace=self.parent.namespace)
        except NotFound:
            return
        if self.uid in ("", metadata(found).uid):
            raise Retry(f"{self.resource.kind} {self.parent} is there, though it has not been seen yet")
