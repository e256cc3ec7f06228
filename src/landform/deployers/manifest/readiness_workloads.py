"""When the kinds that run pods are ready: by the rules that items have always been able to count on.

Conditions that explain why a number is not reached are told with it, but do not decide.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from landform.deployers.manifest import readiness_fields as fields
from landform.deployers.manifest.readiness_verdicts import cut, failed, ready, stuck, waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from landform.deployers.manifest.readiness_verdicts import Verdict

_PERCENTAGE: Final = re.compile(r"([0-9]{1,9})%")
_REPLICA_FAILURE: Final = "ReplicaFailure"
_DEADLINE: Final = "ProgressDeadlineExceeded"


def pod(obj: Mapping[str, Any]) -> Verdict:
    """Ready when its condition Ready is True, or when it has done its work."""
    status, conditions = fields.mapping(obj, "status"), fields.conditions(obj)
    phase, condition = fields.text(status, "phase"), conditions.get("Ready")
    if phase == "Succeeded" or (condition is not None and condition.reason == "PodCompleted"):
        return ready("the pod has completed")
    if phase == "Failed":
        # A pod in this phase is not started again, whatever its restart policy is.
        return failed(_because("the pod has failed", _told(status)))
    if condition is not None and condition.status == fields.TRUE:
        return ready(str(condition))
    # A pod without a node has no condition Ready yet; what the scheduler says of it explains why.
    scheduled = conditions.get("PodScheduled")
    first = condition or (scheduled if scheduled is not None and scheduled.status != fields.TRUE else None)
    return waiting("; ".join([str(first or "the pod has no condition Ready yet"), *_waiting_containers(status)]))


def deployment(obj: Mapping[str, Any]) -> Verdict:
    """Ready when exactly as many pods exist as are wanted, and all are of the newest template and available."""
    if outdated := unobserved(obj):
        return outdated
    status, wanted = fields.mapping(obj, "status"), fields.count(fields.mapping(obj, "spec"), "replicas")
    existing, updated, available = (
        fields.count(status, field) for field in ("replicas", "updatedReplicas", "availableReplicas")
    )
    if updated < wanted:
        return _not_yet(obj, f"{updated} of {wanted} replicas are updated")
    # Pods of the previous template count too: while they still run, requests may still meet them.
    if max(existing, updated, available) > wanted:
        return _not_yet(obj, f"{max(existing, updated, available)} replicas exist where {wanted} are wanted")
    if available < wanted:
        return _not_yet(obj, f"{available} of {wanted} replicas are available")
    if existing < wanted:
        return _not_yet(obj, f"{existing} of {wanted} replicas exist")
    return ready(f"{available} of {wanted} replicas are available")


def stateful_set(obj: Mapping[str, Any]) -> Verdict:
    """Ready when enough pods are of the newest template, and enough are available."""
    if outdated := unobserved(obj):
        return outdated
    status, wanted = fields.mapping(obj, "status"), _replicas(obj)
    updated, available = fields.count(status, "updatedReplicas"), fields.count(status, "availableReplicas")
    if updated < wanted:
        return _not_yet(obj, f"{updated} of {wanted} replicas are updated")
    if available < wanted:
        return _not_yet(obj, f"{available} of {wanted} replicas are available")
    return ready(f"{available} of {wanted} replicas are available")


def daemon_set(obj: Mapping[str, Any]) -> Verdict:
    """Ready when pods are scheduled to all nodes but those that an update may leave without."""
    if outdated := unobserved(obj):
        return outdated
    status = fields.mapping(obj, "status")
    desired, scheduled = (fields.count(status, f"{each}NumberScheduled") for each in ("desired", "current"))
    spared = _max_unavailable(obj, desired)
    told = f"{scheduled} of {desired} pods are scheduled"
    if scheduled >= desired - spared:
        return ready(told)
    return _not_yet(obj, f"{told}, at least {desired - spared} must be" if spared else told)


def replica_set(obj: Mapping[str, Any]) -> Verdict:
    """Ready when enough pods are ready and none was refused; for a ReplicationController too."""
    if outdated := unobserved(obj):
        return outdated
    failure = fields.conditions(obj).get(_REPLICA_FAILURE)
    if failure is not None and failure.status != fields.FALSE:
        return waiting(str(failure))
    wanted, ready_ones = _replicas(obj), fields.count(fields.mapping(obj, "status"), "readyReplicas")
    told = f"{ready_ones} of {wanted} replicas are ready"
    return ready(told) if ready_ones >= wanted else waiting(told)


def unobserved(obj: Mapping[str, Any]) -> Verdict | None:
    """What to say if the status does not speak of the present specification; a status without a number does not."""
    wanted, seen = fields.generation(obj), fields.count(fields.mapping(obj, "status"), "observedGeneration")
    if seen >= wanted:
        return None
    return waiting(f"generation {wanted} has not been observed yet, the status is of generation {seen}")


RULES: Final[Mapping[tuple[str, str], Callable[[Mapping[str, Any]], Verdict]]] = {
    ("", "Pod"): pod,
    ("apps", "Deployment"): deployment,
    ("apps", "StatefulSet"): stateful_set,
    ("apps", "DaemonSet"): daemon_set,
    ("apps", "ReplicaSet"): replica_set,
    ("", "ReplicationController"): replica_set,
}
"""The rules by group and kind."""


def _replicas(obj: Mapping[str, Any]) -> int:
    said = fields.number(fields.mapping(obj, "spec"), "replicas")
    return 1 if said is None else said


def _max_unavailable(obj: Mapping[str, Any], desired: int) -> int:
    """How many pods an update may take away at a time; a percentage is rounded down, what makes no sense is 0."""
    strategy = fields.mapping(obj, "spec", "updateStrategy")
    if fields.text(strategy, "type") != "RollingUpdate":
        return 0
    rolling = fields.mapping(strategy, "rollingUpdate")
    if percentage := _PERCENTAGE.fullmatch(fields.text(rolling, "maxUnavailable")):
        return desired * int(percentage[1]) // 100
    return fields.count(rolling, "maxUnavailable")


def _not_yet(obj: Mapping[str, Any], told: str) -> Verdict:
    """Not ready, with the conditions of the object that say what is wrong."""
    conditions = fields.conditions(obj)
    failure, progress = conditions.get(_REPLICA_FAILURE), conditions.get("Progressing")
    bad = [failure] if failure is not None and failure.status == fields.TRUE else []
    bad += [progress] if progress is not None and progress.status == fields.FALSE else []
    why = "; ".join([told, *map(str, bad)])
    # A Deployment that exceeded its deadline goes on trying, so this is no failure for good.
    is_late = progress in bad and progress is not None and progress.reason == _DEADLINE
    return stuck(why) if is_late else waiting(why)


def _waiting_containers(status: Mapping[str, Any]) -> Iterator[str]:
    """What holds the containers that do not run: ``container web is waiting: ImagePullBackOff: no such image``."""
    for field in ("initContainerStatuses", "containerStatuses"):
        for container in fields.mappings(status, field):
            held = fields.mapping(container, "state", "waiting")
            # Every container starts with these two, and they explain nothing.
            if fields.text(held, "reason") not in ("", "PodInitializing", "ContainerCreating"):
                yield _because(f"container {cut(fields.text(container, 'name'))} is waiting", _told(held))


def _told(said: Mapping[str, Any]) -> str:
    """The reason and the message that something has."""
    return ": ".join(part for part in (cut(fields.text(said, "reason")), cut(fields.text(said, "message"))) if part)


def _because(what: str, why: str) -> str:
    return f"{what}: {why}" if why else what
