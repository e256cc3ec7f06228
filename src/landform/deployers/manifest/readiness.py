"""Whether an object that exists is ready, judged by its kind; pure.

| Kinds                                                                          | Rules               |
|--------------------------------------------------------------------------------|---------------------|
| Pod, Deployment, StatefulSet, DaemonSet, ReplicaSet, ReplicationController     | readiness_workloads |
| Job, PersistentVolumeClaim, CustomResourceDefinition, APIService, Namespace, Service | readiness_kinds |
| every other one: `observedGeneration`, conditions Stalled, Reconciling, Ready, Available | here       |

Whatever the object looks like, there is a verdict: fields that are not what they should be count as absent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from landform.deployers.manifest import readiness_fields as fields
from landform.deployers.manifest import readiness_kinds, readiness_workloads
from landform.deployers.manifest.readiness_verdicts import Verdict, cut, ready, stuck, waiting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Verdict", "verdict"]

_RULES: Final = {**readiness_workloads.RULES, **readiness_kinds.RULES}
_STALLED: Final = "Stalled"
_RECONCILING: Final = "Reconciling"
_POSITIVE: Final = ("Ready", "Available")
"""Conditions that must be True where they exist."""


def verdict(obj: Mapping[str, Any]) -> Verdict:
    """Whether the object is ready."""
    if leaving := _leaving(obj):
        return leaving
    rule = _RULES.get((fields.group(obj), fields.text(obj, "kind")), _by_conventions)
    return rule(obj)


def _leaving(obj: Mapping[str, Any]) -> Verdict | None:
    """What to say of an object that is being deleted: however well it is, it will soon not be there."""
    metadata = fields.mapping(obj, "metadata")
    if not metadata.get("deletionTimestamp"):
        return None
    held = metadata.get("finalizers")
    if not isinstance(held, list | tuple) or not held:
        return waiting("it is being deleted")
    return waiting(f"it is being deleted, held by {cut(', '.join(map(str, held)))}")


def _by_conventions(obj: Mapping[str, Any]) -> Verdict:
    """The verdict on a kind that nothing is known of; ready if it says nothing about itself."""
    if outdated := _outdated(obj):
        return outdated
    good = None
    for condition in _decisive(fields.conditions(obj)):
        if condition.type == _STALLED:
            # Whoever says so needs help; but what it misses may be given to it without touching the object itself.
            return stuck(str(condition))
        if condition.type == _RECONCILING or condition.status != fields.TRUE:
            return waiting(str(condition))
        good = good or condition
    return ready(str(good or "it exists"))


def _outdated(obj: Mapping[str, Any]) -> Verdict | None:
    """What to say if the status, or what it is judged by, speaks of an earlier specification.

    Kinds that do not tell of which generation they speak are believed.
    """
    if fields.number(fields.mapping(obj, "status"), "observedGeneration") is not None:
        return readiness_workloads.unobserved(obj)
    wanted = fields.generation(obj)
    for condition in _decisive(fields.conditions(obj)):
        if 0 < (condition.observed_generation or 0) < wanted:
            return waiting(
                f"generation {wanted} has not been observed yet, condition {condition.type} is {condition.status} "
                f"of generation {condition.observed_generation}"
            )
    return None


def _decisive(conditions: Mapping[str, fields.Condition]) -> Iterator[fields.Condition]:
    """The conditions that decide, the bad ones only if they are so: nobody renews one that is over."""
    for type_ in (_STALLED, _RECONCILING):
        if type_ in conditions and conditions[type_].status == fields.TRUE:
            yield conditions[type_]
    yield from (conditions[type_] for type_ in _POSITIVE if type_ in conditions)
