"""No one gives away rights he does not have."""

from __future__ import annotations

import pytest
from tests.embedded.access.support import binding, paths, policy, role, rule

from landform.cluster.errors import Forbidden, NotFound
from landform.embedded.access.escalation import check_binding, check_role
from landform.embedded.access.users import ADMIN, User

ANN = User("ann", ("devs",))
READER = rule("get,list", "core", "pods")
RBAC = "rbac.authorization.k8s.io"


def test_a_role_with_rights_that_the_writer_has_may_be_written() -> None:
    there = policy(role("own", READER), binding("b", "own", "User:ann", namespace="blue"))
    check_role(there, ANN, role("new", rule("get", "core", "pods"), namespace="blue"))


def test_a_role_with_other_rights_is_refused_with_the_rights_that_lack() -> None:
    there = policy(role("own", READER), binding("b", "own", "User:ann", namespace="blue"))
    with pytest.raises(Forbidden) as refusal:
        check_role(there, ANN, role("new", rule("get,delete,watch", "core", "pods,secrets"), namespace="blue"))
    assert str(refusal.value) == (
        'roles.rbac.authorization.k8s.io "new" is forbidden: user "ann" (groups=["devs"]) is attempting to grant RBAC '
        "permissions not currently held:\n"
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "watch"]}\n'
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete" "watch"]}'
    )


def test_rights_in_one_namespace_do_not_allow_a_role_in_another_or_everywhere() -> None:
    there = policy(role("own", READER), binding("b", "own", "User:ann", namespace="blue"))
    with pytest.raises(Forbidden):
        check_role(there, ANN, role("new", READER, namespace="red"))
    with pytest.raises(Forbidden):
        check_role(there, ANN, role("new", READER))


def test_the_verb_escalate_and_the_admin_are_free_to_write_any_role() -> None:
    there = policy(role("escalator", rule("escalate", RBAC, "clusterroles")), binding("b", "escalator", "User:ann"))
    check_role(there, ANN, role("new", rule("*", "*", "*"), paths("*", "*")))
    check_role(policy(), ADMIN, role("new", rule("*", "*", "*")))


def test_only_holders_of_everything_may_decide_what_a_role_gathers() -> None:
    gathering = {**role("g"), "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}}
    almost = policy(role("own", rule("get,create,update", "*", "*")), binding("b", "own", "User:ann"))
    with pytest.raises(Forbidden, match="must have cluster-admin privileges to use the aggregationRule"):
        check_role(almost, ANN, gathering)
    with pytest.raises(Forbidden, match="must have cluster-admin privileges"):
        check_role(almost, ANN, role("g"), old=gathering)
    everything = policy(role("own", rule("*", "*", "*"), paths("*", "*")), binding("b", "own", "User:ann"))
    check_role(everything, ANN, gathering)


def test_an_update_of_finalizers_and_owners_alone_gives_no_rights_and_is_free() -> None:
    old = role("strong", rule("*", "*", "*"))
    new = {**old, "metadata": {**old["metadata"], "finalizers": [], "ownerReferences": [{"name": "x"}]}}
    check_role(policy(), ANN, new, old=old)
    with pytest.raises(Forbidden):
        check_role(policy(), ANN, {**new, "rules": [rule("get", "*", "*")]}, old=old)


def test_a_binding_needs_all_rights_of_the_bound_role() -> None:
    there = policy(
        role("weak", rule("get", "core", "pods")),
        role("strong", rule("*", "core", "secrets")),
        binding("b", "weak", "User:ann"),
    )
    check_binding(there, ANN, binding("new", "weak", "User:bob", namespace="blue"))
    with pytest.raises(Forbidden) as refusal:
        check_binding(there, ANN, binding("new", "strong", "User:bob", namespace="blue"))
    assert str(refusal.value) == (
        'rolebindings.rbac.authorization.k8s.io "new" is forbidden: user "ann" (groups=["devs"]) is attempting to '
        'grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["*"]}'
    )


def test_the_verb_bind_on_a_role_is_enough_where_it_was_given() -> None:
    there = policy(
        role("strong", rule("*", "*", "*")),
        role("binder", rule("bind", RBAC, "clusterroles", "strong")),
        binding("b", "binder", "User:ann", namespace="blue"),
    )
    check_binding(there, ANN, binding("new", "strong", "User:bob", namespace="blue"))
    with pytest.raises(Forbidden):
        check_binding(there, ANN, binding("new", "strong", "User:bob", namespace="red"))
    with pytest.raises(Forbidden):
        check_binding(there, ANN, binding("new", "strong", "User:bob"))


def test_a_binding_of_a_missing_role_is_refused_as_not_found() -> None:
    with pytest.raises(NotFound, match=r'clusterrole\.rbac\.authorization\.k8s\.io "gone" not found'):
        check_binding(policy(), ANN, binding("new", "gone", "User:bob"))
    check_binding(policy(), ADMIN, binding("new", "gone", "User:bob"))
