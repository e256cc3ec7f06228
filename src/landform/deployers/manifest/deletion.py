"""Deleting objects, group by group, until they are gone."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from landform.api.waiting import WaitReason
from landform.cluster import codec
from landform.cluster.errors import Conflict, NotFound
from landform.cluster.interface import DeleteOptions, Propagation
from landform.deployers.library import EventType
from landform.deployers.manifest import awaiting, deletiongroups, fates, parallel, references, secrecy
from landform.deployers.manifest.configuration import Policy
from landform.deployers.manifest.goals import Gone
from landform.deployers.manifest.views import Subject

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from landform.cluster.resources import Resource, Unstructured
    from landform.deployers.library import Item
    from landform.deployers.manifest.configuration import CustomGroup, DeletionGroup, ResourceType
    from landform.deployers.manifest.deletiongroups import Doomed
    from landform.deployers.manifest.memory import ManagedResource
    from landform.deployers.manifest.references import Reference
    from landform.deployers.manifest.sites import Site
    from landform.deployers.manifest.views import View
    from landform.deployers.manifest.watches import Watches

log = logging.getLogger(__name__)

OPERATION: Final = "delete"
MOST_TIMES: Final = 3
"""So often the same object is deleted where everything of its kind is to go."""

CLEARING_PAUSE: Final = 1.0
"""Seconds between two looks whether something is left."""

_MOST_TOLD: Final = 10
_EVERLASTING: Final = (("", "ConfigMap", "kube-root-ca.crt"), ("", "ServiceAccount", "default"))
_REASON: Final = "DeleteWithUninstall"


@dataclass(frozen=True)
class Deleter:
    """Deletes what an item deployed."""

    item: Item
    watches: Watches
    site_of: Callable[[str], Awaitable[Site]]
    """The site of a target by its name; empty for the item's own."""

    async def delete(self, groups: Sequence[DeletionGroup], managed: Iterable[ManagedResource]) -> None:
        """Delete all that the groups name, and return when it is gone."""
        managed = [each for each in managed if may_go(each)]
        clearing = [group for group in groups if clears(group)]
        if not managed and not clearing:
            return
        doomed = await self._doomed(managed) if managed else []
        for group, members in zip(groups, deletiongroups.assigned(groups, doomed), strict=True):
            await self._prepare(members)
            subjects = await self._subjects(group, members)
            await self._remove(subjects, force=group.force_delete)
            if group.custom_resource_group is not None and clears(group):
                await self._clear(group.custom_resource_group, subjects)

    async def _doomed(self, managed: Iterable[ManagedResource]) -> list[Doomed]:
        """Those that exist and are ours to delete."""
        found = await fates.fates(await self.site_of(""), self.item.name, managed)
        for why in (fates.REPLACED, fates.TAKEN):
            if names := [str(fate.memory.resource) for fate in found if fate.left == why]:
                message = f"left, because {why}: {_listed(names)}"
                log.info(message)
                self.item.tell(EventType.NORMAL, "LeftAlone", message)
        return [fate.doomed for fate in found if fate.doomed is not None]

    async def _prepare(self, members: Iterable[Doomed]) -> None:
        """Set the annotations and make the patches that were asked for before deletion."""

        async def prepare(doomed: Doomed) -> None:
            change = _last_change(doomed.memory)
            if change:
                subject = Subject(site, doomed.resource, doomed.memory.resource.key)
                await self._patch(subject, change, doing="annotateBeforeDelete, patchBeforeDelete")

        site = await self.site_of("")
        (await parallel.each(members, prepare)).check(OPERATION, _REASON)

    async def _subjects(self, group: DeletionGroup, members: Iterable[Doomed]) -> list[Subject]:
        own = await self.site_of("")
        found = {Subject(own, each.resource, each.memory.resource.key): None for each in members}
        custom = group.custom_resource_group
        if custom is not None and custom.delete_all_resources:
            found |= dict.fromkeys(await everything(self.site_of, custom))
        return list(found)

    async def _clear(self, group: CustomGroup, removed: Iterable[Subject]) -> None:
        """Delete what others created of some kinds meanwhile, until nothing is left; what insists is told."""
        times = Counter(removed)
        while found := [each for each in await everything(self.site_of, group) if not _is_everlasting(each)]:
            if not (new := [each for each in found if times[each] < MOST_TIMES]):
                return self._tell_of_returned(found)
            times.update(new)
            self.item.waiting(WaitReason.UNINSTALL, f"{new[0]} was created again; deleting continues")
            await self.item.surroundings.clock.sleep(CLEARING_PAUSE)
            await self._remove(new, force=group.force_delete)

    def _tell_of_returned(self, subjects: Sequence[Subject]) -> None:
        named = _listed([str(each) for each in subjects])
        message = f"deleted {MOST_TIMES} times and created again each time by somebody else: {named}"
        log.warning(message)
        self.item.tell(EventType.WARNING, "ComesBack", message)

    async def _remove(self, subjects: Sequence[Subject], *, force: bool) -> None:
        """Delete objects and return when they are gone."""
        left: list[Subject] = []

        async def remove(subject: Subject) -> None:
            if not await self._delete_one(subject, force=force):
                left.append(subject)

        async def react(view: View, changed: set[Gone]) -> None:
            """Delete again what somebody created again, and take off finalizers that came back."""
            batch = await parallel.each(
                [goal.subject for goal in changed if _wants_push(view.get(goal.subject), force=force)],
                lambda subject: self._delete_one(subject, force=force),
            )
            batch.check(OPERATION, _REASON)

        (await parallel.each(subjects, remove)).check(OPERATION, _REASON)
        if left:
            goals = [Gone(subject) for subject in left]
            await awaiting.until_met(self.item, self.watches, goals, reason=WaitReason.UNINSTALL, react=react)

    async def _delete_one(self, subject: Subject, *, force: bool) -> bool:
        """Ask for the deletion of an object; whether it is gone already."""
        cluster, key = subject.site.cluster, subject.key
        options = DeleteOptions(propagation=Propagation.BACKGROUND)
        with secrecy.telling(_reference(subject)):
            try:
                rest = await cluster.delete(subject.resource, key.name, namespace=key.namespace, options=options)
            except NotFound:
                return True
            except Conflict:  # somebody changed it in between: it is looked at again when that is reported
                return False
        if rest is not None and force and rest["metadata"].get("finalizers"):
            await self._patch(subject, {"metadata": {"finalizers": None}})
        return rest is None

    async def _patch(self, subject: Subject, change: dict[str, Any], *, doing: str = "") -> None:
        """Change an object that may be gone."""
        with secrecy.telling(_reference(subject), doing=doing):
            try:
                await subject.site.cluster.patch(
                    subject.resource, subject.key.name, change, namespace=subject.key.namespace
                )
            except NotFound:
                return


async def everything(site_of: Callable[[str], Awaitable[Site]], group: CustomGroup) -> list[Subject]:
    """Everything of the kinds of a group, whoever deployed it."""
    site = await site_of(group.target_name)
    found = []
    for type_ in group.resources or ():
        resource = await site.find(type_.api_version, type_.kind)
        if resource is not None:
            listed = await _in_cluster(site, resource, type_)
            found += [Subject(site, resource, codec.key_of(obj)) for obj in listed]
    return found


def is_needed(groups: Sequence[DeletionGroup], managed: Iterable[ManagedResource]) -> bool:
    """Whether there is anything to do in a cluster."""
    return any(map(may_go, managed)) or any(map(clears, groups))


def may_go(memory: ManagedResource) -> bool:
    """Whether the policy lets an object be deleted."""
    if memory.policy in (Policy.KEEP, Policy.IGNORE):
        return False
    return not (memory.policy == Policy.IMMUTABLE and memory.adopted)


def clears(group: DeletionGroup) -> bool:
    """Whether a group deletes also what the item did not deploy."""
    return group.custom_resource_group is not None and group.custom_resource_group.delete_all_resources


def _is_everlasting(subject: Subject) -> bool:
    """Whether it is one of the objects that clusters create in each namespace, whenever they are missing."""
    return (subject.resource.group, subject.resource.kind, subject.key.name) in _EVERLASTING


def _last_change(memory: ManagedResource) -> dict[str, Any]:
    change: dict[str, Any] = dict(memory.patch_before_delete or {})
    if memory.annotate_before_delete:
        metadata = change.get("metadata") or {}
        annotations = {**(metadata.get("annotations") or {}), **memory.annotate_before_delete}
        change["metadata"] = {**metadata, "annotations": annotations}
    return change


def _wants_push(obj: Unstructured | None, *, force: bool) -> bool:
    if obj is None:
        return False
    metadata = obj["metadata"]
    return not metadata.get("deletionTimestamp") or (force and bool(metadata.get("finalizers")))


async def _in_cluster(site: Site, resource: Resource[Unstructured], type_: ResourceType) -> list[Unstructured]:
    namespaces = type_.namespaces if resource.namespaced and type_.namespaces else [""]
    found = [obj for each in namespaces for obj in (await site.cluster.list(resource, namespace=each)).items]
    return [obj for obj in found if not type_.names or codec.key_of(obj).name in type_.names]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else ""
    return ", ".join(names[:_MOST_TOLD]) + more


def _reference(subject: Subject) -> Reference:
    resource, key = subject.resource, subject.key
    return references.Reference(
        api_version=resource.api_version, kind=resource.kind, name=key.name, namespace=key.namespace or None
    )
