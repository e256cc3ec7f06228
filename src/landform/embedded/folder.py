"""The data folder: what is where, and that only one process uses it."""

from __future__ import annotations

import errno
import fcntl
import os
from typing import TYPE_CHECKING

from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from pathlib import Path

DATABASE = "landform.db"
LOCK = "lock"
KUBECONFIG = "kubeconfig"
PKI = "pki"


class FolderError(LandformError):
    """The data folder cannot be used; the message is one sentence for the user."""


class FolderInUse(FolderError):
    """Another process holds the data folder: most often a home that runs on it."""


class DataFolder:
    """A data folder that this process holds alone until `close`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = _lock(path)

    @property
    def database(self) -> Path:
        return self.path / DATABASE

    @property
    def kubeconfig(self) -> Path:
        return self.path / KUBECONFIG

    @property
    def pki(self) -> Path:
        return self.path / PKI

    def close(self) -> None:
        """Let another process in. Idempotent."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _lock(path: Path) -> int:
    """The descriptor that holds the folder; the kernel lets go of it when the process ends, however it ends."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise FolderError(_unusable(path, error)) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
        os.close(descriptor)
        if error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN):
            raise FolderError(_unusable(path, error)) from error
        raise FolderInUse(
            f"the data folder {path} is in use by another landform process{f' (pid {holder})' if holder else ''};"
            " stop that one, or choose another folder with --data"
        ) from error
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        os.close(descriptor)
        raise FolderError(_unusable(path, error)) from error
    return descriptor


def _unusable(path: Path, error: OSError) -> str:
    """What is wrong with the folder, and what to do."""
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        reason = error.strerror
        return (
            f"the data folder {path} is not writable ({reason}); change its permissions or choose another with --data"
        )
    if error.errno in (errno.ENOTDIR, errno.EEXIST):
        return f"{path} is not a folder; choose another with --data"
    if error.errno == errno.ENOSPC:
        return f"there is no space left on the disk of the data folder {path}; free some and start again"
    return f"the data folder {path} cannot be used: {error.strerror or error}"
