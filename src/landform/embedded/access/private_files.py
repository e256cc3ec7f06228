"""Files that only their owner may read, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from landform.cluster.errors import ClusterError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class UnusableFile(ClusterError):
    """A file of the data folder cannot be used or written; the text says which, why, and what to do."""

    @classmethod
    def broken(cls, path: Path, fault: str) -> UnusableFile:
        """The file does not hold what belongs into it."""
        return cls(f"{path} {fault}; restore it from a backup, or delete it to get a new one")


def write_private(path: Path, text: str) -> None:
    """Put the text into the file, with mode 0600 and on disk when this returns.

    Whoever reads the file, also after a crash at any moment, finds either what was there before or all of the new
    text; no one else can read the new text at any moment.
    """
    try:
        _write(path, text)
    except OSError as error:
        raise UnusableFile(f"cannot write {path}: {error.strerror or error}; {_ADVICE}") from error


def read_or_create(path: Path, make: Callable[[], str]) -> str:
    """What the file says; if there is none, what `make` gives, after it was written."""
    try:
        text = path.read_text("ascii")
        # A copy or a restored backup may have lost the mode.
        path.chmod(0o600)
        return text
    except FileNotFoundError:
        text = make()
        write_private(path, text)
        return text
    except OSError as error:
        raise UnusableFile(f"cannot read {path}: {error.strerror or error}; {_ADVICE}") from error
    except UnicodeDecodeError:
        raise UnusableFile.broken(path, "is not a text file") from None


_ADVICE = "check the folder's owner and permissions and the free space of its disk"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename in the folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
