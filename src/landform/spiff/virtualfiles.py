"""The files that a document may read: a given set, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.spiff.paths import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

_ABSENT = "file does not exist"
_MOST_BYTES = 8 << 20


class FileError(Exception):
    """A file cannot be read; the message says why."""


class VirtualFiles:
    """Files by path; relative paths start at the root, and `..` does not leave it."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = {_absolute(path): bytes(content) for path, content in files.items()}
        self._folders = {"/"}
        for path in self._files:
            while (path := path.rpartition("/")[0]) and path not in self._folders:
                self._folders.add(path)

    def read(self, path: str) -> bytes:
        """The content of a file."""
        if path.startswith(("http:", "https:")):
            raise FileError(f"error getting [{path}]: network access is not supported in this execution environment")
        place = _absolute(path)
        content = self._files.get(place)
        if content is None:
            raise FileError(f"error reading [{clean(path)}]: {self._why(place)}")
        if len(content) > _MOST_BYTES:
            raise FileError(f"error reading [{clean(path)}]: the file has more than {_MOST_BYTES} bytes")
        return content

    def _why(self, place: str) -> str:
        if place in self._folders:
            return f" {place}: is a directory"
        parts = place.split("/")
        for end in range(2, len(parts)):
            folder = "/".join(parts[:end])
            if folder not in self._folders:
                return f" {folder}: {'is no directory' if folder in self._files else _ABSENT}"
        return _ABSENT

    def is_file(self, path: str) -> bool:
        """Whether there is a file."""
        return _absolute(path) in self._files

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder."""
        return _absolute(path) in self._folders

    def entries(self, path: str, folders: bool) -> list[str]:
        """The names of the files or folders in a folder."""
        place = _absolute(path).rstrip("/") + "/"
        found = self._folders if folders else self._files
        return sorted(
            name[len(place) :]
            for name in found
            if name.startswith(place) and name != place and "/" not in name[len(place) :]
        )


def _absolute(path: str) -> str:
    return clean("/" + path)
