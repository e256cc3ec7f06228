"""All that matters to one Execution, as the caches show it at one moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from landform.api import jobs, phases, scopes
from landform.api.names import Annotation, Label
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS, TARGET_SYNCS, TARGETS
from landform.cluster.resources import ObjectKey
from landform.executions import abandonment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from landform.api.dataobjects import DataObject
    from landform.api.deployitems import DeployItem
    from landform.api.executions import Execution
    from landform.api.structs import OwnerReference
    from landform.api.targets import Target
    from landform.api.targetsyncs import TargetSync
    from landform.cluster.informers import Caches
    from landform.cluster.interface import Reader
    from landform.cluster.resources import Unstructured
    from landform.runtime.intents import Hands

BY_EXECUTION = "execution"
"""Index of DeployItems."""


@dataclass(frozen=True)
class Snapshot:
    """An Execution with what belongs to it. Decisions are functions of this."""

    execution: Execution
    now: datetime
    reader: Reader
    """For intents that must be sure, where caches can be behind. Decisions do not look at it."""

    items: tuple[DeployItem, ...] = ()
    """Every DeployItem that says it belongs to the Execution, wanted or not."""

    export: DataObject | None = None
    """What the last job that exported something left."""

    renewed: Mapping[str, Unstructured] = field(default_factory=dict)
    """The Secrets with values that items export since their last job, by the names of the items."""

    targets: Mapping[str, Target] = field(default_factory=dict)
    """The Targets of its items, by name."""

    target_syncs: tuple[TargetSync, ...] = ()
    """Those of the namespace; they know which clusters exist."""

    under_pressure: bool = False
    """Whether the process is behind with its work."""

    lost_parent: OwnerReference | None = None
    """The Installation that the Execution belongs to, if it seems to be gone."""

    is_gone: bool = False
    """Whether the Execution itself seems to be gone, and only items of it are left."""

    @property
    def key(self) -> ObjectKey:
        """Which Execution it is."""
        said = self.execution.metadata
        return ObjectKey(said.namespace or "", said.name or "")

    @property
    def job(self) -> str:
        """The job that it works on, or the last one."""
        return jobs.base(self.execution.status.job_id)

    @property
    def moment(self) -> datetime:
        """Now, as it is written: in whole seconds."""
        return self.now.replace(microsecond=0)

    @property
    def is_deleted(self) -> bool:
        """Whether the deletion of the Execution was asked for."""
        return self.execution.metadata.deletion_timestamp is not None

    @property
    def is_new_job(self) -> bool:
        """Whether there is a job that was not begun."""
        phase = self.execution.status.phase
        return jobs.is_busy(self.execution.status) and (not phase or phases.is_final(phase))

    @property
    def deletes(self) -> bool:
        """Whether the current job deletes. One that began before the deletion was asked for goes on to its end."""
        return self.is_deleted if self.is_new_job else phases.is_deletion(self.execution.status.phase)

    def target_of(self, item: DeployItem) -> Target | None:
        """The Target that an item is deployed to, if it names one that exists."""
        named = item.spec.target
        return self.targets.get(named.name) if named is not None else None

    def annotated(self, annotation: Annotation) -> str:
        """The Execution's value of an annotation, empty if it has none."""
        return (self.execution.metadata.annotations or {}).get(annotation, "")


def owners(item: DeployItem) -> Iterator[str]:
    """Names (with namespace) of the Executions that an item belongs to, by its label and by its owners."""
    said = item.metadata
    names = [owner.name for owner in said.owner_references or () if owner.kind == EXECUTIONS.kind]
    if label := (said.labels or {}).get(Label.MANAGED_BY):
        names.append(label)
    for name in dict.fromkeys(names):
        yield f"{said.namespace}/{name}"


def is_renewed(secret: Unstructured) -> bool:
    """Whether a Secret holds values that came after the job of the item that exports them."""
    return Annotation.EXPORTS_RENEWED in (secret["metadata"].get("annotations") or {})


def owner_keys(item: DeployItem) -> Iterator[ObjectKey]:
    """The same as keys."""
    for owner in owners(item):
        yield ObjectKey(*owner.split("/", 1))


class Observer:
    """Takes snapshots from caches."""

    def __init__(self, caches: Caches, reader: Reader, hands: Hands) -> None:
        self.executions = caches.informer(EXECUTIONS)
        self.items = caches.informer(DEPLOY_ITEMS)
        self.items.add_index(BY_EXECUTION, owners)
        self.installations = caches.informer(INSTALLATIONS)
        self._data_objects = caches.informer(DATA_OBJECTS)
        self.secrets = caches.secrets()
        self._targets = caches.informer(TARGETS)
        self._target_syncs = caches.informer(TARGET_SYNCS)
        self._reader = reader
        self._clock = hands.surroundings.clock
        self._pressure = hands.pressure

    def observe(self, key: ObjectKey) -> Snapshot | None:
        """The snapshot; None if there is no such Execution, nor items of one that is gone."""
        found, now = self.executions.get(key), self._clock.now()
        items = tuple(self.items.by_index(BY_EXECUTION, str(key)))
        execution = found or abandonment.stand_in(key, items, now)
        if execution is None:
            return None
        export = scopes.object_name(scopes.execution_scope(key.name), "")
        return Snapshot(
            execution=execution,
            now=now,
            items=items,
            export=self._data_objects.get(ObjectKey(key.namespace, export)),
            renewed=self._renewed(items),
            targets=self._targets_of(items),
            target_syncs=tuple(self._target_syncs.list(key.namespace)),
            reader=self._reader,
            under_pressure=self._pressure.is_high,
            lost_parent=self._lost_parent(execution),
            is_gone=found is None,
        )

    def exporters(self, secret: Unstructured) -> Iterator[ObjectKey]:
        """The Executions of the item whose exported values were renewed in a Secret; none for any other Secret."""
        if not is_renewed(secret):
            return
        said = secret["metadata"]
        for owner in said.get("ownerReferences") or ():
            item = self.items.get(ObjectKey(said["namespace"], owner["name"]))
            if item is not None and item.metadata.uid == owner["uid"]:
                yield from owner_keys(item)

    def _renewed(self, items: Sequence[DeployItem]) -> dict[str, Unstructured]:
        found = {}
        for item in items:
            reference = item.status.export_ref
            key = ObjectKey(item.metadata.namespace or "", reference.name) if reference is not None else None
            secret = self.secrets.get(key) if key is not None else None
            if secret is not None and is_renewed(secret):
                found[item.metadata.name or ""] = secret
        return found

    def _targets_of(self, items: Sequence[DeployItem]) -> dict[str, Target]:
        found = {}
        for item in items:
            if item.spec.target is not None and item.spec.target.name not in found:
                key = ObjectKey(item.metadata.namespace or "", item.spec.target.name)
                if (target := self._targets.get(key)) is not None:
                    found[key.name] = target
        return found

    def _lost_parent(self, execution: Execution) -> OwnerReference | None:
        if execution.metadata.deletion_timestamp is None:
            return None
        parent = abandonment.parent_of(execution, INSTALLATIONS)
        if parent is None:
            return None
        found = self.installations.get(ObjectKey(execution.metadata.namespace or "", parent.name))
        return parent if found is None or found.metadata.uid != parent.uid else None
