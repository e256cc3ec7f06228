"""Repositories by their specification: which type it is, where it is, and what opens it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import msgspec

from landform.components import archives, inlinefiles, references
from landform.components.artifactrepositories import ArtifactRepository
from landform.components.blobs import read_file
from landform.components.errors import ConfigurationError, NotFound, RepositoryError, Unsupported
from landform.components.filerepositories import BlobFolder, ComponentArchive, DescriptorFolder
from landform.components.folders import DiskFolder, MemoryFolder
from landform.components.memories import Memory
from landform.components.registries import Downloads, Registry
from landform.components.transportarchives import TransportArchive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.components.caches import BlobCache
    from landform.components.credentials import Consumer
    from landform.components.folders import Folder
    from landform.components.httpclients import HttpClient
    from landform.components.limits import Limits
    from landform.components.references import Authority
    from landform.components.repositories import Repository

_REGISTRY_TYPES = ("OCIRegistry", "OCIRegistry/v1", "ociRegistry", "oci", "oci/v1")
_FORMATS = ("directory", "tar", "tgz")


@dataclass
class Opener:
    """Opens repositories with the credentials of one user, and remembers which are open."""

    http: HttpClient
    cache: BlobCache
    limits: Limits
    root: DiskFolder | None = None
    """The folder that repositories in files lie in; without one they cannot be read."""

    consumers: tuple[Consumer, ...] = field(default=(), repr=False)
    downloads: Downloads = field(default_factory=Downloads)
    registries: dict[Authority, Registry] = field(default_factory=dict, repr=False)
    """Registries that are known already, with the tokens that they gave; only for the same credentials."""

    memory: Memory = field(default_factory=Memory)
    """Descriptors that were read before."""

    _repositories: dict[bytes, Repository] = field(default_factory=dict, init=False, repr=False)

    def registry(self, authority: Authority) -> Registry:
        """A registry."""
        if authority not in self.registries:
            self.registries[authority] = Registry(
                authority, self.http, self.cache, self.limits, self.consumers, self.downloads
            )
        return self.registries[authority]

    async def repository(self, spec: Mapping[str, Any]) -> Repository:
        """The repository of a repository context."""
        key = msgspec.json.encode(spec, order="deterministic")
        if key not in self._repositories:
            opened = await self._open(spec)
            self._repositories.setdefault(key, opened)  # another task may have been faster; both are as good
        return self._repositories[key]

    async def _open(self, spec: Mapping[str, Any]) -> Repository:
        kind = str(spec.get("type", ""))
        if kind in _REGISTRY_TYPES:
            return self._registry_repository(spec)
        match kind.removesuffix("/v1"):
            case "CommonTransportFormat":
                folder, name = await self._files(spec)
                store = TransportArchive(folder, name, self.limits)
                return ArtifactRepository(store, store, limits=self.limits, memory=self.memory)
            case "ComponentArchive":
                folder, name = await self._files(spec)
                return ComponentArchive(folder, name, self.limits)
            case "local":
                return self._local(spec)
            case "inline":
                return self._inline(spec)
        raise Unsupported(
            f'repository type "{kind}" is unknown; known are OCIRegistry, CommonTransportFormat, ComponentArchive, '
            "local and inline"
        )

    def _registry_repository(self, spec: Mapping[str, Any]) -> ArtifactRepository:
        base = spec.get("baseUrl")
        if not isinstance(base, str) or not base:
            raise ConfigurationError(f"a repository context of type {spec['type']} needs a baseUrl")
        authority, path = references.parse_url(base)
        prefix = "/".join(part for part in (path, str(spec.get("subPath") or "").strip("/")) if part)
        registry = self.registry(authority)
        mapping = str(spec.get("componentNameMapping") or "")
        return ArtifactRepository(registry, registry, prefix, mapping, self.limits, self.memory)

    async def _files(self, spec: Mapping[str, Any]) -> tuple[Folder, str]:
        """The files of a repository that is a folder or an archive."""
        path, form = str(spec.get("filePath") or ""), spec.get("fileFormat")
        if not path or (form and form not in _FORMATS):
            known = ", ".join(_FORMATS)
            raise ConfigurationError(
                f"a repository context of type {spec['type']} needs a filePath; formats are {known}"
            )
        name = f"{spec['type']} {path}"
        try:
            place = await asyncio.to_thread(self._root().locate, path)
        except NotFound as error:
            raise RepositoryError(f'repository "{path}" is unknown: {error}') from error
        if await asyncio.to_thread(place.is_dir):
            return DiskFolder(place), name
        content = await asyncio.to_thread(read_file, place, self.limits.content, name)
        # An archive holds many component versions: each one is checked against the smaller limits when it is read.
        limits = replace(self.limits, unpacked=self.limits.content)
        return MemoryFolder(await asyncio.to_thread(archives.files, content, limits, name), name), name

    def _local(self, spec: Mapping[str, Any]) -> DescriptorFolder:
        path = str(spec.get("filePath") or "/")
        root = self._root()
        blobs = BlobFolder(root, f"{path}/blobs", self.limits)
        return DescriptorFolder(root, path, blobs, f"the local repository {path}", self.limits)

    def _inline(self, spec: Mapping[str, Any]) -> DescriptorFolder:
        name = "the inline repository"
        folder = MemoryFolder(inlinefiles.read(spec.get("fileSystem") or {}), name)
        path = str(spec.get("compDescDirPath") or "/")
        blobs = self._inline_blobs(spec, folder, path)
        return DescriptorFolder(folder, path, blobs, name, self.limits)

    def _inline_blobs(self, spec: Mapping[str, Any], folder: Folder, path: str) -> BlobFolder:
        given = str(spec.get("blobDirPath") or "")
        match spec.get("blobFsMode") or "filesystem":
            case "filesystem" if spec.get("blobFs"):
                own = MemoryFolder(inlinefiles.read(spec["blobFs"]), "the blobs of the inline repository")
                return BlobFolder(own, given or "/", self.limits)
            case "filesystem":
                return BlobFolder(folder, given or f"{path}/blobs", self.limits)
            case "context":
                return BlobFolder(self._root(), given or "/", self.limits)
        raise ConfigurationError("blobFsMode of an inline repository context must be filesystem or context")

    def _root(self) -> DiskFolder:
        if self.root is None:
            raise ConfigurationError(
                "repositories in files cannot be read: no folder for them is named (--component-root of the process"
                " that runs the controllers)"
            )
        return self.root
