"""The words in which ownership scenarios are written: who does what to one object."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One request. `verb` is create, put, merge, strategic or apply."""

    verb: str
    manager: str
    body: Json
    """The object, the patch, or for put the change (a merge patch) that the client makes to what it has read."""

    force: bool = False
    subresource: str = ""
    managed: Any = "keep"
    """For put: what the client sends as managedFields: what it has read ("keep"), nothing ("drop"), or this list."""

    same_second: bool = False
    """Done in the same second as the step before."""

    version: str = ""
    """Another version of the API than the scenario's own."""

    def to_json(self) -> Json:
        """The step without what is as usual."""
        return {key: value for key, value in asdict(self).items() if value not in ("", False, "keep")}


@dataclass(frozen=True)
class Scenario:
    """What several managers do to one object."""

    name: str
    kind: str
    steps: tuple[Step, ...]


def create(manager: str, body: Json, **more: Any) -> Step:
    """POST the object."""
    return Step("create", manager, body, **more)


def put(manager: str, change: Json, **more: Any) -> Step:
    """Read the object, change it, and PUT it."""
    return Step("put", manager, change, **more)


def merge(manager: str, patch: Json, **more: Any) -> Step:
    """JSON merge patch."""
    return Step("merge", manager, patch, **more)


def strategic(manager: str, patch: Json, **more: Any) -> Step:
    """Strategic merge patch."""
    return Step("strategic", manager, patch, **more)


def apply(manager: str, body: Json, **more: Any) -> Step:
    """Server-side apply."""
    return Step("apply", manager, body, **more)
