"""Components, blueprints and answers for the controller, from component repositories."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Self

from landform.api import anyjson, jobs
from landform.api.errors import OperationFailed
from landform.blueprints import files
from landform.blueprints.errors import BlueprintError
from landform.blueprints.questions import RESOURCE_CONTENT
from landform.components import overwrites, selection, versions
from landform.components.errors import ComponentError, Unavailable
from landform.components.overwrites import ComponentReference
from landform.components.resolving import RepositoryContextMissing
from landform.installations import relations, sources
from landform.installations.fetching import contexts, kubeconfigs
from landform.installations.fetching.trust import Trust
from landform.installations.sources import OPERATION, Sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.api.installations import ComponentDescriptorReference, Installation
    from landform.blueprints.files import BlueprintFiles
    from landform.blueprints.questions import Question
    from landform.cluster.informers import Informer
    from landform.cluster.interface import Reader
    from landform.components.resolving import ComponentContext, Resolver
    from landform.components.verification import Policy
    from landform.components.versions import ComponentVersion
    from landform.installations.sources import Wanted

MOST_CONTENT: Final = 16 * 1024 * 1024
"""Bytes of a resource that a template may ask for: all of it ends up in an object."""

_MOST_JOBS: Final = 1_000
"""Of so many jobs the components are kept for the questions of templates."""


@dataclass(frozen=True)
class _Found:
    """The component of an Installation."""

    version: ComponentVersion | None = None
    definition: Mapping[str, Any] | None = None
    overwrite: str | None = None
    """What was replaced by what; empty if nothing was, None if nothing could be."""


class FetchedComponents:
    """A `Components` on component repositories; entered as long as the process works."""

    def __init__(self, resolver: Resolver, reader: Reader, policy: Policy) -> None:
        self._resolver = resolver
        self._reader = reader
        self._trust = Trust(reader, resolver, policy)
        self._versions: OrderedDict[str, dict[str, ComponentVersion | None]] = OrderedDict()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._resolver.__aexit__(*_)

    def follow(self, installations: Informer[Installation]) -> None:
        """Forget what was found for a job when the Installation at its root has finished."""

        def changed(old: Installation | None, new: Installation | None) -> None:
            last = new or old
            if last is not None and relations.is_root(last) and (new is None or not jobs.is_busy(last.status)):
                self._forget(last.status.job_id or "")

        installations.subscribe(changed)

    def must_see(self, installation: Installation) -> bool:
        """Whether it may not be used as it is written: it is verified, or its descriptor refers to others."""
        return self._trust.is_wanted(installation) or _refers_to_others(installation)

    async def fetch(self, wanted: Wanted) -> Sources:
        """Component and blueprint of an Installation."""
        installation = wanted.installation
        context = await contexts.read(self._reader, wanted.context)
        job = _job(installation)
        found = await self._found(installation, context, job)

        async def above(other: Installation) -> ComponentVersion | None:
            return (await self._found(other, context, job)).version

        await self._trust.check(installation, wanted.context, found.version, above)
        self._keep(installation, found.version)
        blueprint = await self._files(installation, found.version)
        return Sources(blueprint, found.version, found.definition, found.overwrite)

    async def answer(self, question: Question, wanted: Wanted) -> Any:
        """What a template of the Installation asks for."""
        if question.kind == RESOURCE_CONTENT:
            return await self._content(question, wanted)
        if question.kind in kubeconfigs.KINDS:
            namespace = wanted.installation.metadata.namespace or ""
            return await kubeconfigs.answer(question, self._reader, namespace)
        raise OperationFailed(OPERATION, "NoAnswer", f"a template needs to know this, and nobody can tell: {question}")

    async def _found(self, installation: Installation, context: ComponentContext, job: str) -> _Found:
        """The component of an Installation as it is in a job."""
        definition = installation.spec.component_descriptor
        if definition is None:
            return _Found()
        try:
            if definition.ref is None:
                plain = anyjson.value(definition.inline)
                return _Found(await self._resolver.resolve_inline(plain, context, job), {"inline": plain})
            wanted = _reference(definition.ref)
            version = await self._resolver.resolve(wanted, context, job)
        except RepositoryContextMissing as error:
            raise OperationFailed(OPERATION, "RepositoryContextMissing", str(error)) from error
        effective, is_overwritten = self._resolver.effective(wanted, context)
        given = replace(wanted, repository_context=wanted.repository_context or context.repository_context)
        told = overwrites.describe(given, effective)
        return _Found(version, {"ref": _definition(effective, version)}, told if is_overwritten else "")

    async def _files(self, installation: Installation, version: ComponentVersion | None) -> BlueprintFiles:
        blueprint = installation.spec.blueprint
        try:
            if blueprint.inline is not None:
                return sources.inline_files(blueprint.inline)
            if blueprint.ref is None or version is None:
                message = "a blueprint by reference belongs to a component; set spec.componentDescriptor"
                raise OperationFailed(OPERATION, "ResolveBlueprint", message)
            return files.from_entries(await self._resolver.blueprint(version, blueprint.ref.resource_name))
        except Unavailable:
            raise
        except (BlueprintError, ComponentError) as error:
            raise OperationFailed(OPERATION, "ResolveBlueprint", str(error)) from error

    async def _content(self, question: Question, wanted: Wanted) -> bytes:
        version = await self._kept(wanted)
        if version is None:
            raise OperationFailed(OPERATION, "NoAnswer", "the Installation has no component descriptor")
        name, number, resource_name, *identity = question.arguments
        holder = replace(version, descriptor=version.member(str(name), str(number)))
        resource = _resource(holder.descriptor, str(resource_name), identity)
        blob = await self._resolver.resource_content(holder, resource, MOST_CONTENT)
        return await blob.read(MOST_CONTENT, f'the resource "{resource_name}" of {holder.name}:{holder.version}')

    async def _kept(self, wanted: Wanted) -> ComponentVersion | None:
        """The component version that was found for the job, or once more if that is not known any more."""
        installation = wanted.installation
        kept = self._versions.get(_job(installation), {})
        if _uid(installation) in kept:
            return kept[_uid(installation)]
        context = await contexts.read(self._reader, wanted.context)
        version = (await self._found(installation, context, _job(installation))).version
        self._keep(installation, version)
        return version

    def _keep(self, installation: Installation, version: ComponentVersion | None) -> None:
        self._versions.setdefault(_job(installation), {})[_uid(installation)] = version
        while len(self._versions) > _MOST_JOBS:
            self._versions.popitem(last=False)

    def _forget(self, job: str) -> None:
        self._resolver.forget(job)
        self._trust.forget(job)
        self._versions.pop(job, None)


def _refers_to_others(installation: Installation) -> bool:
    """Whether a descriptor that is written into an Installation refers to component versions that are not in it."""
    definition = installation.spec.component_descriptor
    if definition is None or not definition.inline:
        return False
    try:
        return not versions.is_complete(versions.inline(anyjson.value(definition.inline)))
    except ComponentError:
        return False  # whoever uses it is told


def _reference(given: ComponentDescriptorReference) -> ComponentReference:
    return ComponentReference(given.component_name, given.version, anyjson.value(given.repository_context))


def _definition(effective: ComponentReference, version: ComponentVersion) -> dict[str, Any]:
    """What sub-Installations and programs are told: the component that is used, and where it is."""
    where = effective.repository_context or version.repository_context
    plain = {"componentName": effective.name, "version": effective.version}
    return {**plain, "repositoryContext": dict(where)} if where else plain


def _resource(descriptor: Mapping[str, Any], name: str, identity: list[Any]) -> dict[str, Any]:
    if not identity:
        return selection.resource_named(descriptor, name)
    [found, *_] = selection.resources(descriptor, dict(identity[0]))
    return found


def _job(installation: Installation) -> str:
    return installation.status.job_id or ""


def _uid(installation: Installation) -> str:
    return installation.metadata.uid or ""
