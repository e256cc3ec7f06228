"""One deployment of one item: apply, remove orphans, wait, export, patch."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

import msgspec

from landform.api import jobs
from landform.cluster.errors import NotFound
from landform.deployers.library import EventType
from landform.deployers.manifest import (
    applying,
    awaiting,
    customchecks,
    deletiongroups,
    drifting,
    exporting,
    memory,
    objects,
    parallel,
    readiness,
    secrecy,
)
from landform.deployers.manifest.applying import OPERATION, Applied, Applier, Outcome
from landform.deployers.manifest.configuration import Policy
from landform.deployers.manifest.deletion import Deleter
from landform.deployers.manifest.goals import AllReady, Goal, Holds, Ready
from landform.deployers.manifest.secrecy import Refused
from landform.deployers.manifest.views import Selection, Subject
from landform.kit import patches

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.deployers.library import Item
    from landform.deployers.manifest.configuration import Configuration, LabelSelector, TypedReference
    from landform.deployers.manifest.customchecks import ParsedCheck
    from landform.deployers.manifest.memory import ManagedResource
    from landform.deployers.manifest.objects import Wanted
    from landform.deployers.manifest.sites import Site
    from landform.deployers.manifest.targets import TargetSites
    from landform.deployers.manifest.watches import Watches
    from landform.kit.errors import LandformError

_CHANGED: Final = (Outcome.CREATED, Outcome.WRITTEN)


class Deployment:
    """The work on one item, step by step; `applied` is what the first step found and left."""

    def __init__(self, item: Item, config: Configuration, targets: TargetSites, watches: Watches) -> None:
        self._item = item
        self._config = config
        self._targets = targets
        self._watches = watches
        self._known = memory.read(item.provider_status)
        self.applied: list[Applied] = []

    # Applying

    async def apply(self) -> None:
        """Have all objects be there as they are wanted."""
        site = await self._targets.site()
        wanted = await applying.resolve(site, self._config.manifests or (), self._item.name)
        self._tell_of_repeated()
        remembered = memory.union(self._known, [each.remembered() for each in wanted if not each.is_ignored])
        if self._remember(remembered):
            # Before anything is created: whatever happens then, it is not forgotten.
            await self._item.progress()
        known = {each.identity: each for each in self._known}
        applier = Applier(site, self._item.name, self._config.update_strategy, known)
        failures = []
        for group in objects.in_order(wanted):
            batch = await parallel.each(group, applier.apply)
            failures += batch.failures
            self.applied += batch.results
            if batch.is_cut:
                break
            await self._until_served(batch.results)
        self._remember(self._met(remembered))
        if any(map(_is_missing, failures)):
            site.forget()  # a kind that was served may be gone, or have come back as something else
        if failures:
            raise parallel.failure(OPERATION, "ApplyManifests", failures)

    def _tell_of_repeated(self) -> None:
        if names := objects.repeated(self._config.manifests or ()):
            message = f"in several manifests, of which the last one counts: {', '.join(names)}"
            self._item.tell(EventType.WARNING, "RepeatedManifest", message)

    def _met(self, remembered: Iterable[ManagedResource]) -> list[ManagedResource]:
        """What is remembered, with what is known of the objects since they were applied."""
        foreign = [each.wanted.reference.identity for each in self.applied if each.outcome is Outcome.FOREIGN]
        return memory.union(memory.without(remembered, foreign), _memories(self.applied))

    async def _until_served(self, applied: Iterable[Applied]) -> None:
        """Wait until the cluster serves what definitions define."""
        site = await self._targets.site()
        goals = [
            Ready(_subject(site, each.wanted))
            for each in applied
            if each.live is not None and objects.is_definition(each.live) and not readiness.verdict(each.live).is_ready
        ]
        if goals:
            await awaiting.until_met(self._item, self._watches, goals)

    def _remember(self, resources: Iterable[ManagedResource]) -> bool:
        """Have the status remember objects; whether that is news."""
        status = memory.write(resources)
        if patches.same(status, self._item.provider_status):
            return False
        self._item.provider_status = status
        return True

    # Drift

    async def detect_drift(self) -> None:
        """Say what others changed, and change nothing."""
        site = await self._targets.site()
        wanted = await applying.resolve(site, self._config.manifests or (), self._item.name)
        finished = [dataclasses.replace(each, obj=drifting.finished_object(each)) for each in wanted]
        known = {each.identity: each for each in self._known}
        applier = Applier(site, self._item.name, self._config.update_strategy, known, dry_run=True)

        async def compare(wanted: Wanted) -> Applied:
            try:
                return await applier.apply(wanted)
            except Refused as refused:
                # Its namespace or its kind went with it, so the cluster does not even say how it would be created.
                if _is_missing(refused) and wanted.reference.identity in known:
                    return Applied(wanted, Outcome.CREATED)
                raise

        batch = await parallel.each(finished, compare)
        batch.check(OPERATION, "DetectDrift")
        drifting.report(self._item, drifting.found(batch.results, known))
        self._item.keep_exports()

    def report_correction(self) -> None:
        """Say what a scheduled pass has restored."""
        known = {each.identity for each in self._known}
        restored = drifting.found(self.applied, known) if jobs.is_pass(self._item.job_id) else []
        drifting.report_correction(self._item, restored)

    # Orphans

    async def remove_orphans(self) -> None:
        """Delete what earlier manifests had and these do not; only then it is forgotten."""
        wanted = {each.wanted.reference.identity for each in self.applied}
        orphans = [each for each in self._known if each.identity not in wanted]
        if orphans:
            groups = self._config.deletion_groups_during_update or deletiongroups.DEFAULT
            await Deleter(self._item, self._watches, self._targets.site).delete(groups, orphans)
        self._remember(_memories(self.applied))

    # Readiness

    async def until_ready(self) -> None:
        """Wait until everything is ready."""
        goals = [*await self._default_goals(), *await self._custom_goals()]
        if goals:
            await awaiting.until_met(self._item, self._watches, goals)

    async def _default_goals(self) -> list[Goal]:
        checks = self._config.readiness_checks
        if checks.disable_default:
            return []
        site = await self._targets.site()
        goals: list[Goal] = []
        if not all(each.live is not None and readiness.verdict(each.live).is_ready for each in self._tracked()):
            goals += [Ready(_subject(site, each.wanted), is_own=True) for each in self._tracked()]
        for further in checks.default or ():
            subjects, selection = await self._sights(
                "readinessChecks.default", further.target_name, further.resource_selector, further.label_selector
            )
            goals += [Ready(subject) for subject in subjects]
            goals += [AllReady(selection)] if selection is not None else []
        return goals

    async def _custom_goals(self) -> list[Goal]:
        goals: list[Goal] = []
        for number, check in enumerate(self._config.readiness_checks.custom or ()):
            parsed = customchecks.parse(check, f"readinessChecks.custom[{number}]")
            if not parsed.disabled:
                who = f"check {parsed.name}"
                subjects, selection = await self._sights(
                    who, parsed.target_name, parsed.resource_selector, parsed.label_selector
                )
                goals.append(Holds(_by_kinds(parsed, subjects, selection), subjects, selection))
        return goals

    async def _sights(
        self, who: str, target: str, named: Iterable[TypedReference] | None, labels: LabelSelector | None
    ) -> tuple[tuple[Subject, ...], Selection | None]:
        site = await self._targets.site(target)
        subjects = tuple([Subject(site, *await site.locate(reference, who)) for reference in named or ()])
        if labels is None:
            return subjects, None
        resource = await site.resource(labels.api_version, labels.kind, who)
        return subjects, Selection(site, resource, tuple(sorted((labels.match_labels or {}).items())))

    def _tracked(self) -> list[Applied]:
        return [each for each in self.applied if each.memory is not None]

    # Exports and patches

    async def export(self) -> None:
        """Wait until all values to be exported are there, and hand them on."""
        goals = [await exporting.goal(self._targets.site, export) for export in self._config.values]
        if goals:
            view = await awaiting.until_met(self._item, self._watches, goals)
            await self._item.export(exporting.nested((goal.export.key, goal.value(view)) for goal in goals))

    async def patch_afterwards(self) -> None:
        """Make the patches that were asked for when all is done."""

        async def patch(applied: Applied) -> None:
            wanted, change = applied.wanted, _last_patch(applied)
            key = wanted.reference.key
            patched = {**change, "apiVersion": wanted.obj["apiVersion"], "kind": wanted.obj["kind"]}
            with secrecy.telling(wanted.reference, wanted.obj, patched, doing="patchAfterDeployment"):
                await site.cluster.patch(wanted.resource, key.name, change, namespace=key.namespace)

        site = await self._targets.site()
        unfinished = [each for each in self.applied if each.outcome in _CHANGED and _last_patch(each)]
        (await parallel.each(unfinished, patch)).check(OPERATION, "PatchAfterDeployment")


def _is_missing(failure: LandformError) -> bool:
    """Whether a cluster refused something because what it belongs to is not there."""
    return isinstance(failure, Refused) and failure.reason == NotFound.default_reason


def _memories(applied: Iterable[Applied]) -> list[ManagedResource]:
    return [each.memory for each in applied if each.memory is not None]


def _by_kinds(check: ParsedCheck, subjects: tuple[Subject, ...], selection: Selection | None) -> ParsedCheck:
    """The check with the names of kinds where it has plural ones."""
    pairs = zip(check.resource_selector, subjects, strict=True)
    named = tuple(msgspec.structs.replace(each, kind=subject.resource.kind) for each, subject in pairs)
    labels = check.label_selector
    if labels is not None and selection is not None:
        labels = msgspec.structs.replace(labels, kind=selection.resource.kind)
    return dataclasses.replace(check, resource_selector=named, label_selector=labels)


def _last_patch(applied: Applied) -> dict[str, Any]:
    """What is changed when all is done: nothing in what is not to be changed once it is there."""
    settings = applied.wanted.settings
    return {} if settings.policy == Policy.IMMUTABLE else settings.patch_after_deployment or {}


def _subject(site: Site, wanted: Wanted) -> Subject:
    return Subject(site, wanted.resource, wanted.reference.key)
