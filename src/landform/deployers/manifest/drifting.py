"""Drift: what others changed since the item was deployed, and how it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from landform.api.conditions import ConditionStatus, find
from landform.deployers.library import EventType
from landform.deployers.manifest import differences
from landform.deployers.manifest.applying import Outcome
from landform.deployers.manifest.strategies import overlaid

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from landform.cluster.resources import Unstructured
    from landform.deployers.library import Item
    from landform.deployers.manifest.applying import Applied
    from landform.deployers.manifest.objects import Wanted
    from landform.deployers.manifest.references import Identity

CONDITION: Final = "Drifted"
"""DeployItem: what is in the cluster is not what the item deployed."""

_MOST_TOLD: Final = 10
"""Objects, and fields of one object."""


def finished_object(wanted: Wanted) -> Unstructured:
    """The object as a whole job leaves it: with the patch that comes after the deployment."""
    result: Unstructured = overlaid(wanted.obj, wanted.settings.patch_after_deployment or {})
    return result


def found(applied: Iterable[Applied], known: Collection[Identity]) -> list[str]:
    """What drifted, in words, from how objects are and how they would be; `known` are those once deployed."""
    return list(_found(applied, known))


def _found(applied: Iterable[Applied], known: Collection[Identity]) -> Iterator[str]:
    for each in applied:
        reference = each.wanted.reference
        if each.outcome is Outcome.CREATED and reference.identity in known:
            yield f"{reference} was deleted"
        elif each.outcome is Outcome.WRITTEN and each.before is not None and each.live is not None:
            paths = differences.drift(each.before, each.live, _said(each.wanted))
            if paths:
                yield f"{reference} differs at {_listed(paths)}"


def _said(wanted: Wanted) -> Unstructured:
    """What the manifest says for good: not the annotations that creation overrides."""
    obj = finished_object(wanted)
    once = wanted.settings.annotate_before_create
    if not once:
        return obj
    metadata = obj.get("metadata") or {}
    annotations = {k: v for k, v in (metadata.get("annotations") or {}).items() if k not in once}
    return {**obj, "metadata": {**metadata, "annotations": annotations}}


def report(item: Item, news: list[str]) -> None:
    """Say in a condition, and if it is news by an Event, what drifted; or that nothing did."""
    last = find(item.object.status.conditions or (), CONDITION)
    if not news:
        item.condition(CONDITION, ConditionStatus.FALSE, "AsDeployed", "everything is as it was deployed")
        return
    message = _listed(news, "; ")
    item.condition(CONDITION, ConditionStatus.TRUE, "DriftDetected", message)
    if last is None or last.message != message:
        item.tell(EventType.WARNING, "DriftDetected", message)


def report_correction(item: Item, news: list[str]) -> None:
    """Say by an Event what was restored; a condition that said it was wrong is taken back."""
    if news:
        item.tell(EventType.NORMAL, "DriftCorrected", _listed(news, "; "))
    last = find(item.object.status.conditions or (), CONDITION)
    if last is not None and last.status != ConditionStatus.FALSE:
        item.condition(CONDITION, ConditionStatus.FALSE, "AsDeployed", "everything is as it was deployed")


def _listed(texts: list[str], separator: str = ", ") -> str:
    more = len(texts) - _MOST_TOLD
    return separator.join(texts[:_MOST_TOLD]) + (f"{separator}and {more} more" if more > 0 else "")
