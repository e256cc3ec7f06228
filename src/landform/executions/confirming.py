"""Certainty where a cache is not enough: is an item gone, or has its creation only not been seen yet?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.cluster.errors import NotFound
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.runtime.errors import Retry

if TYPE_CHECKING:
    from landform.cluster.resources import ObjectKey
    from landform.executions.snapshot import Snapshot
    from landform.runtime.intents import Hands


@dataclass(frozen=True)
class Gone:
    """Go on only if the named items are really gone.

    A replica that takes an Execution over may see what the last owner wrote to it before it sees the items that were
    created. To take those for deleted would fail a job for nothing, or leave them behind without an owner.
    """

    snapshot: Snapshot
    object_names: tuple[str, ...]

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        reader, namespace = self.snapshot.reader, self.snapshot.key.namespace
        for name in self.object_names:
            try:
                await reader.get(DEPLOY_ITEMS, name, namespace=namespace)
            except NotFound:
                continue
            raise Retry(f"deploy item {name} is there, though it has not been seen yet")
