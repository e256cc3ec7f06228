"""ComponentVersionOverwrites: other components in the place of those that are referred to."""

from __future__ import annotations

from landform.api import anyjson
from landform.api.anyjson import ABSENT
from landform.api.structs import Kind, ObjectJSON, Part


class ComponentVersionReference(Part):
    """A component version; what is absent matches anything, or stays as it is."""

    repository_context: ObjectJSON = ABSENT
    """The repository, with its `type`."""

    component_name: str | None = None
    """Name of the component."""

    version: str | None = None
    """Version of the component."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "repository_context")


class ComponentVersionOverwrite(Part):
    """One replacement."""

    source: ComponentVersionReference
    """Which references it applies to."""

    substitution: ComponentVersionReference
    """What they become."""


class ComponentVersionOverwrites(Kind):
    """Other components in the place of those that are referred to; a Context names the object."""

    overwrites: tuple[ComponentVersionOverwrite, ...] | None = None
    """The replacements, specific ones before generic ones."""
