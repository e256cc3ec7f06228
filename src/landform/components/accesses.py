"""From the access of a resource to its content."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import yaml

from landform.components import accesstypes, artifacts, challenges, credentials, digests, references
from landform.components.artifacts import Artifact
from landform.components.blobs import Blob
from landform.components.credentials import HELM_REPOSITORY, Identity
from landform.components.errors import (
    AccessDenied,
    ComponentError,
    Corrupt,
    DescriptorError,
    NotFound,
    RepositoryError,
    TooLarge,
    Unsupported,
)
from landform.components.httpclients import Ask, Challenged, read_body
from landform.components.limits import MEBIBYTE
from landform.kit import yamls

if TYPE_CHECKING:
    from landform.components.limits import Limits
    from landform.components.opening import Opener
    from landform.components.repositories import Repository, Stored

CHART_MEDIA_TYPE = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
_MOST_INDEX_BYTES = 64 * MEBIBYTE


async def follow(
    opener: Opener, repository: Repository, stored: Stored, access: Mapping[str, Any], limit: int
) -> Blob | Artifact:
    """What an access leads to: content, or an artifact that is more than one piece of content."""
    kind = accesstypes.kind(access)
    if kind in accesstypes.LOCAL:
        return await _local(opener, repository, stored, access, limit)
    match kind:
        case "ociArtifact":
            return await _artifact(opener, str(accesstypes.attribute(access, "imageReference")))
        case "ociBlob":
            return await _oci_blob(opener, access, limit)
        case "helm":
            return await _chart(opener, access, limit)
        case "none":
            raise Unsupported('"access" not supported: a resource with access "none" has no content')
    supported = ", ".join(accesstypes.SUPPORTED)
    raise Unsupported(f'access method "{access["type"]}" is unknown; supported are {supported}')


async def _local(
    opener: Opener, repository: Repository, stored: Stored, access: Mapping[str, Any], limit: int
) -> Blob | Artifact:
    """Content that is stored with the component version; if it is not, it may be where its global access says."""
    try:
        return await repository.local_content(stored, access, limit)
    except NotFound as error:
        elsewhere = accesstypes.optional(access, "globalAccess")
        if not isinstance(elsewhere, Mapping) or not elsewhere.get("type") or _is_local(elsewhere):
            raise
        try:
            return await follow(opener, repository, stored, elsewhere, limit)
        except ComponentError as other:
            raise type(other)(f"{error}; and by its globalAccess: {other}") from other


def _is_local(access: Mapping[str, Any]) -> bool:
    return accesstypes.kind(access) in accesstypes.LOCAL


async def content(found: Blob | Artifact, limits: Limits) -> Blob:
    """The content as one blob; an artifact becomes an artifact set."""
    if isinstance(found, Blob):
        return found
    return Blob(await artifacts.pack(found, limits), artifacts.set_media_type(found.manifest))


async def _artifact(opener: Opener, text: str) -> Artifact:
    reference = references.parse(text)
    registry = opener.registry(reference.authority)
    manifest = await registry.manifest(reference.repository, reference.reference)
    return Artifact(registry, reference.repository, manifest, reference.tag)


async def _oci_blob(opener: Opener, access: Mapping[str, Any], limit: int) -> Blob:
    reference = references.parse(str(accesstypes.attribute(access, "ref")))
    digest = str(accesstypes.attribute(access, "digest"))
    blob = await opener.registry(reference.authority).blob(reference.repository, digest, limit)
    size = accesstypes.optional(access, "size")
    if isinstance(size, int) and size > 0 and blob.size != size:
        raise Corrupt(f"the blob {digest} of {reference.repository} has {blob.size} bytes, but its access says {size}")
    return blob.called(str(accesstypes.optional(access, "mediaType") or "application/octet-stream"))


async def _chart(opener: Opener, access: Mapping[str, Any], limit: int) -> Blob | Artifact:
    """A chart of a chart repository, or of a registry if that is what the repository is."""
    base = str(accesstypes.attribute(access, "helmRepository")).rstrip("/")
    name, _, version = str(accesstypes.attribute(access, "helmChart")).partition(":")
    version = str(accesstypes.optional(access, "version") or version)
    if base.startswith("oci://"):
        artifact = await _artifact(opener, f"{base.removeprefix('oci://')}/{name}:{version}")
        return await artifact.layer(0, limit)
    if urlsplit(base).scheme not in ("http", "https"):
        raise DescriptorError(f"a helm access names the repository {base!r}, which is neither https, http nor oci")
    index = await _get(opener, f"{base}/index.yaml", base, _MOST_INDEX_BYTES)
    entry = await asyncio.to_thread(_chart_entry, index, name, version, base)
    archive = await _get(opener, urljoin(f"{base}/", str(entry["urls"][0])), base, limit)
    stated = str(entry.get("digest") or "").removeprefix("sha256:")
    if stated and hashlib.sha256(archive).hexdigest() != stated:
        raise Corrupt(f"the chart {name}:{version} of {base} does not match its digest: sha256:{stated} is expected")
    path = await asyncio.to_thread(opener.cache.put, digests.of(archive), archive)
    return Blob(path, CHART_MEDIA_TYPE)


def _chart_entry(index: bytes, name: str, version: str, base: str) -> Mapping[str, Any]:
    try:
        value = yamls.load(index.decode())
        for entry in value["entries"].get(name) or ():
            if str(entry["version"]).removeprefix("v") == version.removeprefix("v") and entry["urls"]:
                return dict(entry)
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Corrupt(f"index.yaml of the chart repository {base} cannot be read: {type(error).__name__}") from error
    raise NotFound(f'chart "{name}:{version}" not found in the chart repository {base}')


async def _get(opener: Opener, url: str, base: str, limit: int) -> bytes:
    """A file of a chart repository; its credentials go to no other host."""
    parts, own = urlsplit(url), urlsplit(base)
    if parts.scheme == "http" and own.scheme == "https":
        raise RepositoryError(f"the chart repository {base} leads to {url}, which is not encrypted")
    known = None
    if parts.netloc == own.netloc:
        port = str(own.port) if own.port else ""
        request = Identity(HELM_REPOSITORY, own.hostname or "", port, own.scheme, own.path.strip("/"))
        known = credentials.best(opener.consumers, request)
    headers = {"Authorization": challenges.basic(known)} if known and known.username else {}
    too_large = TooLarge(f"{url} has more than the {limit} bytes that are allowed")
    ask = Ask(url, headers, f"GET {url}", known.certificate_authority if known else "")
    try:
        return await opener.http.fetch(ask, lambda response: read_body(response, limit, lambda: too_large))
    except Challenged as error:
        raise AccessDenied(f"GET {url}: response status code 401: Unauthorized") from error
