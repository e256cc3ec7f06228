"""The roles and bindings that exist from the start, as plain objects.

They are Kubernetes' own, as far as they have meaning here, with two differences. What Kubernetes lets everyone read
without credentials is only health and version. And ``view``, ``edit`` and ``admin`` know Landform's kinds that live in
namespaces: ``view`` reads them except Targets, which may hold the credentials of a cluster and are kept from it as
Secrets are; ``edit`` reads and writes all of them, but not their status, which belongs to the controllers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.api.catalog import KINDS
from landform.api.structs import GROUP as LANDSCAPER
from landform.embedded.access.rbac import GROUP
from landform.embedded.access.users import AUTHENTICATED, MASTERS, UNAUTHENTICATED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.cluster.resources import Unstructured

READ = ("get", "list", "watch")
WRITE = ("create", "update", "patch", "delete", "deletecollection")

_CREDENTIALS = ("targets",)
"""Kinds of ours that may hold credentials."""

_PLAIN = tuple(info.plural for info in KINDS if info.namespaced and info.plural not in _CREDENTIALS)
_STATUS = tuple(f"{info.plural}/status" for info in KINDS if info.namespaced and info.status_subresource)


def cluster_roles() -> list[Unstructured]:
    """Every ClusterRole that exists from the start."""
    return [
        _role("cluster-admin", [_rule(["*"], ["*"], ["*"]), _paths(["*"], ["*"])]),
        _gathering("admin"),
        _gathering("edit", into="admin"),
        _gathering("view", into="edit"),
        _role("system:aggregate-to-admin", _admin_rules(), into="admin"),
        _role("system:aggregate-to-edit", _edit_rules(), into="edit"),
        _role("system:aggregate-to-view", _view_rules(), into="view"),
        _role("system:basic-user", _basic_rules()),
        _role("system:discovery", [_paths(["get"], [*_PUBLIC, *_DISCOVERY])]),
        _role("system:public-info-viewer", [_paths(["get"], _PUBLIC)]),
    ]


def cluster_role_bindings() -> list[Unstructured]:
    """Every ClusterRoleBinding that exists from the start."""
    return [
        _binding("cluster-admin", MASTERS),
        _binding("system:basic-user", AUTHENTICATED),
        _binding("system:discovery", AUTHENTICATED),
        _binding("system:public-info-viewer", AUTHENTICATED, UNAUTHENTICATED),
    ]


_PUBLIC = ("/healthz", "/livez", "/readyz", "/version", "/version/")
_DISCOVERY = ("/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*")


def _basic_rules() -> list[Unstructured]:
    return [
        _rule(["create"], ["authorization.k8s.io"], ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]),
        _rule(["create"], ["authentication.k8s.io"], ["selfsubjectreviews"]),
    ]


def _admin_rules() -> list[Unstructured]:
    return [
        _rule(["create"], ["authorization.k8s.io"], ["localsubjectaccessreviews"]),
        _rule([*READ, *WRITE], [GROUP], ["rolebindings", "roles"]),
    ]


def _edit_rules() -> list[Unstructured]:
    core_read = ["pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "secrets", "services/proxy"]
    core_write = [
        "configmaps", "events", "persistentvolumeclaims", "pods", "pods/attach", "pods/exec", "pods/portforward",
        "pods/proxy", "replicationcontrollers", "replicationcontrollers/scale", "secrets", "serviceaccounts",
        "services", "services/proxy",
    ]  # fmt: skip
    apps = [
        "daemonsets", "deployments", "deployments/rollback", "deployments/scale", "replicasets", "replicasets/scale",
        "statefulsets", "statefulsets/scale",
    ]  # fmt: skip
    return [
        _rule(READ, [""], core_read),
        _rule(["impersonate"], [""], ["serviceaccounts"]),
        _rule(WRITE, [""], core_write),
        _rule(["create"], [""], ["pods/eviction", "serviceaccounts/token"]),
        _rule(WRITE, ["apps"], apps),
        _rule(WRITE, ["autoscaling"], ["horizontalpodautoscalers"]),
        _rule(WRITE, ["batch"], ["cronjobs", "jobs"]),
        _rule(WRITE, ["networking.k8s.io"], ["ingresses", "networkpolicies"]),
        _rule(WRITE, ["policy"], ["poddisruptionbudgets"]),
        _rule([*READ, *WRITE], ["coordination.k8s.io"], ["leases"]),
        _rule([*READ, *WRITE], [LANDSCAPER], _CREDENTIALS),
        _rule(WRITE, [LANDSCAPER], _PLAIN),
    ]


def _view_rules() -> list[Unstructured]:
    core = [
        "bindings", "configmaps", "endpoints", "events", "limitranges", "namespaces", "namespaces/status",
        "persistentvolumeclaims", "persistentvolumeclaims/status", "pods", "pods/log", "pods/status",
        "replicationcontrollers", "replicationcontrollers/scale", "replicationcontrollers/status", "resourcequotas",
        "resourcequotas/status", "serviceaccounts", "services", "services/status",
    ]  # fmt: skip
    apps = [
        "controllerrevisions", "daemonsets", "daemonsets/status", "deployments", "deployments/scale",
        "deployments/status", "replicasets", "replicasets/scale", "replicasets/status", "statefulsets",
        "statefulsets/scale", "statefulsets/status",
    ]  # fmt: skip
    return [
        _rule(READ, [""], core),
        _rule(READ, ["apps"], apps),
        _rule(READ, ["autoscaling"], ["horizontalpodautoscalers", "horizontalpodautoscalers/status"]),
        _rule(READ, ["batch"], ["cronjobs", "cronjobs/status", "jobs", "jobs/status"]),
        _rule(READ, ["discovery.k8s.io"], ["endpointslices"]),
        _rule(READ, ["networking.k8s.io"], ["ingresses", "ingresses/status", "networkpolicies"]),
        _rule(READ, ["policy"], ["poddisruptionbudgets", "poddisruptionbudgets/status"]),
        _rule(READ, [LANDSCAPER], [*_PLAIN, *_STATUS]),
    ]


def _role(name: str, rules: list[Unstructured], *, into: str = "") -> Unstructured:
    """A ClusterRole; `into` is the gathering role that takes up its rules."""
    labels = {f"{GROUP}/aggregate-to-{into}": "true"} if into else {}
    return {"apiVersion": f"{GROUP}/v1", "kind": "ClusterRole", "metadata": _metadata(name, labels), "rules": rules}


def _gathering(name: str, *, into: str = "") -> Unstructured:
    selector = {"matchLabels": {f"{GROUP}/aggregate-to-{name}": "true"}}
    return {**_role(name, [], into=into), "aggregationRule": {"clusterRoleSelectors": [selector]}}


def _binding(role: str, *groups: str) -> Unstructured:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": _metadata(role, {}),
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": GROUP, "kind": "Group", "name": group} for group in groups],
    }


def _metadata(name: str, labels: dict[str, str]) -> dict[str, Any]:
    return {
        "name": name,
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults", **labels},
        "annotations": {f"{GROUP}/autoupdate": "true"},
    }


def _rule(verbs: Sequence[str], groups: Sequence[str], resources: Sequence[str]) -> Unstructured:
    return {"verbs": list(verbs), "apiGroups": list(groups), "resources": list(resources)}


def _paths(verbs: Sequence[str], urls: Sequence[str]) -> Unstructured:
    return {"verbs": list(verbs), "nonResourceURLs": list(urls)}
