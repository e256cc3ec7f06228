"""Rows of what runs pods: Deployments, Jobs and their like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded.tables import ages
from landform.embedded.tables.parts import (
    AGE,
    NONE,
    UNSET,
    Printer,
    age_of,
    at,
    condition_status,
    containers_of,
    count_at,
    first_few,
    flag,
    items_at,
    labels_text,
    number,
    printer,
    selector_text,
    text,
    text_at,
    wide,
)
from landform.embedded.tables.pods import PODS
from landform.kit.clocks import parse_rfc3339

if TYPE_CHECKING:
    from datetime import datetime

    from landform.cluster.resources import Unstructured

_TEMPLATE_COLUMNS = (wide("Containers"), wide("Images"), wide("Selector"))


def _desired(obj: Unstructured) -> int:
    """Wanted replicas; the API server fills in 1 where nothing is said."""
    replicas = at(obj, "spec", "replicas")
    return 1 if replicas is None else int(replicas)


def _template(obj: Unstructured) -> list[str]:
    """The wide cells of what has a pod template and a selector."""
    pod_spec = at(obj, "spec", "template", "spec") or {}
    return [*containers_of(pod_spec), selector_text(at(obj, "spec", "selector"))]


def _deployment(obj: Unstructured, now: datetime) -> list[Any]:
    return [
        f"{count_at(obj, 'status', 'readyReplicas')}/{_desired(obj)}",
        count_at(obj, "status", "updatedReplicas"),
        count_at(obj, "status", "availableReplicas"),
        age_of(obj, now),
        *_template(obj),
    ]


def _stateful_set(obj: Unstructured, now: datetime) -> list[Any]:
    ready = f"{count_at(obj, 'status', 'readyReplicas')}/{_desired(obj)}"
    return [ready, age_of(obj, now), *_template(obj)[:2]]


def _daemon_set(obj: Unstructured, now: datetime) -> list[Any]:
    counts = (
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    )
    node_selector = labels_text(at(obj, "spec", "template", "spec", "nodeSelector"))
    return [*(count_at(obj, "status", name) for name in counts), node_selector, age_of(obj, now), *_template(obj)]


def _replicas(obj: Unstructured) -> list[int]:
    return [_desired(obj), count_at(obj, "status", "replicas"), count_at(obj, "status", "readyReplicas")]


def _replica_set(obj: Unstructured, now: datetime) -> list[Any]:
    return [*_replicas(obj), age_of(obj, now), *_template(obj)]


def _replication_controller(obj: Unstructured, now: datetime) -> list[Any]:
    return [*_replicas(obj), age_of(obj, now), *_template(obj)[:2], labels_text(at(obj, "spec", "selector"))]


def _controller_revision(obj: Unstructured, now: datetime) -> list[Any]:
    controller = NONE
    for owner in items_at(obj, "metadata", "ownerReferences"):
        if owner.get("controller"):
            group = text_at(owner, "apiVersion").rpartition("/")[0]
            kind = text_at(owner, "kind") + (f".{group}" if group else "")
            controller = f"{kind.lower()}/{text_at(owner, 'name')}"
    return [controller, count_at(obj, "revision"), age_of(obj, now)]


_JOB_STATES = {
    "Complete": "Complete",
    "Failed": "Failed",
    "": "Terminating",
    "Suspended": "Suspended",
    "FailureTarget": "FailureTarget",
    "SuccessCriteriaMet": "SuccessCriteriaMet",
}
"""Conditions of a Job and the words for them, the telling ones first; a job being deleted stands in between."""


def _job_state(obj: Unstructured) -> str:
    for condition, word in _JOB_STATES.items():
        if not condition and at(obj, "metadata", "deletionTimestamp"):
            return word
        if condition and condition_status(obj, condition) == "True":
            return word
    return "Running"


def _job(obj: Unstructured, now: datetime) -> list[Any]:
    succeeded = count_at(obj, "status", "succeeded")
    completions, parallelism = at(obj, "spec", "completions"), count_at(obj, "spec", "parallelism")
    wanted = (f"1 of {parallelism}" if parallelism > 1 else "1") if completions is None else str(completions)
    return [_job_state(obj), f"{succeeded}/{wanted}", _job_duration(obj, now), age_of(obj, now), *_template(obj)]


def _job_duration(obj: Unstructured, now: datetime) -> str:
    started, completed = at(obj, "status", "startTime"), at(obj, "status", "completionTime")
    if not started:
        return ""
    return ages.since(started, parse_rfc3339(completed) if completed else now)


def _cron_job(obj: Unstructured, now: datetime) -> list[Any]:
    suspend = at(obj, "spec", "suspend")
    last = at(obj, "status", "lastScheduleTime")
    job = at(obj, "spec", "jobTemplate") or {}
    return [
        text_at(obj, "spec", "schedule"),
        text_at(obj, "spec", "timeZone", absent=NONE),
        UNSET if suspend is None else str(bool(suspend)),
        len(items_at(obj, "status", "active")),
        ages.since(last, now) if last else NONE,
        age_of(obj, now),
        *_template(job),
    ]


def _pod_template(obj: Unstructured, now: datetime) -> list[Any]:
    template = at(obj, "template") or {}
    return [*containers_of(at(template, "spec") or {}), labels_text(at(template, "metadata", "labels"))]


def _disruption_budget(obj: Unstructured, now: datetime) -> list[Any]:
    return [
        text_at(obj, "spec", "minAvailable", absent="N/A"),
        text_at(obj, "spec", "maxUnavailable", absent="N/A"),
        count_at(obj, "status", "disruptionsAllowed"),
        age_of(obj, now),
    ]


def _autoscaler(obj: Unstructured, now: datetime) -> list[Any]:
    target = at(obj, "spec", "scaleTargetRef") or {}
    return [
        f"{text_at(target, 'kind')}/{text_at(target, 'name')}",
        _metrics(obj),
        text_at(obj, "spec", "minReplicas", absent=UNSET),
        count_at(obj, "spec", "maxReplicas"),
        count_at(obj, "status", "currentReplicas"),
        age_of(obj, now),
    ]


def _metrics(obj: Unstructured) -> str:
    """Current and wanted values of an autoscaler; version 1 knows only one."""
    wanted = at(obj, "spec", "targetCPUUtilizationPercentage")
    if wanted is not None:
        current = at(obj, "status", "currentCPUUtilizationPercentage")
        return f"cpu: {ages.UNKNOWN if current is None else f'{current}%'}/{wanted}%"
    statuses = items_at(obj, "status", "currentMetrics")
    specs = items_at(obj, "spec", "metrics")
    texts = [_metric(spec, statuses[i] if i < len(statuses) else {}) for i, spec in enumerate(specs)]
    return first_few(texts, 2, separator=", ", empty=NONE)


def _metric(spec: Unstructured, status: Unstructured) -> str:
    source = text_at(spec, "type")
    key = source[:1].lower() + source[1:]
    target, current = at(spec, key, "target") or {}, at(status, key, "current") or {}
    named = f"{text_at(spec, key, 'name')}: " if source in ("Resource", "ContainerResource") else ""
    if "averageValue" in target:
        average = " (avg)" if source in ("External", "Object") else ""
        now = text_at(current, "averageValue", absent=ages.UNKNOWN)
        return f"{named}{now}/{target['averageValue']}{average}"
    if named:
        use = "averageUtilization"
        now = f"{current[use]}%" if use in current else ages.UNKNOWN
        return f"{named}{now}/{target[use]}%" if use in target else f"{named}{now}/<auto>"
    return f"{text_at(current, 'value', absent=ages.UNKNOWN)}/{text_at(target, 'value')}"


_REPLICA_COLUMNS = (number("Desired"), number("Current"), number("Ready"), AGE, *_TEMPLATE_COLUMNS)

PRINTERS: dict[tuple[str, str], Printer] = {
    ("", "pods"): PODS,
    ("", "podtemplates"): printer((text("Containers"), text("Images"), text("Pod Labels")), _pod_template),
    ("", "replicationcontrollers"): printer(_REPLICA_COLUMNS, _replication_controller),
    ("apps", "deployments"): printer(
        (text("Ready"), text("Up-to-date"), text("Available"), AGE, *_TEMPLATE_COLUMNS), _deployment
    ),
    ("apps", "statefulsets"): printer((text("Ready"), AGE, *_TEMPLATE_COLUMNS[:2]), _stateful_set),
    ("apps", "daemonsets"): printer(
        (
            number("Desired"),
            number("Current"),
            number("Ready"),
            number("Up-to-date"),
            number("Available"),
            text("Node Selector"),
            AGE,
            *_TEMPLATE_COLUMNS,
        ),
        _daemon_set,
    ),
    ("apps", "replicasets"): printer(_REPLICA_COLUMNS, _replica_set),
    ("apps", "controllerrevisions"): printer((text("Controller"), text("Revision"), AGE), _controller_revision),
    ("batch", "jobs"): printer((text("Status"), text("Completions"), text("Duration"), AGE, *_TEMPLATE_COLUMNS), _job),
    ("batch", "cronjobs"): printer(
        (
            text("Schedule"),
            text("Timezone"),
            flag("Suspend"),
            number("Active"),
            text("Last Schedule"),
            AGE,
            *_TEMPLATE_COLUMNS,
        ),
        _cron_job,
    ),
    ("policy", "poddisruptionbudgets"): printer(
        (text("Min Available"), text("Max Unavailable"), number("Allowed Disruptions"), AGE), _disruption_budget
    ),
    ("autoscaling", "horizontalpodautoscalers"): printer(
        (text("Reference"), text("Targets"), text("MinPods"), text("MaxPods"), text("Replicas"), AGE), _autoscaler
    ),
}
