"""Repositories that hold component versions as OCI artifacts: registries and common transport archives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from landform.components import accesstypes, layouts, references
from landform.components.artifacts import MANIFEST_TYPES, Artifact, Artifacts, first_manifest
from landform.components.blobs import Blob
from landform.components.errors import Corrupt, NotFound, Unsupported
from landform.components.limits import DEFAULT, Limits
from landform.components.memories import Memory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.components.repositories import Stored
    from landform.components.tagging import Tags


@dataclass(frozen=True)
class ArtifactRepository:
    """Component versions in a store of artifacts."""

    store: Artifacts
    """Where the artifacts are."""

    tags: Tags
    """Where the tags of a repository can be listed."""

    prefix: str = ""
    """What repositories begin with: the path of the registry's URL and the sub path."""

    mapping: str = ""
    """How the name of a component becomes that of a repository."""

    limits: Limits = DEFAULT
    """How much may be read."""

    memory: Memory = field(default_factory=Memory)
    """What was read before, from here or elsewhere."""

    async def component(self, name: str, version: str) -> Stored:
        repository, tag = self._repository(name), layouts.tag_of(version)
        try:
            manifest = await self.store.manifest(repository, tag)
        except NotFound as error:
            raise NotFound(f'component version "{name}:{version}" not found: {error}') from error
        try:
            return await layouts.read_component(self.store, repository, manifest, self.limits, self.memory)
        except NotFound as error:
            # It is here, but not whole: nobody should go on and find another one elsewhere.
            raise Corrupt(f'component version "{name}:{version}" is incomplete: {error}') from error
        except Corrupt as error:
            place = self.store.place(repository)
            raise Corrupt(f'component version "{name}:{version}" in {place} cannot be read: {error}') from error

    async def versions(self, name: str) -> list[str]:
        tags = await self.tags.tags(self._repository(name))
        return [version for version in map(layouts.version_of, tags) if version]

    async def local_content(self, stored: Stored, access: Mapping[str, Any], limit: int) -> Blob | Artifact:
        artifact = stored.artifact
        if artifact is None:
            raise Unsupported(f"the component version does not come from {self.describe()}")
        match accesstypes.kind(access):
            case "localBlob":
                return await self._local_blob(artifact, access, limit)
            case "localOciBlob":
                return await self._layer(artifact, str(accesstypes.attribute(access, "digest")), limit)
            case "relativeOciReference":
                return await self._relative(str(accesstypes.attribute(access, "reference")))
        raise Unsupported(f'access method "{access["type"]}" is unknown in {self.describe()}')

    def describe(self) -> str:
        return self.store.place(self.prefix)

    def _repository(self, name: str) -> str:
        return "/".join(part for part in (self.prefix, layouts.repository_of(name, self.mapping)) if part)

    async def _local_blob(self, artifact: Artifact, access: Mapping[str, Any], limit: int) -> Blob | Artifact:
        media_type = str(accesstypes.optional(access, "mediaType") or "")
        parts = [part.strip() for part in str(accesstypes.attribute(access, "localReference")).split(",")]
        if media_type in MANIFEST_TYPES and len(parts) == 1:
            manifest = await self.store.manifest(artifact.repository, parts[0])
            return Artifact(self.store, artifact.repository, manifest)
        blobs = [await self.store.blob(artifact.repository, part, limit) for part in parts]
        if len(blobs) == 1:
            return blobs[0].called(media_type)
        # A registry may limit the size of blobs; what is larger is stored in pieces.
        return Blob(await _joined(blobs, limit), media_type)

    async def _layer(self, artifact: Artifact, digest: str, limit: int) -> Blob:
        manifest = await first_manifest(self.store, artifact.repository, artifact.manifest)
        kinds = [str(layer.get("mediaType", "")) for layer in manifest.layers if layer.get("digest") == digest]
        return (await self.store.blob(artifact.repository, digest, limit)).called(kinds[0] if kinds else "")

    async def _relative(self, reference: str) -> Artifact:
        repository, tag, digest = references.split(reference)
        return Artifact(self.store, repository, await self.store.manifest(repository, digest or tag), tag)


async def _joined(blobs: list[Blob], limit: int) -> bytes:
    joined = b""
    for blob in blobs:
        joined += await blob.read(limit - len(joined), "the content in several pieces")
    return joined
