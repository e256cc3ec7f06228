"""DataObject: a value that flows between Installations."""

from __future__ import annotations

from landform.api import anyjson
from landform.api.anyjson import AnyJSON
from landform.api.structs import Kind


class DataObject(Kind):
    """A value that flows between Installations."""

    data: AnyJSON
    """The value: any JSON."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "data")
