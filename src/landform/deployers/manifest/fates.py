"""Fates: which of the objects that an item remembers are there, and still its own to delete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from landform.cluster.errors import MethodNotAllowed, NotFound
from landform.deployers.manifest import objects, parallel, secrecy
from landform.deployers.manifest.configuration import Policy
from landform.deployers.manifest.deletiongroups import Doomed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.cluster.resources import Resource, Unstructured
    from landform.deployers.manifest.memory import ManagedResource
    from landform.deployers.manifest.references import Identity
    from landform.deployers.manifest.sites import Site

GONE: Final = "it is gone already"
UNLABELLED: Final = "the policy is fallback, and it is somebody else's"
REPLACED: Final = "somebody else made what has the name now"
TAKEN: Final = "another item deploys it now"


@dataclass(frozen=True)
class Fate:
    """A remembered object and what is to become of it."""

    memory: ManagedResource
    doomed: Doomed | None = None
    """It is to be deleted."""

    left: str = ""
    """Otherwise: why not."""


async def fates(site: Site, item: str, managed: Iterable[ManagedResource]) -> list[Fate]:
    """What is to become of the objects that the item of that name remembers, in their order."""
    managed = list(managed)
    found: dict[Identity, Fate] = {}
    resources = await _resources(site, managed)

    async def decide(memory: ManagedResource) -> None:
        resource = resources[memory.resource.api_version, memory.resource.kind]
        live = None if resource is None else await _read(site, resource, memory)
        if resource is None or live is None:
            found[memory.identity] = Fate(memory, left=GONE)  # a kind that is not served has no objects
        elif left := foreign(memory, live, item):
            found[memory.identity] = Fate(memory, left=left)
        else:
            found[memory.identity] = Fate(memory, Doomed(memory, resource))

    (await parallel.each(managed, decide)).check("delete", "ReadObjects")
    return [found[memory.identity] for memory in managed]


def foreign(memory: ManagedResource, live: Unstructured, item: str) -> str:
    """Why an object is not the item's to delete; empty if it is.

    What the item deployed has its label, or is at least the same object. Something else of the same name is none of
    its business: it stands on another cluster if the item's target was changed, or was there before an item that never
    got to change it. What has the label of another item was moved there: that one answers for it.
    """
    if objects.is_labelled(live, item):
        return ""
    if memory.policy == Policy.FALLBACK:
        return UNLABELLED
    if objects.has_label(live):
        return TAKEN
    uid = memory.resource.uid
    return "" if uid is not None and uid == live["metadata"].get("uid") else REPLACED


async def _resources(
    site: Site, managed: Iterable[ManagedResource]
) -> dict[tuple[str, str], Resource[Unstructured] | None]:
    kinds = dict.fromkeys((each.resource.api_version, each.resource.kind) for each in managed)
    return {kind: await site.find(*kind) for kind in kinds}


async def _read(site: Site, resource: Resource[Unstructured], memory: ManagedResource) -> Unstructured | None:
    key = memory.resource.key
    with secrecy.telling(memory.resource):
        try:
            return await site.cluster.get(resource, key.name, namespace=key.namespace)
        except (NotFound, MethodNotAllowed):  # what cannot be read, such as a review, is not kept
            return None
