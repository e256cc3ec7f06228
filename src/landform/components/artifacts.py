"""OCI artifacts: manifests and the blobs that they name, wherever they are stored."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from landform.components import archives, digests
from landform.components.blobs import Blob
from landform.components.errors import Corrupt, NotFound, TooLarge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.components.limits import Limits

OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
OCI_INDEX = "application/vnd.oci.image.index.v1+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_INDEX = "application/vnd.docker.distribution.manifest.list.v2+json"
MANIFEST_TYPES = (OCI_MANIFEST, OCI_INDEX, DOCKER_MANIFEST, DOCKER_INDEX)

_INDEX_TYPES = (OCI_INDEX, DOCKER_INDEX)
_SET_SUFFIXES = ("+tar+gzip", "+tar")
_MAIN = "software.ocm/main"
_TAGS = "software.ocm/tags"
_REF_NAME = "org.opencontainers.image.ref.name"
_LAYOUT = b'{"imageLayoutVersion":"1.0.0"}'
_DEEPEST_INDEX = 3


@dataclass(frozen=True)
class Manifest:
    """The manifest or the index of an artifact, as it is stored."""

    content: bytes
    """Its bytes, which its digest is of."""

    media_type: str
    """What it says it is."""

    digest: str
    """Its digest."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """Its JSON object."""
        try:
            value = msgspec.json.decode(self.content)
        except (msgspec.DecodeError, RecursionError) as error:
            raise Corrupt(f"the manifest {self.digest} is not JSON: {error}") from error
        if not isinstance(value, dict):
            raise Corrupt(f"the manifest {self.digest} is not a JSON object")
        return value

    @property
    def is_index(self) -> bool:
        """Whether it is a list of further manifests."""
        return (self.media_type or self.document.get("mediaType")) in _INDEX_TYPES or "manifests" in self.document

    @property
    def config(self) -> Mapping[str, Any]:
        """The descriptor of its configuration."""
        config = self.document.get("config")
        return config if isinstance(config, dict) else {}

    @property
    def layers(self) -> list[Mapping[str, Any]]:
        """The descriptors of its layers."""
        return self._descriptors("layers")

    @property
    def manifests(self) -> list[Mapping[str, Any]]:
        """The descriptors of the manifests of an index."""
        return self._descriptors("manifests")

    def _descriptors(self, field: str) -> list[Mapping[str, Any]]:
        found = self.document.get(field) or []
        if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
            raise Corrupt(f"the manifest {self.digest} has {field} that are no list of objects")
        return found


class Artifacts(Protocol):
    """A store of artifacts: a registry, an archive, a folder."""

    async def manifest(self, repository: str, reference: str) -> Manifest:
        """The manifest that a tag or a digest names; NotFound if there is none."""
        ...

    async def blob(self, repository: str, digest: str, limit: int) -> Blob:
        """The content with that digest, checked; NotFound if there is none, TooLarge if it is over the limit."""
        ...

    def place(self, repository: str) -> str:
        """What to call a repository in errors."""
        ...


async def first_manifest(artifacts: Artifacts, repository: str, manifest: Manifest) -> Manifest:
    """The manifest itself, or the first one of an index."""
    for _ in range(_DEEPEST_INDEX):
        if not manifest.is_index:
            return manifest
        if not manifest.manifests:
            raise Corrupt(f"the index {manifest.digest} of {artifacts.place(repository)} has no manifests")
        manifest = await artifacts.manifest(repository, digest_of(manifest.manifests[0], artifacts.place(repository)))
    raise Corrupt(f"the index {manifest.digest} of {artifacts.place(repository)} is nested too deep")


def digest_of(descriptor: Mapping[str, Any], where: str) -> str:
    """The digest that a descriptor of content names."""
    digest = descriptor.get("digest")
    if not isinstance(digest, str) or not digests.is_digest(digest):
        raise Corrupt(f"a manifest of {where} names content by {str(digest)[:100]!r}, which is not a digest")
    return digest


async def fetch(artifacts: Artifacts, repository: str, descriptor: Mapping[str, Any], limit: int) -> Blob:
    """The content that a manifest describes, of the digest and the size that it says."""
    where = artifacts.place(repository)
    digest, size = digest_of(descriptor, where), descriptor.get("size")
    if isinstance(size, int) and size > limit:
        raise TooLarge(f"the blob {digest} of {where} has {size} bytes; {limit} are allowed")
    blob = await artifacts.blob(repository, digest, limit)
    if isinstance(size, int) and blob.size != size:
        raise Corrupt(f"the blob {digest} of {where} has {blob.size} bytes, but its manifest says {size}")
    return blob.called(str(descriptor.get("mediaType", "")))


@dataclass(frozen=True)
class Artifact:
    """One artifact and where the rest of it is."""

    artifacts: Artifacts
    repository: str
    manifest: Manifest
    tag: str = ""

    async def layer(self, index: int, limit: int) -> Blob:
        """One layer of the artifact, or of the first manifest if it is an index."""
        manifest = await first_manifest(self.artifacts, self.repository, self.manifest)
        where = self.artifacts.place(self.repository)
        if index >= len(manifest.layers):
            raise NotFound(f"the artifact {manifest.digest} of {where} has no layer {index}")
        return await fetch(self.artifacts, self.repository, manifest.layers[index], limit)


def set_media_types(*kinds: str) -> frozenset[str]:
    """The media types of artifact sets, which are whole artifacts as one blob, of these kinds of manifests."""
    return frozenset(kind.removesuffix("+json") + suffix for kind in kinds for suffix in _SET_SUFFIXES)


def is_set(media_type: str) -> bool:
    """Whether a media type means an artifact set."""
    return media_type in _SETS


def set_media_type(manifest: Manifest) -> str:
    """The media type of the artifact set of an artifact."""
    return (OCI_INDEX if manifest.is_index else OCI_MANIFEST).removesuffix("+json") + "+tar+gzip"


_SETS = set_media_types(*MANIFEST_TYPES)


class SetArtifacts:
    """The artifacts inside of an artifact set; all have the same, unnamed repository."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    async def manifest(self, repository: str, reference: str) -> Manifest:
        content = self._content(reference)
        return Manifest(content, str(json.loads(content).get("mediaType", "")), reference)

    async def blob(self, repository: str, digest: str, limit: int) -> Blob:
        content = self._content(digest)
        if len(content) > limit:
            raise TooLarge(f"the blob {digest} of an artifact set has {len(content)} bytes; {limit} are allowed")
        return Blob(content)

    def place(self, repository: str) -> str:
        return "an artifact set"

    def _content(self, digest: str) -> bytes:
        for name in (f"blobs/{digests.file_name(digest)}", f"blobs/{digest.replace(':', '/', 1)}"):
            if name in self._files:
                return digests.checked(self._files[name], digest, f"the file {name} of an artifact set")
        raise NotFound(f"the artifact set has no blob {digest}")


def unpack(content: bytes, limits: Limits, what: str) -> Artifact:
    """The main artifact of an artifact set."""
    files = archives.files(content, limits, what)
    index = files.get("index.json") or files.get("artifact-descriptor.json")
    if index is None:
        raise Corrupt(f"{what} is not an artifact set: it has neither index.json nor artifact-descriptor.json")
    listing = Manifest(index, OCI_INDEX, digests.of(index))
    annotations = listing.document.get("annotations") or {}
    main = annotations.get(_MAIN)
    entries = {digest_of(entry, what): entry for entry in listing.manifests}
    if main is None and len(entries) == 1:
        main = next(iter(entries))
    if main not in entries:
        raise Corrupt(f"{what} does not say which of its {len(entries)} artifacts is the main one")
    store = SetArtifacts(files)
    manifest = Manifest(store._content(main), str(entries[main].get("mediaType", "")), main)
    return Artifact(store, "", manifest)


async def pack(artifact: Artifact, limits: Limits) -> bytes:
    """The whole artifact as one compressed blob, the same bytes each time."""
    files: dict[str, bytes] = {}
    await _collect(artifact, artifact.manifest, files, limits, 0)
    entry: dict[str, Any] = {
        "mediaType": artifact.manifest.media_type,
        "digest": artifact.manifest.digest,
        "size": len(artifact.manifest.content),
    }
    if artifact.tag:
        entry["annotations"] = {_REF_NAME: artifact.tag, _TAGS: artifact.tag}
    index = {
        "schemaVersion": 2,
        "mediaType": OCI_INDEX,
        "manifests": [entry],
        "annotations": {_MAIN: artifact.manifest.digest},
    }
    files = {name: files[name] for name in sorted(files)}
    files["index.json"], files["oci-layout"] = json.dumps(index, separators=(",", ":")).encode(), _LAYOUT
    return gzip.compress(archives.pack(files), mtime=0)


async def _collect(artifact: Artifact, manifest: Manifest, files: dict[str, bytes], limits: Limits, depth: int) -> None:
    where = artifact.artifacts.place(artifact.repository)
    if depth > _DEEPEST_INDEX:
        raise Corrupt(f"the index {artifact.manifest.digest} of {where} is nested too deep")
    files[f"blobs/{digests.file_name(manifest.digest)}"] = manifest.content
    if manifest.is_index:
        for entry in manifest.manifests:
            inner = await artifact.artifacts.manifest(artifact.repository, digest_of(entry, where))
            await _collect(artifact, inner, files, limits, depth + 1)
        return
    for descriptor in (manifest.config, *manifest.layers):
        left = max(limits.content - sum(map(len, files.values())), 0)
        blob = await fetch(artifact.artifacts, artifact.repository, descriptor, left)
        name = f"blobs/{digests.file_name(digest_of(descriptor, where))}"
        files[name] = await blob.read(left, f"the artifact of {where}")
