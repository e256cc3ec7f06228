"""Which fields of Kubernetes' own kinds a field selector may name, besides metadata.name and metadata.namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded import events

if TYPE_CHECKING:
    from landform.cluster.resources import Unstructured

_EVENT_OBJECT = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")

SELECTABLE: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "pods"): (
        "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
        "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName",
    ),
    ("", "nodes"): ("spec.unschedulable",),
    ("", "replicationcontrollers"): ("status.replicas",),
    ("", "events"): (
        *(f"involvedObject.{name}" for name in _EVENT_OBJECT), "reason", "reportingComponent", "source", "type",
    ),
    ("", "namespaces"): ("status.phase",),
    ("", "secrets"): ("type",),
    ("", "services"): ("spec.clusterIP", "spec.type"),
    ("batch", "jobs"): ("status.successful",),
    ("events.k8s.io", "events"): (
        *(f"regarding.{name}" for name in _EVENT_OBJECT), "reason", "reportingController", "type",
    ),
}  # fmt: skip
"""Labels by group and plural, as the API server names them."""

_ELSEWHERE = {("batch", "jobs", "status.successful"): "status.succeeded"}
_UNSET = {
    ("", "pods", "spec.hostNetwork"): "false",
    ("", "nodes", "spec.unschedulable"): "false",
    ("", "replicationcontrollers", "status.replicas"): "0",
    ("batch", "jobs", "status.successful"): "0",
}
"""Numbers and truth values, which the API server compares with their zero where they are not there."""


def value_of(group: str, plural: str, label: str, obj: Unstructured) -> str:
    """The value of a selectable field of an object as it is stored: nearly always what stands where the label says."""
    if (group, plural) == ("events.k8s.io", "events"):
        path = events.field_in_core(label)
    elif (group, plural, label) == ("", "events", "source"):
        return events.source_of(obj)
    else:
        path = _ELSEWHERE.get((group, plural, label), label)
    value: Any = obj
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    if value is None:
        return _UNSET.get((group, plural, label), "")
    return str(value).lower() if isinstance(value, bool) else str(value)
