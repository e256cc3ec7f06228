"""How much may be read: bounds for everything that comes from a repository."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """Bounds in bytes and numbers; whatever is over one is refused with TooLarge."""

    manifest: int = 4 * MEBIBYTE
    """One OCI manifest or index; registries themselves allow no more."""

    descriptor: int = 16 * MEBIBYTE
    """One component descriptor, unpacked."""

    content: int = 512 * MEBIBYTE
    """One resource, as it is stored."""

    unpacked: int = 256 * MEBIBYTE
    """All files of one archive together, unpacked: a few kilobytes can stand for terabytes."""

    entries: int = 20_000
    """Files and folders in one archive."""

    references: int = 2_000
    """Component versions that one can lead to."""


DEFAULT = Limits()
"""What holds where nobody says otherwise."""
