"""Rows of what administers a cluster: role bindings, leases, webhooks, classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded.tables.parts import (
    AGE,
    NAME,
    Printer,
    age_of,
    at,
    count_at,
    flag,
    items_at,
    name_of,
    number,
    printer,
    text,
    text_at,
    wide,
)

if TYPE_CHECKING:
    from datetime import datetime

    from landform.cluster.resources import Unstructured

_DEFAULT_CLASS = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def _binding(obj: Unstructured, now: datetime) -> list[Any]:
    subjects = items_at(obj, "subjects")
    users = [text_at(s, "name") for s in subjects if s.get("kind") == "User"]
    groups = [text_at(s, "name") for s in subjects if s.get("kind") == "Group"]
    accounts = [
        f"{text_at(s, 'namespace')}/{text_at(s, 'name')}" for s in subjects if s.get("kind") == "ServiceAccount"
    ]
    role = f"{text_at(obj, 'roleRef', 'kind')}/{text_at(obj, 'roleRef', 'name')}"
    return [role, age_of(obj, now), ", ".join(users), ", ".join(groups), ", ".join(accounts)]


def _lease(obj: Unstructured, now: datetime) -> list[Any]:
    return [text_at(obj, "spec", "holderIdentity"), age_of(obj, now)]


def _webhooks(obj: Unstructured, now: datetime) -> list[Any]:
    return [len(items_at(obj, "webhooks")), age_of(obj, now)]


def _priority_class(obj: Unstructured, now: datetime) -> list[Any]:
    default = bool(at(obj, "globalDefault"))
    return [count_at(obj, "value"), default, age_of(obj, now), text_at(obj, "preemptionPolicy")]


def _runtime_class(obj: Unstructured, now: datetime) -> list[Any]:
    return [text_at(obj, "handler"), age_of(obj, now)]


def _storage_class(obj: Unstructured, now: datetime) -> list[Any]:
    annotations = at(obj, "metadata", "annotations") or {}
    is_default = any(annotations.get(name) == "true" for name in _DEFAULT_CLASS)
    return [
        name_of(obj) + (" (default)" if is_default else ""),
        text_at(obj, "provisioner"),
        text_at(obj, "reclaimPolicy", absent="Delete"),
        text_at(obj, "volumeBindingMode", absent="Immediate"),
        bool(at(obj, "allowVolumeExpansion")),
        age_of(obj, now),
    ]


def _api_service(obj: Unstructured, now: datetime) -> list[Any]:
    service = at(obj, "spec", "service")
    where = f"{text_at(service, 'namespace')}/{text_at(service, 'name')}" if service else "Local"
    available = "Unknown"
    for condition in items_at(obj, "status", "conditions"):
        if condition.get("type") == "Available":
            status, reason = text_at(condition, "status"), text_at(condition, "reason")
            available = f"{status} ({reason})" if reason and status != "True" else status
    return [where, available, age_of(obj, now)]


_BINDINGS = printer((text("Role"), AGE, wide("Users"), wide("Groups"), wide("ServiceAccounts")), _binding)
_WEBHOOKS = printer((number("Webhooks"), AGE), _webhooks)

PRINTERS: dict[tuple[str, str], Printer] = {
    ("rbac.authorization.k8s.io", "rolebindings"): _BINDINGS,
    ("rbac.authorization.k8s.io", "clusterrolebindings"): _BINDINGS,
    ("coordination.k8s.io", "leases"): printer((text("Holder"), AGE), _lease),
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"): _WEBHOOKS,
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"): _WEBHOOKS,
    ("scheduling.k8s.io", "priorityclasses"): printer(
        (number("Value"), flag("Global-Default"), AGE, text("PreemptionPolicy")), _priority_class
    ),
    ("node.k8s.io", "runtimeclasses"): printer((text("Handler"), AGE), _runtime_class),
    ("storage.k8s.io", "storageclasses"): Printer(
        (
            NAME,
            text("Provisioner"),
            text("ReclaimPolicy"),
            text("VolumeBindingMode"),
            text("AllowVolumeExpansion"),
            AGE,
        ),
        _storage_class,
    ),
    ("apiregistration.k8s.io", "apiservices"): printer((text("Service"), text("Available"), AGE), _api_service),
}
