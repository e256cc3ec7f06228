"""DeployItems: what an Execution wants them to be, and what they say of themselves."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api import executions, item_rules, jobs, names, scopes
from landform.api.deployitems import DeployItem, DeployItemSpec
from landform.api.errors import ErrorCode, OperationFailed
from landform.api.executions import DeployItemCache, DeployItemName
from landform.api.names import Annotation, Finalizer, Label
from landform.api.phases import Phase, TransitionTimes
from landform.api.structs import API_VERSION, ObjectMeta, OwnerReference
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.executions import writing
from landform.kit import clocks, patches
from landform.runtime.intents import Create, Patch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from landform.api.executions import DeployItemTemplate, Execution
    from landform.api.targets import Target
    from landform.executions.snapshot import Snapshot
    from landform.runtime.intents import Intent

_INIT = "handlePhaseInit"


def templates(execution: Execution) -> tuple[DeployItemTemplate, ...]:
    """The items that the Execution wants; OperationFailed if they make no sense."""
    try:
        found = executions.items(execution.spec)
    except executions.CompressionError as fault:
        raise _refused("ReadDeployItems", f"spec.deployItemsCompressed is unreadable: {fault}") from fault
    _check_names(found)
    _check_dependencies(found)
    return found


def _check_names(found: Sequence[DeployItemTemplate]) -> None:
    twice = [name for name, count in Counter(each.name for each in found).items() if count > 1]
    if twice:
        raise _refused("DuplicateDeployItems", f"several deploy items have the same name: {', '.join(twice)}")


def _check_dependencies(found: Sequence[DeployItemTemplate]) -> None:
    graph = {each.name: list(each.depends_on or ()) for each in found}
    for name, dependencies in graph.items():
        for dependency in dependencies:
            if dependency not in graph:
                known = ", ".join(graph)
                message = f"deploy item {name} depends on {dependency}, which does not exist; there are {known}"
                raise _refused("UnknownDependency", message)
    for cycle in item_rules.cycles(graph):
        way = " -> ".join([*cycle, cycle[0]])
        raise _refused("CyclicDependencies", f"the deploy items depend on each other in a circle: {way}")


def _refused(reason: str, message: str) -> OperationFailed:
    return OperationFailed(_INIT, reason, message, codes=[ErrorCode.CONFIGURATION_PROBLEM])


def logical_name(item: DeployItem) -> str:
    """The item's name in its Execution; empty if it does not say."""
    return (item.metadata.labels or {}).get(Label.ITEM_NAME, "")


def object_name(item: DeployItem) -> str:
    """The name of the object."""
    return item.metadata.name or ""


def dependencies(item: DeployItem) -> tuple[str, ...]:
    """What it depends on, as its last job had it.

    The item itself says it, so that orphans and items of an unreadable Execution go in the right order too.
    """
    said = (item.metadata.annotations or {}).get(Annotation.DEPENDS_ON, "")
    return tuple(name for name in said.split(",") if name)


def is_deleted(item: DeployItem) -> bool:
    """Whether its deletion was asked for."""
    return item.metadata.deletion_timestamp is not None


def is_held(item: DeployItem) -> bool:
    """Whether it has our finalizer: a deployer must uninstall it before it can go."""
    return Finalizer.LANDSCAPER in (item.metadata.finalizers or ())


def is_begun(item: DeployItem) -> bool:
    """Whether a deployer has begun with the current job: whoever gives the job takes the time of the last one off."""
    times = item.status.transition_times
    return times is not None and times.init_time is not None


def has_job(item: DeployItem, job: str) -> bool:
    """Whether the item was given the job, be it in a scheduled pass on its results."""
    return jobs.base(item.status.job_id) == job


def triggered(item: DeployItem, job: str, moment: datetime, target: Target | None = None) -> Patch[DeployItem]:
    """Give the item a job: a deployer takes it up from here."""
    status = msgspec.structs.replace(
        item.status,
        job_id=job,
        job_id_generation_time=moment,
        transition_times=TransitionTimes(trigger_time=moment),
        target_version=_version(target),
    )
    return writing.item_status(item, status)


def is_unchanged(item: DeployItem, target: Target | None) -> bool:
    """Whether a deployer would find everything as it was when it last succeeded: the item and what its Target says."""
    status = item.status
    return (
        status.phase == Phase.SUCCEEDED
        and not jobs.is_busy(status)
        and status.observed_generation == item.metadata.generation
        and status.target_version == _version(target)
    )


def passed(item: DeployItem, job: str, moment: datetime) -> Patch[DeployItem]:
    """Give the item a job and end it in the same write, without any deployer: it stays as it is."""
    status = msgspec.structs.replace(item.status, job_id=job, job_id_finished=job, job_id_generation_time=moment)
    return writing.item_status(item, status)


def _version(target: Target | None) -> str | None:
    """What changes when the Target says something else; labels do not count, for each job writes them anew."""
    return f"{target.metadata.uid}/{target.metadata.generation}" if target is not None else None


def released(item: DeployItem) -> Patch[DeployItem]:
    """Let a deleted item go without its deployer, and say so on it, should something else still hold it."""
    others = [each for each in item.metadata.finalizers or () if each != Finalizer.LANDSCAPER]
    annotations = {Annotation.DELETE_WITHOUT_UNINSTALL: names.TRUE}
    return Patch(DEPLOY_ITEMS, item, {"metadata": {"annotations": annotations, "finalizers": others or None}})


@dataclass(frozen=True)
class Sorting:
    """The items of an Execution against what it wants."""

    wanted: Mapping[str, DeployItem]
    """By name in the Execution: those that stay."""

    doomed: tuple[DeployItem, ...]
    """Those that must go before anything else begins: no longer wanted, deleted by hand, or of another type now."""


def sort(found: Iterable[DeployItem], wishes: Iterable[DeployItemTemplate]) -> Sorting:
    """Find out which items stay. Of two for the same wish the elder stays."""
    types = {wish.name: wish.type for wish in wishes}
    wanted: dict[str, DeployItem] = {}
    doomed: list[DeployItem] = []
    for item in sorted(found, key=_age):
        name = logical_name(item)
        if name in wanted or types.get(name) != item.spec.type or is_deleted(item):
            doomed.append(item)
        else:
            wanted[name] = item
    return Sorting(wanted, tuple(doomed))


def _age(item: DeployItem) -> tuple[str, str]:
    created = item.metadata.creation_timestamp
    return clocks.rfc3339(created) if created else "", object_name(item)


def stored(snapshot: Snapshot, wish: DeployItemTemplate, item: DeployItem | None, *, cluster: str = "") -> Intent:
    """Make the item what it is wished to be; `cluster` is noted on it as the cluster that may go before it."""
    annotations = _annotations(snapshot, wish)
    if cluster:
        annotations[Annotation.CLUSTER_NAME] = cluster
    if item is None:
        return Create(DEPLOY_ITEMS, _created(snapshot, wish, annotations))
    return Patch(DEPLOY_ITEMS, item, _change(snapshot, wish, item, annotations))


def cache(snapshot: Snapshot, wishes: Iterable[DeployItemTemplate], sorting: Sorting) -> DeployItemCache:
    """What the Execution remembers: which objects are its items in this job."""
    active = tuple(
        DeployItemName(spec_name=wish.name, object_name=name_for(snapshot.execution, wish.name, sorting))
        for wish in wishes
    )
    orphans = tuple(object_name(item) for item in sorting.doomed)
    return DeployItemCache(active_dis=active or None, orphaned_dis=orphans or None)


def name_for(execution: Execution, name: str, sorting: Sorting) -> str:
    """The name of the object for an item of the Execution, whether it exists or not."""
    if (item := sorting.wanted.get(name)) is not None:
        return object_name(item)
    return scopes.child_name(execution.metadata.uid or "", f"{execution.metadata.name}-{name}", name)


def _created(snapshot: Snapshot, wish: DeployItemTemplate, annotations: Mapping[str, str]) -> DeployItem:
    execution = snapshot.execution
    return DeployItem(
        metadata=ObjectMeta(
            name=name_for(execution, wish.name, Sorting({}, ())),
            namespace=execution.metadata.namespace,
            labels=_labels(execution, wish),
            annotations={**annotations, Annotation.RECONCILE_TIME: clocks.rfc3339(snapshot.now)},
            owner_references=(owner_of(execution),),
            finalizers=(Finalizer.LANDSCAPER,),
        ),
        spec=_spec(execution, wish),
    )


def _change(
    snapshot: Snapshot, wish: DeployItemTemplate, item: DeployItem, annotations: Mapping[str, str]
) -> dict[str, Any]:
    """The patch that makes an existing item what it is wished to be; empty if it is.

    Labels of the template are added and never taken off. The time of the last run is written only together with
    something else: nobody reads it, and it would cost a write for each item of each job.
    """
    execution, said = snapshot.execution, item.metadata
    metadata: dict[str, Any] = {"labels": _labels(execution, wish), "annotations": dict(annotations)}
    if Annotation.CACHE_HELM_CHARTS not in annotations:
        metadata["annotations"][Annotation.CACHE_HELM_CHARTS] = None
    owner = owner_of(execution)
    if owner not in (said.owner_references or ()):
        strangers = [each for each in said.owner_references or () if each.kind != owner.kind and not each.controller]
        metadata["ownerReferences"] = writing.plain([*strangers, owner])
    if not is_held(item):
        metadata["finalizers"] = [*(said.finalizers or ()), Finalizer.LANDSCAPER]
    change: dict[str, Any] = {"metadata": metadata, "spec": writing.difference(item.spec, _spec(execution, wish))}
    if not Patch(DEPLOY_ITEMS, item, change).changes_anything():
        return {}
    stamp = {"metadata": {"annotations": {Annotation.RECONCILE_TIME: clocks.rfc3339(snapshot.now)}}}
    return dict(patches.merge_patch(change, stamp))


def _spec(execution: Execution, wish: DeployItemTemplate) -> DeployItemSpec:
    return DeployItemSpec(
        type=wish.type,
        target=wish.target,
        context=execution.spec.context or names.DEFAULT_CONTEXT,
        config=wish.config,
        timeout=wish.timeout,
        update_on_change_only=wish.update_on_change_only,
        on_delete=wish.on_delete,
    )


def _labels(execution: Execution, wish: DeployItemTemplate) -> dict[str, str]:
    managed: dict[str, str] = {Label.MANAGED_BY: execution.metadata.name or "", Label.ITEM_NAME: wish.name}
    return {**(wish.labels or {}), **managed}


def _annotations(snapshot: Snapshot, wish: DeployItemTemplate) -> dict[str, str]:
    annotations: dict[str, str] = {
        Annotation.DEPLOYER_TYPE: wish.type,
        Annotation.DEPLOYER_TARGET_NAME: wish.target.name if wish.target else names.NO_TARGET,
        Annotation.DEPENDS_ON: ",".join(wish.depends_on or ()),
    }
    if snapshot.annotated(Annotation.CACHE_HELM_CHARTS) == names.TRUE:
        annotations[Annotation.CACHE_HELM_CHARTS] = names.TRUE
    return annotations


def owner_of(execution: Execution) -> OwnerReference:
    """The reference by which something belongs to the Execution."""
    return OwnerReference(
        api_version=API_VERSION,
        kind=execution.kind,
        name=execution.metadata.name or "",
        uid=execution.metadata.uid or "",
        controller=True,
        block_owner_deletion=True,
    )
