"""Resolves references to component versions, and gets at what they are made of."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import msgspec

from landform.components import accesses, artifacts, closures, contents, descriptors, ocmconfigs, overwrites, selection
from landform.components import verification as verifying
from landform.components import versions as component_versions
from landform.components.artifacts import Artifact
from landform.components.blobs import Blob
from landform.components.errors import ComponentError, ConfigurationError, Corrupt, NotFound
from landform.components.limits import DEFAULT, Limits
from landform.components.memories import Memory
from landform.components.opening import Opener
from landform.components.overwrites import ComponentReference, Overwrite
from landform.components.registries import Downloads, Registry
from landform.components.repositories import Repository, Stored
from landform.components.savings import Saving
from landform.components.signatures import HASHES, TrustedKeys
from landform.components.versions import ComponentVersion

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from landform.components.caches import BlobCache
    from landform.components.credentials import Consumer
    from landform.components.folders import DiskFolder
    from landform.components.httpclients import HttpClient
    from landform.components.ocmconfigs import OcmConfig
    from landform.components.references import Authority
    from landform.components.versions import Key

_MOST_JOBS = 1_000
"""Jobs whose results are kept at the same time; a job that nobody ended makes room for others."""

_MOST_CREDENTIALS = 200
"""Sets of credentials whose tokens are kept at the same time."""


class RepositoryContextMissing(ConfigurationError):
    """Nobody says where to look for a component version."""


@dataclass(frozen=True)
class ComponentContext:
    """What a Context says about components, with the content of the objects that it names."""

    repository_context: Mapping[str, Any] | None = None
    """Where to look for references that say nothing about it."""

    ocm_config: OcmConfig = ocmconfigs.EMPTY
    """Further places to look, and credentials: the OCM configuration, and those of the pull secrets."""

    overwrites: tuple[Overwrite, ...] = ()
    """What takes the place of what."""


@dataclass(frozen=True)
class ResolverSettings:
    """What an operator decides."""

    limits: Limits = DEFAULT
    """How much may be read."""

    root: DiskFolder | None = None
    """The folder that repositories in files lie in; without one they cannot be read."""

    consumers: tuple[Consumer, ...] = field(default=(), repr=False)
    """Credentials for everybody (`registry.oci.configFiles`); those of a Context are preferred."""


@dataclass(frozen=True)
class _Origin:
    """Where the content of a resolved component version comes from."""

    opener: Opener
    places: Mapping[Key, tuple[Repository, Stored]]


class Resolver:
    """Component versions for everybody. Used within one event loop, as a context manager."""

    def __init__(self, http: HttpClient, cache: BlobCache, settings: ResolverSettings | None = None) -> None:
        self._http, self._cache = http, cache
        self._settings = settings or ResolverSettings()
        self._saving = Saving(cache)
        self._downloads = Downloads(self._saving)
        self._memory = Memory()
        self._registries: OrderedDict[bytes, dict[Authority, Registry]] = OrderedDict()
        self._jobs: OrderedDict[str, dict[bytes, asyncio.Task[ComponentVersion]]] = OrderedDict()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = [task for results in self._jobs.values() for task in results.values()]
        self._jobs.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._saving.settle()
        await self._http.close()

    async def resolve(
        self, reference: ComponentReference, context: ComponentContext, job: str = ""
    ) -> ComponentVersion:
        """The component version of a reference, with all that it refers to.

        Within one job the same question has the same answer, and is asked once.
        """
        key = _key("reference", reference, context)
        return await self._once(job, key, lambda: self._resolve(reference, context))

    async def resolve_inline(
        self, descriptor: Mapping[str, Any], context: ComponentContext, job: str = ""
    ) -> ComponentVersion:
        """The component version of a descriptor that is written into an object; what it nests is taken from it."""
        key = _key("inline", descriptor, context)
        return await self._once(job, key, lambda: self._resolve_inline(descriptor, context))

    def effective(self, reference: ComponentReference, context: ComponentContext) -> tuple[ComponentReference, bool]:
        """The reference that is looked for in the end, and whether an overwrite was meant for it."""
        given = ComponentReference(
            reference.name, reference.version, reference.repository_context or context.repository_context
        )
        found = overwrites.apply(given, context.overwrites)
        return found or given, found is not None

    def forget(self, job: str) -> None:
        """Drop what is kept for a job that has ended."""
        for task in self._jobs.pop(job, {}).values():
            if not task.done():
                task.cancel()

    async def resource_content(
        self, version: ComponentVersion, resource: Mapping[str, Any], limit: int | None = None
    ) -> Blob:
        """The content of a resource of a resolved component version; an OCI artifact comes as an artifact set."""
        found = await self.resource(version, resource, limit)
        return await accesses.content(found, self._settings.limits)

    async def resource(
        self, version: ComponentVersion, resource: Mapping[str, Any], limit: int | None = None
    ) -> Blob | Artifact:
        """What a resource is made of: content, or an OCI artifact, with the digest that the descriptor says."""
        most = self._settings.limits.content if limit is None else limit
        found = await self._follow(version, version.descriptor, resource, most)
        await _check_digest(found, resource)
        return found

    async def blueprint(self, version: ComponentVersion, resource_name: str) -> dict[str, bytes]:
        """The files of a blueprint, by path."""
        resource = selection.resource_named(version.descriptor, resource_name)
        contents.check_type(resource, contents.BLUEPRINT_TYPES)
        found = await self.resource(version, resource)
        return await contents.blueprint(found, self._settings.limits, f'the blueprint "{resource_name}"')

    async def jsonschema(self, version: ComponentVersion, resource_name: str) -> bytes:
        """The text of a JSON schema."""
        resource = selection.resource_named(version.descriptor, resource_name)
        contents.check_type(resource, contents.JSONSCHEMA_TYPES)
        found = await self.resource(version, resource)
        return await contents.jsonschema(found, self._settings.limits, f'the JSON schema "{resource_name}"')

    async def verify(self, version: ComponentVersion, signature_name: str, keys: TrustedKeys) -> str:
        """Raise SignatureError unless the component version, with all that it refers to, is signed; its digest."""
        material = _Material(version, self._follow, self._settings.limits)
        try:
            return await verifying.verify(material, version.name, version.version, signature_name, keys)
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def versions(self, name: str, context: ComponentContext) -> list[str]:
        """The versions of a component in the repository of the context."""
        if context.repository_context is None:
            raise RepositoryContextMissing("no repository context says where to look for versions")
        repository = await (await self._opener(context)).repository(context.repository_context)
        return await repository.versions(name)

    async def _once(self, job: str, key: bytes, start: Callable[[], Awaitable[ComponentVersion]]) -> ComponentVersion:
        """The result of a question within a job. It outlives the caller who asked first: others may wait for it."""
        if not job:
            return await start()
        results = self._jobs.setdefault(job, {})
        self._jobs.move_to_end(job)
        while len(self._jobs) > _MOST_JOBS:
            self.forget(next(iter(self._jobs)))
        if key not in results or _failed(results[key]):
            results[key] = asyncio.create_task(_as_coroutine(start()), name=f"resolve component for job {job}")
            results[key].add_done_callback(_failed)  # whoever asked may be gone when it fails
        return await asyncio.shield(results[key])

    async def _resolve(self, reference: ComponentReference, context: ComponentContext) -> ComponentVersion:
        wanted, _ = self.effective(reference, context)
        opener = await self._opener(context)
        places: dict[Key, tuple[Repository, Stored]] = {}
        own = await self._find(opener, wanted, context, places)
        return await self._closed(opener, own, wanted.repository_context, context, places)

    async def _resolve_inline(self, descriptor: Mapping[str, Any], context: ComponentContext) -> ComponentVersion:
        version = component_versions.inline(descriptor)
        opener = await self._opener(context)
        nested = {component_versions.key(each): Stored(each, version.schema) for each in version.closure}
        where = version.repository_context or context.repository_context
        own = nested[(version.name, version.version)]
        return await self._closed(opener, own, where, context, {}, nested)

    async def _closed(
        self,
        opener: Opener,
        own: Stored,
        where: Mapping[str, Any] | None,
        context: ComponentContext,
        places: dict[Key, tuple[Repository, Stored]],
        nested: Mapping[Key, Stored] | None = None,
    ) -> ComponentVersion:
        """A component version with everything that it refers to, looked for where it was looked for itself."""

        async def find(reference: Mapping[str, Any]) -> Stored:
            key = (reference["componentName"], reference["version"])
            if nested and key in nested:
                return nested[key]
            given = ComponentReference(*key, where)
            wanted = overwrites.apply(given, context.overwrites) or given
            return await self._find(opener, wanted, context, places)

        found, replaced = await closures.collect(own, find, self._settings.limits.references)
        return ComponentVersion(
            descriptor=own.descriptor,
            repository_context=where or descriptors.effective_repository_context(own.descriptor),
            closure=tuple(stored.descriptor for stored in found.values()),
            schema=own.schema,
            replaced=replaced,
            origin=_Origin(opener, places),
        )

    async def _find(
        self,
        opener: Opener,
        wanted: ComponentReference,
        context: ComponentContext,
        places: dict[Key, tuple[Repository, Stored]],
    ) -> Stored:
        """Look in the repository first, then by the rules; only if something is not found the next place is asked."""
        specs = [wanted.repository_context] if wanted.repository_context else []
        specs += [rule.repository for rule in ocmconfigs.lookup_order(context.ocm_config.rules, wanted.name)]
        if not specs and not context.ocm_config.rules:
            raise RepositoryContextMissing(
                f"no repository or ocm resolvers found for {wanted}: give the reference or the Context a "
                "repositoryContext, or the Context an ocmConfig with resolvers"
            )
        misses = []
        for spec in specs:
            repository = await opener.repository(spec)
            try:
                stored = await repository.component(wanted.name, wanted.version)
            except NotFound as error:
                misses.append(str(error))
            else:
                places[component_versions.key(stored.descriptor)] = (repository, stored)
                return stored
        reason = "; ".join(misses) or "no resolver is meant for it"
        raise NotFound(reason if len(misses) == 1 else f'component version "{wanted}" not found: {reason}')

    async def _opener(self, context: ComponentContext) -> Opener:
        config = context.ocm_config
        if config.docker_files:
            config = ocmconfigs.with_docker(config, await self._docker_files(config.docker_files))
        settings = self._settings
        consumers = settings.consumers + config.consumers
        registries = self._known_registries(consumers)
        return Opener(
            self._http,
            self._cache,
            settings.limits,
            settings.root,
            consumers,
            self._downloads,
            registries,
            self._memory,
        )

    def _known_registries(self, consumers: tuple[Consumer, ...]) -> dict[Authority, Registry]:
        """The registries that were spoken to with these credentials, so that tokens outlive a job."""
        key = hashlib.sha256(msgspec.json.encode(consumers)).digest()
        found = self._registries.setdefault(key, {})
        self._registries.move_to_end(key)
        while len(self._registries) > _MOST_CREDENTIALS:
            self._registries.popitem(last=False)
        return found

    async def _docker_files(self, names: tuple[str, ...]) -> list[tuple[str, bytes]]:
        """The docker configurations that an OCM configuration names; they lie where repositories in files lie."""
        root, limit = self._settings.root, self._settings.limits.manifest
        if root is None:
            raise ConfigurationError(
                "the OCM configuration names a docker configuration file, but there is no root folder"
            )
        found = []
        for name in names:
            blob = await root.blob(name, self._settings.limits)
            found.append((f"the docker configuration {name}", await blob.read(limit)))
        return found

    async def _follow(
        self, version: ComponentVersion, descriptor: Mapping[str, Any], resource: Mapping[str, Any], limit: int
    ) -> Blob | Artifact:
        origin = version.origin
        if not isinstance(origin, _Origin):
            raise ConfigurationError(f"{version.name}:{version.version} was not resolved, so it has no content")
        key = component_versions.key(descriptor)
        repository, stored = origin.places.get(key) or await self._inline_place(version, origin, key)
        try:
            return await accesses.follow(origin.opener, repository, stored, resource["access"], limit)
        except ComponentError as error:
            raise type(error)(f'resource "{resource["name"]}" of {":".join(key)}: {error}') from error

    async def _inline_place(self, version: ComponentVersion, origin: _Origin, key: Key) -> tuple[Repository, Stored]:
        """Where the content of an inline component version is: in its repository, if that has the same version."""
        spec = descriptors.effective_repository_context(version.member(*key)) or version.repository_context
        if spec is None:
            raise RepositoryContextMissing(f"the inline descriptor of {':'.join(key)} has no repository context")
        repository = await origin.opener.repository(spec)
        return repository, await repository.component(*key)


@dataclass(frozen=True)
class _Material:
    """What verification asks of a resolved component version."""

    version: ComponentVersion
    follow: Callable[[ComponentVersion, Mapping[str, Any], Mapping[str, Any], int], Awaitable[Blob | Artifact]]
    limits: Limits

    def member(self, name: str, version: str) -> tuple[Mapping[str, Any], str]:
        descriptor = self.version.member(name, version)
        origin = self.version.origin
        place = origin.places.get(component_versions.key(descriptor)) if isinstance(origin, _Origin) else None
        return descriptor, place[1].schema if place else self.version.schema

    async def artifact_digest(self, descriptor: Mapping[str, Any], resource: Mapping[str, Any]) -> str | None:
        found = await self._found(descriptor, resource)
        if isinstance(found, Blob) and artifacts.is_set(found.media_type):
            packed = await found.read(self.limits.content)
            found = await asyncio.to_thread(artifacts.unpack, packed, self.limits, str(resource["name"]))
        return found.manifest.digest if isinstance(found, Artifact) else None

    async def content_hash(self, descriptor: Mapping[str, Any], resource: Mapping[str, Any], algorithm: str) -> str:
        blob = await accesses.content(await self._found(descriptor, resource), self.limits)
        return await blob.hash(algorithm)

    async def _found(self, descriptor: Mapping[str, Any], resource: Mapping[str, Any]) -> Blob | Artifact:
        return await self.follow(self.version, descriptor, resource, self.limits.content)


async def _check_digest(found: Blob | Artifact, resource: Mapping[str, Any]) -> None:
    """What a descriptor says about the digest of a resource must be true, signed or not."""
    digest = resource.get("digest")
    if not digest:
        return
    kind = digest["normalisationAlgorithm"]
    if isinstance(found, Artifact) and kind in verifying.OCI_ARTIFACT:
        actual = found.manifest.digest.partition(":")[2]
    elif isinstance(found, Blob) and kind == verifying.GENERIC and digest["hashAlgorithm"] in HASHES:
        actual = await found.hash(HASHES[digest["hashAlgorithm"]])
    else:
        return
    if actual != digest["value"]:
        raise Corrupt(
            f'the content of the resource "{resource["name"]}" is not what its component version says: '
            f"{kind} {digest['value']} is expected, but it has {actual}"
        )


def _key(kind: str, question: object, context: ComponentContext) -> bytes:
    """What tells questions apart; hashed, because a context holds passwords."""
    return hashlib.sha256(msgspec.json.encode([kind, question, context])).digest()


def _failed(task: asyncio.Task[ComponentVersion]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


async def _as_coroutine(awaitable: Awaitable[ComponentVersion]) -> ComponentVersion:
    return await awaitable
