"""What a repository of component versions is to everybody else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

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
