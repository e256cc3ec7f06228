"""Completing: every item has succeeded, so their exports are collected and the job is over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.api.errors import OperationFailed
from landform.cluster.errors import NotFound
from landform.cluster.kinds import DATA_OBJECTS
from landform.cluster.resources import SECRETS
from landform.executions import exports, stations
from landform.runtime.intents import Delete

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.api.references import ObjectReference
    from landform.cluster.resources import ObjectKey, Unstructured
    from landform.executions.snapshot import Snapshot
    from landform.executions.standings import Member
    from landform.runtime.intents import Hands, Intent


def decide(snapshot: Snapshot, team: Sequence[Member]) -> list[Intent]:
    """End the job; where no item exports anything there is no DataObject either."""
    if any(_reference(member) for member in team):
        return [Collect(snapshot, tuple(team))]
    cache = snapshot.execution.status.deploy_item_cache if team else None
    outdated = [Delete(DATA_OBJECTS, snapshot.export)] if snapshot.export is not None else []
    return [*outdated, stations.succeeded(snapshot, cache, None)]


def _reference(member: Member) -> ObjectReference | None:
    return member.item.status.export_ref if member.item is not None else None


@dataclass(frozen=True)
class Collect:
    """Read what the items export, write it into the DataObject, and end the job.

    The Secrets are read from the cluster and not from a cache: a deployer writes its Secret before the status of its
    item, but two watches need not show the two in this order, and an old value would be taken for the new one.
    """

    snapshot: Snapshot
    team: tuple[Member, ...]

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        for intent in await self._intents():
            await intent.perform(hands, root)

    async def _intents(self) -> list[Intent]:
        try:
            stored = exports.stored(self.snapshot, {member.name: await self._value(member) for member in self.team})
        except OperationFailed as failure:
            return stations.failed(self.snapshot, failure)
        cache = self.snapshot.execution.status.deploy_item_cache
        return [stored, stations.succeeded(self.snapshot, cache, exports.reference(self.snapshot.execution))]

    async def _value(self, member: Member) -> dict[str, Any] | None:
        reference = _reference(member)
        if reference is None:
            return None
        own = self.snapshot.key.namespace
        if (reference.namespace or own) != own:
            raise exports.elsewhere(member.name, reference.namespace or "")
        return exports.value(member.name, await self._secret(member, reference.name))

    async def _secret(self, member: Member, name: str) -> Unstructured:
        try:
            return await self.snapshot.reader.get(SECRETS, name, namespace=self.snapshot.key.namespace)
        except NotFound:
            raise exports.missing(member.name, name) from None
