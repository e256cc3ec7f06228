"""Plans: what a deployer would do for an item, told before anything is done; pure."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any


class Action(enum.StrEnum):
    """What would become of an object."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    LEAVE = "leave"
    """Nothing: it is as wanted, or none of the item's business."""


@dataclass(frozen=True)
class FieldChange:
    """A field that would have another value."""

    path: str
    """Such as ``.spec.replicas``."""

    old: Any
    """None if it is not there now."""

    new: Any
    """None if it would not be there any more."""


@dataclass(frozen=True)
class Change:
    """An object and what would become of it."""

    action: Action
    api_version: str
    kind: str
    name: str
    namespace: str = ""
    fields: tuple[FieldChange, ...] = ()
    """With UPDATE: what would be different. No value of a Secret is in here."""

    why: str = ""
    """For people: why it would be left, or why the cluster would refuse it."""

    is_refused: bool = False
    """Whether the cluster would refuse it."""


@dataclass(frozen=True)
class Plan:
    """What a deployer would do for an item."""

    changes: tuple[Change, ...] = ()

    def of(self, action: Action) -> list[Change]:
        """The changes of one kind."""
        return [change for change in self.changes if change.action is action]
