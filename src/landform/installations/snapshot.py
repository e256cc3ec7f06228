"""All that matters to one Installation, read from caches and their indexes as far as a decision needs it.

A decision does not wait for anything, and caches change only while something waits: so all that is read during one
decision is of one moment, though it is read only when asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from landform.api import jobs, phases
from landform.api.phases import Phase
from landform.cluster.kinds import CONTEXTS, DATA_OBJECTS, EXECUTIONS, INSTALLATIONS, TARGETS
from landform.cluster.resources import CONFIG_MAPS, ObjectKey
from landform.installations import indexes, relations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from landform.api.contexts import Context
    from landform.api.dataobjects import DataObject
    from landform.api.executions import Execution
    from landform.api.installations import Installation, InstallationStatus
    from landform.api.targets import Target
    from landform.cluster.informers import Caches, Informer
    from landform.cluster.interface import Reader
    from landform.cluster.resources import Unstructured
    from landform.gotemplate import Surroundings
    from landform.installations.answers import Known
    from landform.installations.relations import Reference
    from landform.installations.sources import Desk


@dataclass(frozen=True)
class Views:
    """The caches that Installations are decided from."""

    installations: Informer[Installation]
    executions: Informer[Execution]
    data_objects: Informer[DataObject]
    targets: Informer[Target]
    contexts: Informer[Context]
    secrets: Informer[Unstructured]
    config_maps: Informer[Unstructured]

    @classmethod
    def of(cls, caches: Caches) -> Views:
        """The caches with all indexes that are needed here."""
        views = cls(
            installations=caches.informer(INSTALLATIONS),
            executions=caches.informer(EXECUTIONS),
            data_objects=caches.informer(DATA_OBJECTS),
            targets=caches.informer(TARGETS),
            contexts=caches.informer(CONTEXTS),
            secrets=caches.secrets(),
            config_maps=caches.informer(CONFIG_MAPS),
        )
        views.installations.add_index(indexes.CHILDREN, indexes.children)
        views.installations.add_index(indexes.EXPORTS, indexes.exports)
        views.installations.add_index(indexes.IMPORTS, indexes.imports)
        views.installations.add_index(indexes.WAITING, indexes.waiting)
        views.secrets.add_index(indexes.CONTROLLER, indexes.controller)
        for informer in (views.data_objects, views.targets):
            informer.add_index(indexes.CONTEXT, indexes.context)
            informer.add_index(indexes.SOURCE, indexes.source)
        return views


@dataclass(frozen=True)
class Snapshot:
    """One Installation at one moment, with all that belongs to it."""

    views: Views
    installation: Installation
    now: datetime
    new_job: str
    """The id of the next job, should one begin."""

    known: Known
    """What was fetched for the current job."""

    chance: Surroundings
    """Time and chance for templates."""

    desk: Desk
    """For intents that fetch something. Decisions do not look at it."""

    reader: Reader
    """For intents that must be sure, where caches can be behind. Decisions do not look at it."""

    under_pressure: bool
    """Whether the process is behind with its work."""

    @property
    def status(self) -> InstallationStatus:
        """Its status."""
        return self.installation.status

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return self.installation.metadata.namespace or ""

    @property
    def name(self) -> str:
        """Its name."""
        return self.installation.metadata.name or ""

    @property
    def uid(self) -> str:
        """Its uid."""
        return self.installation.metadata.uid or ""

    @property
    def job(self) -> str:
        """Its current job."""
        return self.status.job_id or ""

    @property
    def annotations(self) -> Mapping[str, str]:
        """Its annotations."""
        return self.installation.metadata.annotations or {}

    @property
    def is_deleted(self) -> bool:
        """Whether its deletion was asked for."""
        return self.installation.metadata.deletion_timestamp is not None

    @property
    def phase(self) -> str:
        """Where it stands in its job: at the beginning, if what its status says is the end of another."""
        if self.status.phase is None or phases.is_final(self.status.phase):
            return Phase.INIT_DELETE if self.is_deleted else Phase.INIT
        return self.status.phase

    @cached_property
    def parent(self) -> Installation | None:
        """The Installation it belongs to, if there is one."""
        key, owner = relations.owner_key(self.installation), relations.owner_of(self.installation)
        parent = self.views.installations.get(key) if key else None
        return parent if parent is not None and owner is not None and parent.metadata.uid == owner.uid else None

    @property
    def starts_itself(self) -> bool:
        """Whether nobody else gives it jobs: it is a root, or what it belonged to is gone."""
        return self.parent is None

    @cached_property
    def children(self) -> Sequence[Installation]:
        """Its sub-Installations, by name."""
        found = self.views.installations.by_index(indexes.CHILDREN, self.uid)
        return sorted(found, key=lambda child: child.metadata.name or "")

    @cached_property
    def execution(self) -> Execution | None:
        """The Execution of its name, whoever it belongs to."""
        return self.views.executions.get(ObjectKey(self.namespace, self.name))

    @cached_property
    def own_execution(self) -> Execution | None:
        """The Execution of its name, if it belongs to it."""
        if self.execution is None:
            return None
        owner = relations.owner_of(self.execution)
        return self.execution if owner is not None and owner.uid == self.uid else None

    @property
    def below(self) -> Sequence[Installation | Execution]:
        """All that it has below it."""
        return [*([self.own_execution] if self.own_execution is not None else []), *self.children]

    @cached_property
    def exporters(self) -> Mapping[Reference, Sequence[Installation]]:
        """Its siblings that export what it imports."""
        found = {}
        for reference in relations.imports_of(self.installation):
            if siblings := self._siblings(indexes.EXPORTS, reference):
                found[reference] = siblings
        return found

    @cached_property
    def importers(self) -> Sequence[Installation]:
        """Its siblings that import what it exports, by name."""
        if not relations.shares_exports(self.installation):
            return ()
        found = {
            sibling.metadata.name or "": sibling
            for reference in relations.exports_of(self.installation)
            for sibling in self._siblings(indexes.IMPORTS, reference)
        }
        return [found[name] for name in sorted(found)]

    @cached_property
    def circle(self) -> Sequence[str]:
        """The names of the Installations through which it would wait for itself, itself first; empty if it does not."""
        trails: dict[str, tuple[str, ...]] = {}
        pending: list[tuple[Installation, tuple[str, ...]]] = [(self.installation, (self.name,))]
        while pending:
            installation, trail = pending.pop()
            for reference in relations.imports_of(installation):
                for sibling in self._exporting(installation, reference):
                    name = sibling.metadata.name or ""
                    if name == self.name and installation is not self.installation:
                        return trail
                    if name not in trails and name != self.name:
                        trails[name] = (*trail, name)
                        pending.append((sibling, trails[name]))
        return ()

    @cached_property
    def context(self) -> Context | None:
        """The Context that it names."""
        return self.views.contexts.get(ObjectKey(self.namespace, self.installation.spec.context or ""))

    @cached_property
    def states(self) -> Mapping[str, Unstructured]:
        """The Secrets that it controls, by name."""
        found = self.views.secrets.by_index(indexes.CONTROLLER, self.uid)
        return {secret["metadata"]["name"]: secret for secret in found}

    def data_object(self, name: str) -> DataObject | None:
        """A DataObject of the namespace."""
        return self.views.data_objects.get(ObjectKey(self.namespace, name))

    def target(self, name: str) -> Target | None:
        """A Target of the namespace."""
        return self.views.targets.get(ObjectKey(self.namespace, name))

    def secret(self, name: str) -> Unstructured | None:
        """A Secret of the namespace."""
        return self.views.secrets.get(ObjectKey(self.namespace, name))

    def config_map(self, name: str) -> Unstructured | None:
        """A ConfigMap of the namespace."""
        return self.views.config_maps.get(ObjectKey(self.namespace, name))

    def data_in(self, scope: str) -> Sequence[DataObject]:
        """The DataObjects of a scope other than the root's, by name."""
        found = self.views.data_objects.by_index(indexes.CONTEXT, indexes.labelled(self.namespace, scope))
        return sorted(found, key=lambda obj: obj.metadata.name or "")

    def targets_in(self, scope: str) -> Sequence[Target]:
        """The Targets of a scope other than the root's, by name."""
        found = self.views.targets.by_index(indexes.CONTEXT, indexes.labelled(self.namespace, scope))
        return sorted(found, key=lambda obj: obj.metadata.name or "")

    def written_data(self) -> Sequence[DataObject]:
        """The DataObjects that the Installation wrote."""
        return self.views.data_objects.by_index(indexes.SOURCE, self._source)

    def written_targets(self) -> Sequence[Target]:
        """The Targets that the Installation wrote."""
        return self.views.targets.by_index(indexes.SOURCE, self._source)

    @property
    def _source(self) -> str:
        return indexes.labelled(self.namespace, relations.inner_scope_of(self.installation))

    def _siblings(self, index: str, reference: Reference) -> Sequence[Installation]:
        scope = relations.scope_of(self.installation)
        found = self.views.installations.by_index(index, indexes.in_scope(self.namespace, scope, reference))
        return [sibling for sibling in found if sibling.metadata.uid != self.uid]

    def _exporting(self, installation: Installation, reference: Reference) -> Sequence[Installation]:
        scope = relations.scope_of(installation)
        return self.views.installations.by_index(indexes.EXPORTS, indexes.in_scope(self.namespace, scope, reference))


def is_unfinished(child: Installation | Execution, job: str) -> bool:
    """Whether a child still has to finish a job, or even to begin it."""
    return jobs.is_busy(child.status) or (child.status.job_id_finished or "") != job
