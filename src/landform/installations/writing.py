"""The intents by which Installations change themselves and what belongs to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from landform.api.structs import API_VERSION
from landform.cluster import codec
from landform.cluster.interface import WriteOptions
from landform.cluster.kinds import EXECUTIONS, INSTALLATIONS
from landform.kit import clocks, patches
from landform.runtime.intents import Create, Delete, Patch

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from landform.api.executions import Execution
    from landform.api.installations import Installation, InstallationStatus
    from landform.cluster.resources import ObjectKey, Resource, Unstructured
    from landform.runtime.intents import Hands, Intent

T = TypeVar("T")

_STATUS = "status"


@dataclass(frozen=True)
class Put(Generic[T]):
    """Replace an object, if it still has the version that was decided on: data in it may hold nulls."""

    resource: Resource[T]
    wanted: Unstructured

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        namespace = codec.key_of(self.wanted).namespace
        stored = await hands.write(root, lambda: hands.cluster.replace(self.resource, self.wanted, namespace=namespace))
        hands.show(self.resource, stored)


@dataclass(frozen=True)
class Begin:
    """Give an Installation a new job, and then take from it what asked for that.

    In this order a crash between the two lets the job run twice; in the other it would never run.
    """

    installation: Installation
    status: Mapping[str, Any]
    metadata: Mapping[str, Any]

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        said, key = codec.metadata(self.installation), codec.key_of(self.installation)
        change = {"metadata": {"resourceVersion": said.resource_version}, "status": self.status}
        options = WriteOptions(subresource=_STATUS)
        begun = await hands.write(
            root, lambda: hands.cluster.patch(INSTALLATIONS, key.name, change, namespace=key.namespace, options=options)
        )
        hands.show(INSTALLATIONS, begun)
        await Patch(INSTALLATIONS, begun, self.metadata).perform(hands, root)


@dataclass(frozen=True)
class Discard(Generic[T]):
    """Annotate an object and begin to delete it, if it still has the version that was decided on."""

    resource: Resource[T]
    obj: T
    annotations: Mapping[str, str]

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        patch = Patch(self.resource, self.obj, {"metadata": {"annotations": dict(self.annotations)}})
        obj = self.obj
        if self.annotations and patch.changes_anything():
            said, key = codec.metadata(obj), codec.key_of(obj)
            change = patches.merge_patch(dict(patch.change), {"metadata": {"resourceVersion": said.resource_version}})
            obj = await hands.write(
                root, lambda: hands.cluster.patch(self.resource, key.name, change, namespace=key.namespace)
            )
            hands.show(self.resource, obj)
        await Delete(self.resource, obj).perform(hands, root)


def plain(obj: Any) -> Any:
    """A struct as plain JSON data."""
    return msgspec.json.decode(codec.encode(obj))


def status_change(old: InstallationStatus, new: InstallationStatus) -> dict[str, Any]:
    """What differs between two statuses, as a merge patch."""
    change: dict[str, Any] = {} if new == old else patches.diff(plain(old), plain(new))
    # The generation is required, and before the first write of a status it is not there.
    return {**change, "observedGeneration": new.observed_generation} if change else {}


def write_status(installation: Installation, new: InstallationStatus) -> list[Intent]:
    """Give an Installation another status; nothing if it has it."""
    change = status_change(installation.status, new)
    if not change:
        return []
    return [Patch(INSTALLATIONS, installation, {_STATUS: change}, subresource=_STATUS)]


def resource_of(child: Installation | Execution) -> Resource[Any]:
    """The resource of a child, whichever of the two it is."""
    return INSTALLATIONS if child.kind == INSTALLATIONS.kind else EXECUTIONS


def trigger(child: Installation | Execution, job: str, now: datetime) -> Intent:
    """Start a child by giving it the job."""
    times = {"triggerTime": clocks.rfc3339(now), "initTime": None, "waitTime": None, "finishedTime": None}
    change = {"jobID": job, "transitionTimes": times, "observedGeneration": child.status.observed_generation}
    return Patch(resource_of(child), child, {_STATUS: change}, subresource=_STATUS)


def annotate(resource: Resource[T], obj: T, key: str, value: str | None) -> Intent:
    """Set an annotation, or take it off."""
    return Patch(resource, obj, {"metadata": {"annotations": {key: value}}})


def ensure(resource: Resource[T], existing: T | None, wanted: Unstructured) -> list[Intent]:
    """Make an object be as it is wanted: create it, replace what differs, or nothing.

    Of an existing object everything but its metadata is replaced; its metadata keeps what is not spoken of, and a
    label or annotation that is None is taken off.
    """
    wanted = {"apiVersion": API_VERSION if resource.group else resource.api_version, "kind": resource.kind, **wanted}
    if existing is None:
        return [Create(resource, {**wanted, "metadata": _metadata({}, wanted["metadata"])})]
    current: Unstructured = existing if isinstance(existing, dict) else plain(existing)
    kept = {key: current[key] for key in (_STATUS,) if key in current}
    new = {**wanted, **kept, "metadata": _metadata(current["metadata"], wanted["metadata"])}
    return [] if patches.same(new, current) else [Put(resource, new)]


def _metadata(current: Unstructured, wanted: Unstructured) -> Unstructured:
    merged: Unstructured = patches.merge_patch(current, wanted)
    owners = {owner["uid"]: owner for owner in current.get("ownerReferences") or ()}
    owners.update({owner["uid"]: owner for owner in wanted.get("ownerReferences") or ()})
    if owners:
        merged["ownerReferences"] = list(owners.values())
    merged["finalizers"] = [*dict.fromkeys([*(current.get("finalizers") or ()), *(wanted.get("finalizers") or ())])]
    return {key: value for key, value in merged.items() if value not in ({}, [])}


def owner_reference(installation: Installation, *, controller: bool = False) -> Unstructured:
    """The reference by which an object belongs to the Installation."""
    reference: Unstructured = {
        "apiVersion": API_VERSION,
        "kind": INSTALLATIONS.kind,
        "name": installation.metadata.name,
        "uid": installation.metadata.uid,
    }
    return {**reference, "controller": True, "blockOwnerDeletion": True} if controller else reference
