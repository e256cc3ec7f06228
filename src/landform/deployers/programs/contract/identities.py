"""Which item, and which run of it: the names that everything left in a sandbox goes by; pure."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from landform.deployers.programs.contract.contract import Operation


@dataclass(frozen=True)
class ItemId:
    """A deploy item, told apart from a later one of the same name."""

    namespace: str
    name: str
    uid: str

    @property
    def token(self) -> str:
        """A short name that no other item has, fit for names of objects, containers and folders."""
        return _token(self.uid)

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True)
class RunId:
    """The one run of an item's program under one job. A later job has another run, and never adopts this one's end."""

    item: ItemId
    job: str
    operation: Operation

    @property
    def token(self) -> str:
        """A short name that no other run has."""
        return _token(f"{self.item.uid}/{self.job}/{self.operation}")

    def __str__(self) -> str:
        return f"{self.item} ({self.operation}, job {self.job})"


def _token(text: str) -> str:
    return base64.b32encode(hashlib.blake2b(text.encode(), digest_size=10).digest()).decode().lower()
