"""What a repository of component versions is to everybody else."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from landform.components import descriptors
from landform.components.errors import DescriptorError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.components.artifacts import Artifact
    from landform.components.blobs import Blob


@dataclass(frozen=True)
class Stored:
    """A component version as a repository holds it."""

    descriptor: Mapping[str, Any]
    """Its descriptor, in the shape of v2."""

    schema: str
    """The schema that it is stored in."""

    artifact: Artifact | None = None
    """The artifact that holds it, where artifacts do."""


_LARGE = 64 * 1024
"""Bytes of a descriptor from which on reading it would keep others waiting."""


async def read(document: bytes, where: str, artifact: Artifact | None = None) -> Stored:
    """The component version of a descriptor as it is stored; `where` is named in errors."""
    if len(document) > _LARGE:
        return await asyncio.to_thread(_read, document, where, artifact)
    return _read(document, where, artifact)


def _read(document: bytes, where: str, artifact: Artifact | None) -> Stored:
    try:
        value = descriptors.parse(document)
        return Stored(descriptors.read(value), descriptors.schema_version(value), artifact)
    except DescriptorError as error:
        raise DescriptorError(f"{error} (in {where})") from error


class Repository(Protocol):
    """A place that holds component versions. Nothing can be written to it."""

    async def component(self, name: str, version: str) -> Stored:
        """A component version; NotFound if it is not here, other errors if nobody can tell."""
        ...

    async def versions(self, name: str) -> list[str]:
        """The versions of a component that are here, in no particular order."""
        ...

    async def local_content(self, stored: Stored, access: Mapping[str, Any], limit: int) -> Blob | Artifact:
        """What a local access names: content that belongs to the component version and is stored with it."""
        ...

    def describe(self) -> str:
        """What to call it in errors."""
        ...
