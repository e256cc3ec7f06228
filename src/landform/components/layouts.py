"""How a component version is laid out as an OCI artifact: names, tags, media types, and where its descriptor is."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from landform.components import archives, artifacts, repositories
from landform.components.artifacts import Artifact, Artifacts, Manifest
from landform.components.errors import ConfigurationError, Corrupt, InvalidReference
from landform.components.memories import Remembered
from landform.components.repositories import Stored
from landform.components.schemas import is_version

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from landform.components.blobs import Blob
    from landform.components.limits import Limits
    from landform.components.memories import Memory

_FOLDER = "component-descriptors"
_FILE = "component-descriptor.yaml"
_BUILD = ".build-"
_CONFIG_TYPES = (
    "application/vnd.ocm.software.component.config.v1+json",
    "application/vnd.gardener.cloud.cnudie.component.config.v1+json",
    "application/vnd.oci.gardener.cloud.cnudie.component-descriptor-metadata.config.v2+json",
)
_DESCRIPTOR_PREFIXES = (
    "application/vnd.ocm.software.component-descriptor.v2+",
    "application/vnd.gardener.cloud.cnudie.component-descriptor.v2+",
)
_PLAIN_TYPES = tuple(prefix + suffix for prefix in _DESCRIPTOR_PREFIXES for suffix in ("json", "yaml"))
_TAR_TYPES = (
    *(f"{prefix}yaml+tar" for prefix in _DESCRIPTOR_PREFIXES),
    "application/vnd.oci.gardener.cloud.cnudie.component-descriptor.config.v2+yaml+tar",
)


def repository_of(name: str, mapping: str = "urlPath") -> str:
    """The repository that holds the versions of a component, below the sub path."""
    match mapping:
        case "" | "urlPath":
            return f"{_FOLDER}/{name}"
        case "sha256-digest":
            return hashlib.sha256(name.encode()).hexdigest()
    raise ConfigurationError(
        f"unknown component name mapping method {mapping}; the repository context may say urlPath or sha256-digest"
    )


def tag_of(version: str) -> str:
    """The tag of a component version."""
    if not is_version(version):
        raise InvalidReference(
            f"invalid semantic version {version!r}; component versions look like 1.2.3 or v1.2.3-rc.1"
        )
    return version.replace("+", _BUILD)


def version_of(tag: str) -> str | None:
    """The component version that a tag stands for; None for tags that stand for none."""
    head, found, tail = tag.rpartition(_BUILD)
    version = f"{head}+{tail}" if found else tag
    return version if is_version(version) else None


async def read_component(
    store: Artifacts, repository: str, manifest: Manifest, limits: Limits, memory: Memory
) -> Stored:
    """The component version of a manifest, as it is remembered or as it is stored."""
    manifest = await artifacts.first_manifest(store, repository, manifest)
    artifact = Artifact(store, repository, manifest)
    known = memory.get(manifest.digest)
    if known is None:
        document = await _read_document(store, repository, manifest, limits)
        stored = await repositories.read(document, store.place(repository), artifact)
        known = Remembered(stored.descriptor, stored.schema, len(document))
        memory.put(manifest.digest, known)
    return Stored(known.descriptor, known.schema, artifact)


async def _read_document(store: Artifacts, repository: str, manifest: Manifest, limits: Limits) -> bytes:
    """The text of the descriptor: the configuration of the artifact says which blob holds it."""
    where = store.place(repository)
    kind = manifest.config.get("mediaType")
    if kind not in _CONFIG_TYPES:
        raise Corrupt(f"artifact is no component: {kind}, in {where}")
    async with _guessed(store, repository, manifest, limits) as guess:
        config = await artifacts.fetch(store, repository, manifest.config, limits.manifest)
        layer = _descriptor_layer(await config.read(limits.manifest), where)
        is_right = guess is not None and _same_content(layer, manifest.layers[0])
        blob = await (guess if guess and is_right else artifacts.fetch(store, repository, layer, limits.descriptor))
    return _document(await blob.read(limits.descriptor), str(layer.get("mediaType")), limits, where)


@asynccontextmanager
async def _guessed(
    store: Artifacts, repository: str, manifest: Manifest, limits: Limits
) -> AsyncIterator[asyncio.Task[Blob] | None]:
    """The first layer, on its way before the configuration says that it is the descriptor, as it nearly always is."""
    layer = manifest.layers[0] if manifest.layers else {}
    if layer.get("mediaType") not in (*_PLAIN_TYPES, *_TAR_TYPES):
        yield None
        return
    fetching = artifacts.fetch(store, repository, layer, limits.descriptor)
    task = asyncio.create_task(fetching, name=f"first layer of {repository}")
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _same_content(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return (one.get("digest"), one.get("size")) == (other.get("digest"), other.get("size"))


def _descriptor_layer(config: bytes, where: str) -> dict[str, Any]:
    try:
        layer = msgspec.json.decode(config).get("componentDescriptorLayer")
    except (msgspec.DecodeError, AttributeError, RecursionError):
        layer = None
    if not isinstance(layer, dict):
        raise Corrupt(f'"component descriptor config" is invalid: it names no descriptor, in {where}')
    return layer


def _document(content: bytes, media_type: str, limits: Limits, where: str) -> bytes:
    if media_type in _PLAIN_TYPES:
        return content
    if media_type not in _TAR_TYPES:
        raise Corrupt(f'config mediatype "{media_type}" is invalid for a component descriptor, in {where}')
    document = archives.file_named(content, _FILE, limits, f"the component descriptor of {where}")
    if document is None:
        raise Corrupt(f"no component descriptor found in tar: {_FILE} is missing, in {where}")
    return document
