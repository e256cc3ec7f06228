"""Values that were exported below after the last job: told in the condition `LateData`, and published by a new job.

The job begins by itself below a root that wants it. It is one that renews: only items work whose inputs changed. There
is never more than one at a time, and one that runs is not disturbed, because it is a job like any other.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from landform.api import conditions, jobs, phases
from landform.api.conditions import ConditionStatus, ConditionType
from landform.api.names import Annotation
from landform.installations import statuses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.api.conditions import Condition
    from landform.api.installations import InstallationStatus
    from landform.installations.snapshot import Snapshot

EVERY: Final = timedelta(seconds=30)
"""Between the beginnings of two such jobs of one root, however often values change."""

_BY_ITSELF: Final = "; a job that publishes them begins by itself"
_BY_HAND: Final = (
    "; reconcile this installation to publish them, or set spec.automaticReconcile.lateData: true to have that done"
)
_CHANGED: Final = (
    "; no job begins by itself, because the specification has changed since the last one: reconcile this installation"
)
_FAILED: Final = "; the last job could not publish them: reconcile this installation when it can"


def stated(snapshot: Snapshot, status: InstallationStatus) -> InstallationStatus:
    """The status of a finished Installation with what is to be published below it now."""
    if not phases.is_final(status.phase):
        return status
    news = _news(snapshot)
    if news is None:
        return statuses.changed(status, conditions=conditions.without(status.conditions, ConditionType.LATE_DATA))
    message = news.message + _advice(snapshot, status, news)
    now = snapshot.now
    return statuses.stated(status, ConditionType.LATE_DATA, ok=True, reason=news.reason, message=message, now=now)


def due(snapshot: Snapshot) -> datetime | None:
    """When a job begins by itself that publishes what came late; None if none does."""
    status = snapshot.status
    news = _news(snapshot) if _may_begin(snapshot) else None
    if news is None or _is_old(status, news):
        return None
    times = status.transition_times
    if not jobs.is_renewal(status.job_id) or times is None or times.trigger_time is None:
        return snapshot.now
    return times.trigger_time + EVERY


def _may_begin(snapshot: Snapshot) -> bool:
    return (
        _is_wanted(snapshot)
        and snapshot.starts_itself
        and not snapshot.is_deleted
        and phases.is_final(snapshot.status.phase)
        and Annotation.OPERATION not in snapshot.annotations
        and not _has_changed(snapshot, snapshot.status)
    )


def _is_wanted(snapshot: Snapshot) -> bool:
    spec = snapshot.installation.spec.automatic_reconcile
    return spec is not None and bool(spec.late_data)


def _has_changed(snapshot: Snapshot, status: InstallationStatus) -> bool:
    """Whether a job would bring more than late data: a specification that nobody has asked to apply yet."""
    return status.observed_generation != snapshot.installation.metadata.generation


def _is_old(status: InstallationStatus, news: Condition) -> bool:
    """Whether a job has had its chance to publish it, and failed: the same once more would only fail again."""
    begun = status.transition_times.trigger_time if status.transition_times else None
    return phases.is_failed(status.phase) and begun is not None and news.last_update_time < begun


def _advice(snapshot: Snapshot, status: InstallationStatus, news: Condition) -> str:
    """What people can do about it; said by the root alone."""
    if not snapshot.starts_itself or snapshot.is_deleted:
        return ""
    if not _is_wanted(snapshot):
        return _BY_HAND
    if _has_changed(snapshot, status):
        return _CHANGED
    return _FAILED if _is_old(status, news) else _BY_ITSELF


def _news(snapshot: Snapshot) -> Condition | None:
    """The latest of what is to be published below."""
    return max(_all_news(snapshot), key=lambda said: (said.last_update_time, said.message), default=None)


def _all_news(snapshot: Snapshot) -> Iterator[Condition]:
    for child in snapshot.below:
        said = conditions.find(child.status.conditions, ConditionType.LATE_DATA)
        if said is not None and said.status == ConditionStatus.TRUE:
            yield said
