"""What the roles that exist from the start give."""

from __future__ import annotations

import pytest
from tests.embedded.access.support import binding

from landform.embedded.access.defaults import cluster_role_bindings, cluster_roles
from landform.embedded.access.rbac import Attributes, Policy
from landform.embedded.access.users import ANONYMOUS, AUTHENTICATED, User

LANDSCAPER = "landscaper.gardener.cloud"
SOMEONE = User("someone", (AUTHENTICATED,))


def bound(role: str) -> Policy:
    """Everything from the start, and ann with this role in blue."""
    return Policy.build(
        [], cluster_roles(), [binding("b", role, "User:ann", namespace="blue")], cluster_role_bindings()
    )


def may(role: str, verb: str, group: str, resource: str) -> bool:
    name, _, subresource = resource.partition("/")
    return bound(role).allows(Attributes(User("ann"), verb, group, name, subresource, namespace="blue"))


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/healthz", True),
        ("/livez", True),
        ("/readyz", True),
        ("/version", True),
        ("/healthz/etcd", False),
        ("/api", False),
        ("/apis", False),
        ("/openapi/v3", False),
        ("/metrics", False),
        ("/", False),
    ],
)
def test_anonymous_gets_nothing_but_health_and_version(path: str, allowed: bool) -> None:
    assert bound("view").allows(Attributes(ANONYMOUS, "get", path=path)) is allowed


def test_anonymous_has_no_right_on_any_resource() -> None:
    assert not [rule for rule in bound("view").rules_for(ANONYMOUS, "blue") if rule.resources]


def test_everyone_with_credentials_may_discover_and_ask_about_himself() -> None:
    there = bound("view")
    assert all(there.allows(Attributes(SOMEONE, "get", path=path)) for path in ("/api", "/apis/apps/v1", "/openapi/v3"))
    assert there.allows(Attributes(SOMEONE, "create", "authorization.k8s.io", "selfsubjectaccessreviews"))
    assert not there.allows(Attributes(SOMEONE, "create", "authorization.k8s.io", "subjectaccessreviews"))
    assert not there.allows(Attributes(SOMEONE, "get", "", "configmaps", namespace="default"))


@pytest.mark.parametrize(
    ("verb", "group", "resource", "view", "edit", "admin"),
    [
        ("get", LANDSCAPER, "installations", True, True, True),
        ("get", LANDSCAPER, "installations/status", True, True, True),
        ("patch", LANDSCAPER, "installations", False, True, True),
        ("patch", LANDSCAPER, "installations/status", False, False, False),
        ("watch", LANDSCAPER, "dataobjects", True, True, True),
        ("get", LANDSCAPER, "targets", False, True, True),
        ("delete", LANDSCAPER, "targets", False, True, True),
        ("create", LANDSCAPER, "environments", False, False, False),
        ("get", "", "configmaps", True, True, True),
        ("get", "", "secrets", False, True, True),
        ("create", "", "serviceaccounts/token", False, True, True),
        ("create", "apps", "deployments", False, True, True),
        ("create", "rbac.authorization.k8s.io", "roles", False, False, True),
        ("create", "authorization.k8s.io", "localsubjectaccessreviews", False, False, True),
        ("create", "", "namespaces", False, False, False),
    ],
)
def test_view_reads_edit_writes_admin_delegates(
    verb: str, group: str, resource: str, view: bool, edit: bool, admin: bool
) -> None:
    assert [may(role, verb, group, resource) for role in ("view", "edit", "admin")] == [view, edit, admin]
    assert may("cluster-admin", verb, group, resource)


def test_every_default_object_is_marked_as_one() -> None:
    for obj in [*cluster_roles(), *cluster_role_bindings()]:
        assert obj["metadata"]["labels"]["kubernetes.io/bootstrapping"] == "rbac-defaults"


def test_every_default_binding_names_a_role_that_exists() -> None:
    known = {role["metadata"]["name"] for role in cluster_roles()}
    assert {each["roleRef"]["name"] for each in cluster_role_bindings()} <= known
