"""The names of access methods, and their attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.components.errors import DescriptorError

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = {
    "localBlob": ("localBlob", "LocalBlob"),
    "localOciBlob": ("localOciBlob",),
    "localFilesystemBlob": ("localFilesystemBlob",),
    "ociArtifact": ("ociArtifact", "ociRegistry", "OCIImage", "ociImage"),
    "relativeOciReference": ("relativeOciReference",),
    "ociBlob": ("ociBlob", "OCIImageLayer"),
    "helm": ("helm", "Helm"),
    "none": ("none", "None"),
}
_BY_NAME = {alias: kind for kind, aliases in _KINDS.items() for alias in aliases}

LOCAL = frozenset({"localBlob", "localOciBlob", "localFilesystemBlob", "relativeOciReference"})
"""Accesses that only the repository of the component version can follow."""

SUPPORTED = tuple(_KINDS)


def kind(access: Mapping[str, Any]) -> str | None:
    """The access method under its own name, whatever alias and version it is written with; None if it is unknown."""
    return _BY_NAME.get(str(access["type"]).removesuffix("/v1"))


def attribute(access: Mapping[str, Any], name: str) -> Any:
    """An attribute that must be there."""
    value = optional(access, name)
    if value is None:
        raise DescriptorError(f"an access of type {access['type']!r} needs the attribute {name!r}")
    return value


def optional(access: Mapping[str, Any], name: str) -> Any:
    """An attribute; None if it is not there, or empty. Its name is matched without regard to case, as it always was."""
    for key, value in access.items():
        if key.lower() == name.lower() and value:
            return value
    return None
