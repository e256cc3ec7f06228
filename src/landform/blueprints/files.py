"""The files of a blueprint, read-only: from a folder, from a document that is written in place, or from an archive.

Paths are relative to the blueprint's root whether they begin with ``/`` or not. Symbolic links are followed inside of
the root; nothing outside can be named.

>>> files = from_inline({"blueprint.yaml": {"$type": "yaml", "value": {"imports": []}}, "docs": {"a.txt": "hello"}})
>>> files.read("./docs/../docs/a.txt"), [entry.name for entry in files.list("/")]
(b'hello', ['blueprint.yaml', 'docs'])
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from landform.blueprints.errors import FileError
from landform.kit import filetrees
from landform.kit.filetrees import Folder, Link, TreeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.kit.filetrees import Node

MOST_LINKS = 40
"""How many symbolic links one path may lead through, as in Linux; more are taken for a circle."""

MOST_BYTES = 256 * 1024 * 1024
"""Largest folder that is read: a bigger one is hardly a blueprint."""


MOST_FILES = 100_000
"""Most files of a blueprint when all are asked for: links across folders could make endlessly many of a few."""


@dataclass(frozen=True)
class Entry:
    """One entry of a folder."""

    name: str
    """Its name, without the folder."""

    is_dir: bool
    """Whether it is a folder, or a link to one."""

    size: int
    """Bytes of the file; 0 for a folder."""


class BlueprintFiles:
    """A tree of files that does not change. Made by `from_folder`, `from_inline` and `from_entries`."""

    def __init__(self, root: Folder) -> None:
        self._root = root

    def read(self, path: str, *, wanted_by: str = "") -> bytes:
        """The content of a file; `wanted_by` is named in the error, such as ``deploy execution "main"``."""
        node = self._resolved(path, wanted_by)
        if isinstance(node, Folder):
            raise FileError(path, "is a folder", wanted_by)
        return node

    def list(self, path: str = "/", *, wanted_by: str = "") -> list[Entry]:
        """The entries of a folder, by name."""
        node = self._resolved(path, wanted_by)
        if not isinstance(node, Folder):
            raise FileError(path, "is not a folder", wanted_by)
        return [self._entry(f"{path}/{name}", name, inner) for name, inner in sorted(node.entries.items())]

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder of that path."""
        return self._found(path) is not None

    def is_dir(self, path: str) -> bool:
        """Whether there is a folder of that path."""
        return isinstance(self._found(path), Folder)

    def contents(self) -> Mapping[str, bytes]:
        """Every file by its path without a leading slash; links stand for what they lead to, unless it is a circle."""
        return self._everything

    @cached_property
    def _everything(self) -> Mapping[str, bytes]:
        files = list(islice(self._below(self._root, "", ()), MOST_FILES + 1))
        if len(files) > MOST_FILES:
            raise FileError("/", f"has more than {MOST_FILES} files once its symbolic links are followed")
        return MappingProxyType(dict(files))

    def _below(self, folder: Folder, prefix: str, above: tuple[Folder, ...]) -> Iterator[tuple[str, bytes]]:
        """The files of a folder; `above` are the folders on the way, into which no link leads back."""
        way = (*above, folder)
        for name, node in sorted(folder.entries.items()):
            path = f"{prefix}{name}"
            target = self._found(path) if isinstance(node, Link) else node
            if isinstance(target, bytes):
                yield path, target
            elif target is not None and not any(target is each for each in way):
                yield from self._below(target, f"{path}/", way)

    def _entry(self, path: str, name: str, node: Node) -> Entry:
        target = self._found(path) if isinstance(node, Link) else node
        return Entry(name, isinstance(target, Folder), len(target) if isinstance(target, bytes) else 0)

    def _found(self, path: str) -> bytes | Folder | None:
        try:
            return self._resolved(path, "")
        except FileError:
            return None

    def _resolved(self, path: str, wanted_by: str) -> bytes | Folder:
        """What a path leads to, link by link; a link goes on from the folder that it is in."""
        trail: list[Folder | bytes] = [self._root]
        pending = _segments(path)
        links = 0
        while pending:
            name = pending.pop()
            here = trail[-1]
            if isinstance(here, bytes):
                raise FileError(path, "does not exist: a part of the path is a file", wanted_by)
            if name == "..":
                _leave(trail, path, wanted_by)
                continue
            node = here.entries.get(name)
            if node is None:
                raise FileError(path, "does not exist", wanted_by)
            if not isinstance(node, Link):
                trail.append(node)
                continue
            links += 1
            if links > MOST_LINKS:
                raise FileError(path, f"leads through more than {MOST_LINKS} symbolic links: a circle?", wanted_by)
            if node.target.startswith("/"):
                del trail[1:]
            pending.extend(_segments(node.target))
        return trail[-1]


def _segments(path: str) -> list[str]:
    """The parts of a path that lead somewhere, last one first."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]


def _leave(trail: list[Folder | bytes], path: str, wanted_by: str) -> None:
    if len(trail) == 1:
        raise FileError(path, "lies outside of the blueprint", wanted_by)
    trail.pop()


def from_entries(entries: Mapping[str, bytes]) -> BlueprintFiles:
    """Files by path, such as those of an archive. Folders follow from the paths."""
    root = Folder()
    for path, content in entries.items():
        *folders, name = list(reversed(_segments(path))) or [""]
        if not name or ".." in (*folders, name):
            raise FileError(path, "has no place inside of the blueprint")
        folder = root
        for part in folders:
            inner = folder.entries.setdefault(part, Folder())
            if not isinstance(inner, Folder):
                raise FileError(path, f"lies below {part!r}, which is a file")
            folder = inner
        if isinstance(folder.entries.get(name), Folder):
            raise FileError(path, "is a folder too")
        folder.entries[name] = content
    return BlueprintFiles(root)


def from_inline(document: Any) -> BlueprintFiles:
    """Files of a document: a map is a folder, a text a file, and a map with `$type` says what it is."""
    try:
        return BlueprintFiles(filetrees.tree(document))
    except TreeError as error:
        raise FileError(error.path, error.problem) from error


def from_folder(path: str | Path) -> BlueprintFiles:
    """The files of a local folder as they are now; later changes on the disk are not seen."""
    root = Path(path)
    if not root.is_dir():
        raise FileError(str(root), "is not a folder, so it cannot be the root" if root.exists() else "does not exist")
    reading = _Reading()
    return BlueprintFiles(reading.folder(root))


class _Reading:
    """Reads a folder from the disk, within a limit."""

    def __init__(self) -> None:
        self._left = MOST_BYTES

    def folder(self, path: Path) -> Folder:
        folder = Folder()
        for inner in path.iterdir():
            node = self._node(inner)
            if node is not None:
                folder.entries[inner.name] = node
        return folder

    def _node(self, path: Path) -> Node | None:
        """What a path on the disk is; None for sockets and the like, which are no part of a blueprint."""
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            return Link(os.readlink(path))
        if stat.S_ISDIR(status.st_mode):
            return self.folder(path)
        if not stat.S_ISREG(status.st_mode):
            return None
        self._left -= status.st_size
        if self._left < 0:
            raise FileError(str(path), f"is too much: the folder has more than {MOST_BYTES >> 20} MiB")
        return path.read_bytes()
