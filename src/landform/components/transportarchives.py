"""The common transport format: artifacts of a registry as files, in a folder or in an archive."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from landform.components import digests
from landform.components.artifacts import OCI_MANIFEST, Manifest
from landform.components.errors import Corrupt, NotFound, RepositoryError, TooLarge

if TYPE_CHECKING:
    from landform.components.blobs import Blob
    from landform.components.folders import Folder
    from landform.components.limits import Limits

_INDEX = "artifact-index.json"


@dataclass
class TransportArchive:
    """The artifacts of one common transport archive."""

    folder: Folder
    """Its files."""

    name: str
    """What to call it in errors."""

    limits: Limits
    """How much may be read."""

    _entries: list[dict[str, Any]] | None = field(default=None, init=False)

    async def manifest(self, repository: str, reference: str) -> Manifest:
        for entry in reversed(await self._index()):  # of two entries with one tag the later counts
            if entry.get("repository") == repository and reference in (entry.get("tag"), entry.get("digest")):
                digest, media_type = str(entry.get("digest")), str(entry.get("mediaType") or "")
                content = await self._content(digest, self.limits.manifest)
                return Manifest(content, media_type or _stated_type(content), digest)
        if digests.is_digest(reference):  # what an index refers to has no entry of its own
            content = await self._content(reference, self.limits.manifest)
            return Manifest(content, _stated_type(content), reference)
        raise NotFound(f'oci artifact "{reference}" not found in {repository} of {self.name}')

    async def blob(self, repository: str, digest: str, limit: int) -> Blob:
        blob = await self._file(digest)
        if blob.size > limit:
            raise TooLarge(f"the blob {digest} of {self.name} has {blob.size} bytes; {limit} are allowed")
        algorithm, _, expected = digest.partition(":")
        found = await blob.hash(algorithm)
        if found != expected:
            raise Corrupt(f"the blob {digest} of {self.name} is damaged: its content has {algorithm}:{found}")
        return blob

    async def tags(self, repository: str) -> list[str]:
        tags = [entry.get("tag") for entry in await self._index() if entry.get("repository") == repository]
        return list(dict.fromkeys(filter(None, tags)))

    def place(self, repository: str) -> str:
        return f"{repository} of {self.name}" if repository else self.name

    async def _content(self, digest: str, limit: int) -> bytes:
        blob = await self._file(digest)
        content = await blob.read(limit, f"the blob {digest} of {self.name}")
        return await asyncio.to_thread(digests.checked, content, digest, f"the blob {digest} of {self.name}")

    async def _file(self, digest: str) -> Blob:
        if not digests.is_digest(digest):
            raise Corrupt(f"{self.name} names a blob by {digest[:100]!r}, which is not a digest")
        try:
            return await self.folder.blob(f"blobs/{digests.file_name(digest)}", self.limits)
        except NotFound as error:
            raise NotFound(f"the blob {digest} is missing in {self.name}") from error

    async def _index(self) -> list[dict[str, Any]]:
        if self._entries is None:
            self._entries = await self._read_index()
        return self._entries

    async def _read_index(self) -> list[dict[str, Any]]:
        try:
            blob = await self.folder.blob(_INDEX, self.limits)
        except NotFound as error:
            # Not the NotFound of a lookup, which would go on in the next repository: this is no repository.
            raise RepositoryError(f"{self.name} is not a common transport archive: it has no {_INDEX}") from error
        try:
            value = msgspec.json.decode(await blob.read(self.limits.descriptor, f"{_INDEX} of {self.name}"))
            return [entry for entry in value["artifacts"] or () if isinstance(entry, dict)]
        except (msgspec.DecodeError, KeyError, TypeError, RecursionError) as error:
            raise Corrupt(f"{_INDEX} of {self.name} is not a list of artifacts: {error}") from error


def _stated_type(content: bytes) -> str:
    """The media type that a manifest says it has; older ones say nothing."""
    try:
        return str(msgspec.json.decode(content).get("mediaType") or OCI_MANIFEST)
    except (msgspec.DecodeError, AttributeError, RecursionError):
        return OCI_MANIFEST
