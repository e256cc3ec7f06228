"""Read-only trees of files that repositories are kept in: a folder of this machine, or files in memory."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol

from landform.components import archives
from landform.components.blobs import Blob, read_file
from landform.components.errors import NotFound, RepositoryError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.components.limits import Limits


class Folder(Protocol):
    """A tree of files. Paths are relative to its root, with or without a leading slash."""

    async def blob(self, path: str, limits: Limits) -> Blob:
        """The content of a file; a folder becomes a tar archive of its files. NotFound if there is neither."""
        ...

    async def names(self, path: str) -> list[str]:
        """The names of the plain files of a folder, in order; none if there is no such folder."""
        ...


@dataclass(frozen=True)
class MemoryFolder:
    """Files in memory, by path."""

    files: Mapping[str, bytes]
    """Content by path, without a leading slash."""

    name: str
    """What to call it in errors."""

    async def blob(self, path: str, limits: Limits) -> Blob:
        plain = _plain(path)
        if plain in self.files:
            return Blob(self.files[plain])
        prefix = f"{plain}/" if plain else ""
        below = {key.removeprefix(prefix): value for key, value in self.files.items() if key.startswith(prefix)}
        if not below:
            raise NotFound(f"there is no file {path!r} in {self.name}")
        return Blob(archives.pack(below))

    async def names(self, path: str) -> list[str]:
        folder = _plain(path)
        return sorted(
            PurePosixPath(key).name for key in self.files if str(PurePosixPath(key).parent) == (folder or ".")
        )


@dataclass(frozen=True)
class DiskFolder:
    """A folder of this machine. Nothing outside of it can be reached, neither by `..` nor by a link."""

    root: Path
    """The folder."""

    async def blob(self, path: str, limits: Limits) -> Blob:
        return await asyncio.to_thread(self._blob, path, limits)

    async def names(self, path: str) -> list[str]:
        return await asyncio.to_thread(self._names, path)

    def locate(self, path: str) -> Path:
        """The place of a path; NotFound if there is nothing, RepositoryError if it leads out of the folder."""
        root = self.root.resolve()
        place = Path(os.path.realpath(root / _plain(path)))
        if not place.is_relative_to(root):
            raise RepositoryError(f"the path {path!r} leads out of the folder {self.root}")
        if not place.exists():
            raise NotFound(f"there is no file {path!r} in {self.root}")
        return place

    def _blob(self, path: str, limits: Limits) -> Blob:
        place = self.locate(path)
        if place.is_file():
            return Blob(place)
        if not place.is_dir():
            raise RepositoryError(f"{path!r} in {self.root} is neither a file nor a folder")
        return Blob(archives.pack(self._tree(place, limits)))

    def _tree(self, place: Path, limits: Limits) -> dict[str, bytes]:
        """All files below a folder. Links are left out: they may lead anywhere."""
        files: dict[str, bytes] = {}
        left = limits.unpacked
        for entry in sorted(place.rglob("*")):
            if entry.is_file() and not entry.is_symlink():
                content = read_file(entry, left, f"the folder {place.name!r}")
                left -= len(content)
                files[entry.relative_to(place).as_posix()] = content
        return files

    def _names(self, path: str) -> list[str]:
        try:
            place = self.locate(path)
        except NotFound:
            return []
        return sorted(entry.name for entry in place.iterdir() if entry.is_file()) if place.is_dir() else []


def _plain(path: str) -> str:
    """The path without a leading slash and without parts that mean nothing; `..` never leads above the root."""
    parts: list[str] = []
    for part in path.replace("\0", "").split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
