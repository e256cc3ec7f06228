"""Plans: what the deployer would do for an item, as the cluster answers when it is asked to keep nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from landform.cluster.resources import NAMESPACES
from landform.deployers.library import Action, Change, Plan
from landform.deployers.manifest import (
    applying,
    deletion,
    deletiongroups,
    differences,
    fates,
    memory,
    objects,
    parallel,
)
from landform.deployers.manifest.applying import Applied, Applier, Outcome
from landform.deployers.manifest.secrecy import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from landform.deployers.library import FieldChange, Item
    from landform.deployers.manifest.configuration import Configuration, DeletionGroup
    from landform.deployers.manifest.fates import Fate
    from landform.deployers.manifest.memory import ManagedResource
    from landform.deployers.manifest.objects import Wanted
    from landform.deployers.manifest.references import Reference
    from landform.deployers.manifest.sites import Site
    from landform.deployers.manifest.views import Subject

_LEFT: Final = {
    Outcome.IGNORED: "the policy is ignore",
    Outcome.LEFT: "the policy is immutable",
    Outcome.FOREIGN: "the policy is fallback, and it is somebody else's",
}


async def plan(item: Item, config: Configuration, site_of: Callable[[str], Awaitable[Site]]) -> Plan:
    """What deploying the item would do."""
    site, known = await site_of(""), memory.read(item.provider_status)
    wanted = await applying.resolve(site, config.manifests or (), item.name)
    applier = Applier(site, item.name, config.update_strategy, {e.identity: e for e in known}, dry_run=True)
    planner = _Planner(applier)
    changes = [change for group in objects.in_order(wanted) for change in await planner.changes(group)]
    kept = {each.reference.identity for each in wanted}
    orphans = [each for each in known if each.identity not in kept]
    if not orphans:
        return Plan(tuple(changes))
    groups = config.deletion_groups_during_update or deletiongroups.DEFAULT
    return Plan((*changes, *await deletions(item.name, site_of, groups, orphans)))


async def deletions(
    item: str,
    site_of: Callable[[str], Awaitable[Site]],
    groups: Sequence[DeletionGroup],
    managed: Iterable[ManagedResource],
) -> tuple[Change, ...]:
    """What would become of objects that the item deployed and does not want, and of those that go with them."""
    managed = list(managed)
    going = [each for each in managed if deletion.may_go(each)]
    found = {fate.memory.identity: fate for fate in await fates.fates(await site_of(""), item, going)} if going else {}
    changes = [_fate(groups, each, found.get(each.identity)) for each in managed]
    own = {(each.kind, each.namespace, each.name) for each in changes if each.action is Action.DELETE}
    for custom in (group.custom_resource_group for group in groups if deletion.clears(group)):
        assert custom is not None  # only such a group clears
        changes += [
            _cleared(subject, custom.target_name)
            for subject in await deletion.everything(site_of, custom)
            if custom.target_name or (subject.resource.kind, *subject.key) not in own
        ]
    return tuple(changes)


def _fate(groups: Sequence[DeletionGroup], memory: ManagedResource, fate: Fate | None) -> Change:
    if fate is None:
        return _change(Action.LEAVE, memory.resource, why=f"the policy is {memory.policy}")
    if fate.doomed is None:
        return _change(Action.LEAVE, memory.resource, why=fate.left)
    if any(deletiongroups.matches(group, fate.doomed) for group in groups):
        return _change(Action.DELETE, memory.resource)
    return _change(Action.LEAVE, memory.resource, why="no deletion group names it")


def _cleared(subject: Subject, target: str) -> Change:
    """An object that goes because everything of its kind does."""
    why = "deleteAllResources" + (f" on the cluster of target {target}" if target else "")
    resource, key = subject.resource, subject.key
    return Change(Action.DELETE, resource.api_version, resource.kind, key.name, key.namespace, why=why)


class _Planner:
    """Asks the cluster what would become of objects, group by group in the order of creation."""

    def __init__(self, applier: Applier) -> None:
        self._applier = applier
        self._new_namespaces: set[str] = set()
        self._new_kinds: set[tuple[str, str]] = set()

    async def changes(self, group: Sequence[Wanted]) -> list[Change]:
        """What would become of the objects, in their order."""
        batch = await parallel.each(enumerate(group), self._numbered)
        batch.check(applying.OPERATION, "PlanManifests")
        changes = [change for _, change in sorted(batch.results, key=lambda each: each[0])]
        self._learn(group, changes)
        return changes

    def _learn(self, group: Sequence[Wanted], changes: Iterable[Change]) -> None:
        """Remember which namespaces and kinds would be new."""
        for wanted, change in zip(group, changes, strict=True):
            if change.action is Action.CREATE and change.kind == NAMESPACES.kind:
                self._new_namespaces.add(change.name)
            if change.action is Action.CREATE:
                self._new_kinds |= {(each.group, each.kind) for each in objects.defined([wanted.settings])}

    async def _numbered(self, numbered: tuple[int, Wanted]) -> tuple[int, Change]:
        number, wanted = numbered
        return number, await self._change(wanted)

    async def _change(self, wanted: Wanted) -> Change:
        if self._is_new(wanted):
            # The cluster cannot be asked yet: it does not know the namespace, or the kind.
            return _change(Action.CREATE, wanted.reference)
        try:
            return _told(await self._applier.apply(wanted))
        except (Refused, applying.StillDeleted) as refused:
            action = Action.UPDATE if wanted.reference.identity in self._applier.known else Action.CREATE
            return _change(action, wanted.reference, why=str(refused), is_refused=True)

    def _is_new(self, wanted: Wanted) -> bool:
        """Whether the object belongs to what the same plan creates."""
        key, identity = wanted.reference.key, wanted.reference.identity
        return identity not in self._applier.known and (
            key.namespace in self._new_namespaces or (wanted.resource.group, wanted.resource.kind) in self._new_kinds
        )


def _told(applied: Applied) -> Change:
    reference = applied.wanted.reference
    if applied.outcome is Outcome.CREATED:
        return _change(Action.CREATE, reference)
    if applied.outcome is not Outcome.WRITTEN or applied.before is None or applied.live is None:
        return _change(Action.LEAVE, reference, why=_LEFT.get(applied.outcome, ""))
    fields = differences.fields(applied.before, applied.live)
    if not fields:
        return _change(Action.LEAVE, reference, why="it is as wanted")
    adopted = applied.memory is not None and applied.memory.adopted
    return _change(Action.UPDATE, reference, fields, why="somebody else made it" if adopted else "")


def _change(
    action: Action,
    reference: Reference,
    fields: tuple[FieldChange, ...] = (),
    *,
    why: str = "",
    is_refused: bool = False,
) -> Change:
    key = reference.key
    return Change(
        action, reference.api_version, reference.kind, key.name, key.namespace, fields, why=why, is_refused=is_refused
    )
