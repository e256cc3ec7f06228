"""The access policy in force: the roles and bindings in the store, compiled once until one of them changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded.access import escalation
from landform.embedded.access.rbac import Policy
from landform.embedded.catalog import GroupResource

if TYPE_CHECKING:
    from landform.embedded.access.users import User
    from landform.embedded.history import Event
    from landform.embedded.store import Store

GROUP = "rbac.authorization.k8s.io"
ROLES = GroupResource(GROUP, "roles")
CLUSTER_ROLES = GroupResource(GROUP, "clusterroles")
ROLE_BINDINGS = GroupResource(GROUP, "rolebindings")
CLUSTER_ROLE_BINDINGS = GroupResource(GROUP, "clusterrolebindings")


class Policies:
    """Knows the current policy. A committed change of a role or binding counts from the next request on."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._policy: Policy | None = None
        store.history.listen(self._heard)

    def _heard(self, event: Event) -> None:
        if event.current.key.resource.group == GROUP:
            self._policy = None

    @property
    def current(self) -> Policy:
        """The policy that follows from what is stored now."""
        if self._policy is None:
            self._policy = Policy.build(
                self._decoded(ROLES),
                self._decoded(CLUSTER_ROLES),
                self._decoded(ROLE_BINDINGS),
                self._decoded(CLUSTER_ROLE_BINDINGS),
            )
        return self._policy

    def _decoded(self, resource: GroupResource) -> list[dict[str, Any]]:
        return [stored.decode() for stored in self._store.objects(resource)]

    def check_grant(self, user: User, obj: dict[str, Any], old: dict[str, Any] | None) -> None:
        """Refuse a role or binding by which the user would give rights that he does not have himself."""
        if obj["kind"] in ("Role", "ClusterRole"):
            escalation.check_role(self.current, user, obj, old=old)
        else:
            escalation.check_binding(self.current, user, obj, old=old)
