"""Repositories that hold component descriptors as files: component archives, `local` and `inline` ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from landform.components import accesstypes, digests, repositories, versions
from landform.components.errors import Corrupt, DescriptorError, NotFound, RepositoryError, TooLarge, Unsupported
from landform.components.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.components.blobs import Blob
    from landform.components.folders import Folder
    from landform.components.repositories import Stored

_DESCRIPTOR = "component-descriptor.yaml"


@dataclass(frozen=True)
class BlobFolder:
    """The folder that holds the content of component versions, each in a file of its own."""

    folder: Folder
    path: str
    limits: Limits

    async def content(self, access: Mapping[str, Any], limit: int, where: str) -> Blob:
        """What a local access names."""
        match accesstypes.kind(access):
            case "localBlob":
                name = str(accesstypes.attribute(access, "localReference"))
            case "localFilesystemBlob":
                name = str(accesstypes.attribute(access, "fileName"))
            case _:
                raise Unsupported(f'access method "{access["type"]}" is unknown in {where}')
        if ".." in name.split("/"):
            raise DescriptorError(f"the access of a resource leads out of the blobs of {where}: {name!r}")
        blob = await self.folder.blob(f"{self.path}/{name.replace(':', '.', 1)}", self.limits)
        await _check_name(blob, name, where)
        if blob.size > limit:
            raise TooLarge(f"the blob {name} of {where} has {blob.size} bytes; {limit} are allowed")
        return blob.called(str(accesstypes.optional(access, "mediaType") or ""))


@dataclass(frozen=True)
class ComponentArchive:
    """A folder or an archive that holds exactly one component version."""

    folder: Folder
    name: str
    limits: Limits = DEFAULT

    async def component(self, name: str, version: str) -> Stored:
        stored = await self.sole()
        if versions.key(stored.descriptor) != (name, version):
            raise NotFound(f'component "{name}:{version}" not found in {self.name}')
        return stored

    async def sole(self) -> Stored:
        """The one component version."""
        try:
            blob = await self.folder.blob(_DESCRIPTOR, self.limits)
        except NotFound as error:
            raise RepositoryError(f"{self.name} is not a component archive: it has no {_DESCRIPTOR}") from error
        return await repositories.read(
            await blob.read(self.limits.descriptor, _DESCRIPTOR), f"{_DESCRIPTOR} of {self.name}"
        )

    async def versions(self, name: str) -> list[str]:
        own, version = versions.key((await self.sole()).descriptor)
        return [version] if own == name else []

    async def local_content(self, stored: Stored, access: Mapping[str, Any], limit: int) -> Blob:
        return await BlobFolder(self.folder, "blobs", self.limits).content(access, limit, self.name)

    def describe(self) -> str:
        return self.name


@dataclass
class DescriptorFolder:
    """A folder whose every file is a component descriptor, with the content in another one."""

    folder: Folder
    path: str
    blobs: BlobFolder
    name: str
    limits: Limits = DEFAULT

    _read: dict[tuple[str, str], Stored] | None = field(default=None, init=False)
    _unreadable: list[str] = field(default_factory=list, init=False)

    async def component(self, name: str, version: str) -> Stored:
        found = (await self._components()).get((name, version))
        if found is None:
            hint = f"; not readable are: {'; '.join(self._unreadable)}" if self._unreadable else ""
            raise NotFound(f'component version "{name}:{version}" not found in {self.name}{hint}')
        return found

    async def versions(self, name: str) -> list[str]:
        return [version for own, version in await self._components() if own == name]

    async def local_content(self, stored: Stored, access: Mapping[str, Any], limit: int) -> Blob:
        return await self.blobs.content(access, limit, self.name)

    def describe(self) -> str:
        return self.name

    async def _components(self) -> dict[tuple[str, str], Stored]:
        """All component versions. A file that is no descriptor is told of only if one is missed."""
        if self._read is not None:
            return self._read
        found: dict[tuple[str, str], Stored] = {}
        self._unreadable.clear()
        for name in await self.folder.names(self.path):
            blob = await self.folder.blob(f"{self.path}/{name}", self.limits)
            try:
                stored = await repositories.read(await blob.read(self.limits.descriptor, name), name)
            except (DescriptorError, RepositoryError) as error:
                self._unreadable.append(str(error))
            else:
                found[versions.key(stored.descriptor)] = stored
        self._read = found
        return found


async def _check_name(blob: Blob, name: str, where: str) -> None:
    """A file that is named after its digest must have it."""
    digest = name.replace(".", ":", 1)
    if digests.is_digest(digest):
        algorithm, _, expected = digest.partition(":")
        found = await blob.hash(algorithm)
        if found != expected:
            raise Corrupt(f"the blob {name} of {where} is damaged: its content has {algorithm}:{found}")
