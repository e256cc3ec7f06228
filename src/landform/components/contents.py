"""Blueprints and JSON schemas: which resources are one, in which form, and how to get their files."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from landform.components import archives, artifacts
from landform.components.artifacts import DOCKER_MANIFEST, OCI_MANIFEST, Artifact
from landform.components.blobs import Blob
from landform.components.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.components.limits import Limits

BLUEPRINT_TYPES = ("landscaper.gardener.cloud/blueprint", "blueprint")
JSONSCHEMA_TYPES = ("landscaper.gardener.cloud/jsonschema",)

_BLUEPRINT_CONFIG = "application/vnd.gardener.landscaper.blueprint.config.v1"
_BLUEPRINT_LAYERS = (
    "application/vnd.gardener.landscaper.blueprint.layer.v1.tar",
    "application/vnd.gardener.landscaper.blueprint.layer.v1.tar+gzip",
    "application/vnd.gardener.landscaper.blueprint.v1+tar",
    "application/vnd.gardener.landscaper.blueprint.v1+tar+gzip",
)
_BLUEPRINT_BLOBS = (*_BLUEPRINT_LAYERS, "application/x-tar", "application/x-tgz", "application/x-tar+gzip")
_MANIFEST_SETS = artifacts.set_media_types(OCI_MANIFEST, DOCKER_MANIFEST)
"""Whole artifacts as one blob; one of several artifacts, an index, is not taken for a blueprint."""


def check_type(resource: Mapping[str, Any], types: tuple[str, ...]) -> None:
    """Refuse a resource that is not of one of these types."""
    if resource["type"] not in types:
        raise Unsupported(
            f'no handler found for resource type "{resource["type"]}": '
            f'the resource "{resource["name"]}" must be of type {" or ".join(types)} here'
        )


async def blueprint(found: Blob | Artifact, limits: Limits, what: str) -> dict[str, bytes]:
    """The files of a blueprint by path; what it is made of is told by media types, its compression by its bytes."""
    if isinstance(found, Blob) and found.media_type in _MANIFEST_SETS:
        packed = await found.read(limits.content, what)
        found = await asyncio.to_thread(artifacts.unpack, packed, limits, what)
    if isinstance(found, Artifact):
        found = await _blueprint_layer(found, limits, what)
    elif found.media_type not in _BLUEPRINT_BLOBS:
        raise _mismatch(found.media_type, what)
    packed = await found.read(limits.unpacked, what)
    return await asyncio.to_thread(archives.files, packed, limits, what)


async def jsonschema(found: Blob | Artifact, limits: Limits, what: str) -> bytes:
    """The text of a JSON schema, unpacked if it is compressed; its media type does not matter."""
    blob = await found.layer(0, limits.descriptor) if isinstance(found, Artifact) else found
    packed = await blob.read(limits.descriptor, what)
    return await asyncio.to_thread(archives.decompressed, packed, limits.descriptor, what)


async def _blueprint_layer(artifact: Artifact, limits: Limits, what: str) -> Blob:
    manifest = artifact.manifest
    if manifest.is_index:
        raise _mismatch(artifacts.set_media_type(manifest), what)
    config = str(manifest.config.get("mediaType", ""))
    layer = str(manifest.layers[0].get("mediaType", "")) if manifest.layers else ""
    if config != _BLUEPRINT_CONFIG and layer not in _BLUEPRINT_LAYERS:
        raise _mismatch(f"{config} with layer {layer}", what)
    return await artifact.layer(0, limits.unpacked)


def _mismatch(media_type: str, what: str) -> Unsupported:
    return Unsupported(
        f"artifact does not match blueprint downloader (check config media type): {what} has the media type "
        f"{media_type!r}; accepted are {', '.join(_BLUEPRINT_BLOBS)}"
    )
