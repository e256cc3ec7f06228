"""Which fields of Kubernetes' own kinds a field selector may name, besides metadata.name and metadata.namespace."""

from __future__ import annotations

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

_ELSEWHERE = {
    ("", "events", "source"): "source.component",
    ("batch", "jobs", "status.successful"): "status.succeeded",
}


def path_of(group: str, plural: str, label: str) -> str:
    """Where the value of a selectable field stands in the object: nearly always where its name says."""
    return _ELSEWHERE.get((group, plural, label), label)
