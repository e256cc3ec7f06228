"""Values that items export after their job: told in the condition `LateData` until a job has published them.

Whether they are published is read off the values themselves, the Secret of the item against the DataObject of the
Execution. So nothing has to be remembered, and no crash can lose a change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api import anyjson, conditions, jobs
from landform.api.conditions import ConditionStatus, ConditionType
from landform.api.errors import OperationFailed
from landform.api.names import Annotation
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.executions import exports, standings, writing
from landform.kit import patches
from landform.runtime.intents import Emit
from landform.runtime.recorders import EventType

if TYPE_CHECKING:
    from datetime import datetime

    from landform.api.conditions import Condition
    from landform.api.deployitems import DeployItem
    from landform.cluster.resources import Unstructured
    from landform.executions.snapshot import Snapshot
    from landform.executions.standings import Member
    from landform.runtime.intents import Intent

REASON = "NotPublished"
"""Of the condition, and of the Event that tells of it."""


@dataclass(frozen=True)
class _News:
    """An item with values that no job has published."""

    member: Member
    since: str

    @property
    def message(self) -> str:
        return (
            f"deploy item {self.member.object_name} ({self.member.name}) exports new values since {self.since}, "
            "which no job has published yet"
        )


def decide(snapshot: Snapshot) -> list[Intent]:
    """Say of an Execution without a job, and of its items, whether there is something to publish."""
    if snapshot.is_deleted:
        return []
    news = {each.member.object_name: each for each in _news(snapshot)}
    latest = max(news.values(), key=lambda each: each.since, default=None)
    intents = [
        intent
        for item in snapshot.items
        if not jobs.is_busy(item.status)
        for intent in _of_item(item, news.get(item.metadata.name or ""), snapshot.now)
    ]
    status = snapshot.execution.status
    said = _stated(status.conditions, latest, snapshot.now)
    if said is not status.conditions:
        new = msgspec.structs.replace(status, conditions=said)
        intents.append(writing.execution_status(snapshot.execution, new))
    return intents


def _news(snapshot: Snapshot) -> list[_News]:
    """What no job has published; nothing before the first job has."""
    if not snapshot.renewed or snapshot.export is None or snapshot.execution.status.export_ref is None:
        return []
    published: dict[str, Any] = anyjson.value(snapshot.export.data) or {}
    return [
        _News(member, secret["metadata"]["annotations"][Annotation.EXPORTS_RENEWED])
        for member in standings.members(snapshot)
        if (secret := snapshot.renewed.get(member.object_name)) is not None
        and not _is_published(member, secret, published)
    ]


def _is_published(member: Member, secret: Unstructured, published: dict[str, Any]) -> bool:
    try:
        return patches.same(exports.value(member.name, secret), published.get(member.name))
    except OperationFailed:
        return True  # no job could publish it; the next one says why


def _of_item(item: DeployItem, news: _News | None, now: datetime) -> list[Intent]:
    said = _stated(item.status.conditions, news, now)
    if said is item.status.conditions:
        return []
    written: list[Intent] = [writing.item_status(item, msgspec.structs.replace(item.status, conditions=said))]
    if news is not None:
        written.append(Emit(DEPLOY_ITEMS, item, EventType.NORMAL, REASON, news.message))
    return written


def _stated(current: tuple[Condition, ...] | None, news: _News | None, now: datetime) -> tuple[Condition, ...] | None:
    if news is None:
        return conditions.without(current, ConditionType.LATE_DATA)
    known = conditions.find(current, ConditionType.LATE_DATA)
    new = conditions.updated(
        known,
        type=ConditionType.LATE_DATA,
        status=ConditionStatus.TRUE,
        reason=REASON,
        message=news.message,
        now=now,
    )
    return conditions.merged(current, new)
