"""What several tests of access need: a clock that stands still, short ways to write roles and bindings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from landform.embedded.access.rbac import Policy

if TYPE_CHECKING:
    from landform.cluster.resources import Unstructured

START = datetime(2030, 1, 1, 12, 0, 0, tzinfo=UTC)


class StillClock:
    """A clock that moves only when told."""

    def __init__(self, moment: datetime = START) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return self.moment.timestamp()

    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


def rule(verbs: str, groups: str, resources: str, *names: str) -> dict[str, Any]:
    """A rule from comma-separated words; ``core`` is the core group."""
    made: dict[str, Any] = {
        "verbs": verbs.split(","),
        "apiGroups": [group.replace("core", "") for group in groups.split(",")],
        "resources": resources.split(","),
    }
    return {**made, "resourceNames": list(names)} if names else made


def paths(verbs: str, *urls: str) -> dict[str, Any]:
    return {"verbs": verbs.split(","), "nonResourceURLs": list(urls)}


def role(name: str, *rules: dict[str, Any], namespace: str = "", labels: dict[str, str] | None = None) -> Unstructured:
    """A Role, or a ClusterRole without a namespace."""
    kind = "Role" if namespace else "ClusterRole"
    return {"kind": kind, "metadata": _metadata(name, namespace, labels), "rules": list(rules)}


def binding(
    name: str, role_name: str, *subjects: str, namespace: str = "", role_kind: str = "ClusterRole"
) -> Unstructured:
    """A RoleBinding or, without a namespace, a ClusterRoleBinding; subjects like ``User:ann``."""
    return {
        "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
        "metadata": _metadata(name, namespace, None),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role_kind, "name": role_name},
        "subjects": [subject(text) for text in subjects],
    }


def subject(text: str) -> dict[str, str]:
    kind, _, name = text.partition(":")
    if kind == "ServiceAccount" and "/" in name:
        namespace, _, name = name.partition("/")
        return {"kind": kind, "name": name, "namespace": namespace}
    return {"kind": kind, "name": name}


def policy(*objects: Unstructured) -> Policy:
    """The policy of these roles and bindings."""
    kinds = ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")
    return Policy.build(*([each for each in objects if each["kind"] == kind] for kind in kinds))


def _metadata(name: str, namespace: str, labels: dict[str, str] | None) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = labels
    return metadata
