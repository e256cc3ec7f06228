"""What the wait container may do: its ServiceAccount, and the Role that names this run's own objects; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster.resources import SERVICE_ACCOUNTS, untyped
from landform.deployers.programs.pods import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.deployers.programs.contract.identities import ItemId, RunId

_RBAC = "rbac.authorization.k8s.io"

ROLES = untyped(f"{_RBAC}/v1", "Role", "roles")
ROLE_BINDINGS = untyped(f"{_RBAC}/v1", "RoleBinding", "rolebindings")


def service_account(item: ItemId, identity: str) -> dict[str, Any]:
    """The account of an item's pods. It is there as long as anything of the item is: first made, last removed."""
    metadata = names.item_metadata(item, names.account_name(item), identity)
    return {"metadata": metadata, "automountServiceAccountToken": False}


def rules(run: RunId, slots: Sequence[str]) -> list[dict[str, Any]]:
    """Only objects that were made for this run, each by its name."""
    secrets = [names.result_name(run), *slots]
    return [
        {"apiGroups": [""], "resources": ["pods"], "resourceNames": [names.pod_name(run)], "verbs": ["get", "watch"]},
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": secrets, "verbs": ["get", "update", "patch"]},
    ]


def role(run: RunId, identity: str, slots: Sequence[str]) -> dict[str, Any]:
    """The Role of one run."""
    return {"metadata": names.run_metadata(run, names.pod_name(run), identity), "rules": rules(run, slots)}


def role_binding(run: RunId, identity: str, namespace: str) -> dict[str, Any]:
    """Gives the item's account the Role of its run."""
    return {
        "metadata": names.run_metadata(run, names.pod_name(run), identity),
        "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": names.pod_name(run)},
        "subjects": [
            {"kind": SERVICE_ACCOUNTS.kind, "name": names.account_name(run.item), "namespace": namespace},
        ],
    }
