"""Who may do what: tables that people can read. The golden and the model tests go wide."""

from __future__ import annotations

import pytest
from tests.embedded.access.support import binding, paths, policy, role, rule

from landform.embedded.access.rbac import Attributes, Decision, forbidden, forbidden_message
from landform.embedded.access.users import ADMIN, ANONYMOUS, User

ANN = User("ann", ("devs", "system:authenticated"))
ROBOT = User("system:serviceaccount:blue:robot", ("system:serviceaccounts", "system:serviceaccounts:blue"))
DEPLOY_ITEMS = ("landscaper.gardener.cloud", "deployitems")


def allowed_by(given: dict[str, object], wanted: Attributes) -> bool:
    return policy(role("r", given), binding("b", "r", "User:ann")).allows(wanted)


@pytest.mark.parametrize(
    ("resources", "asked", "allowed"),
    [
        ("pods", "pods", True),
        ("pods", "pods/log", False),
        ("pods/log", "pods/log", True),
        ("pods/log", "pods", False),
        ("*", "pods", True),
        ("*", "pods/log", True),
        ("*/log", "pods/log", True),
        ("*/log", "pods", False),
        ("*/log", "pods/logs", False),
        ("pods/*", "pods/log", False),
        ("pods/*", "pods", False),
    ],
)
def test_resources_match_as_in_kubernetes(resources: str, asked: str, allowed: bool) -> None:
    resource, _, subresource = asked.partition("/")
    assert allowed_by(rule("get", "core", resources), Attributes(ANN, "get", "", resource, subresource)) is allowed


@pytest.mark.parametrize(
    ("url", "path", "allowed"),
    [
        ("/healthz", "/healthz", True),
        ("/healthz", "/healthz/ping", False),
        ("/healthz/*", "/healthz/ping", True),
        ("/healthz/*", "/healthz", False),
        ("/health*", "/healthz", True),
        ("*", "/anything", True),
    ],
)
def test_paths_match_exactly_or_by_a_trailing_star(url: str, path: str, allowed: bool) -> None:
    assert allowed_by(paths("get", url), Attributes(ANN, "get", path=path)) is allowed


def test_a_rule_for_resources_says_nothing_about_paths_and_the_reverse() -> None:
    assert not allowed_by(rule("*", "*", "*"), Attributes(ANN, "get", path="/version"))
    assert not allowed_by(rule("*", "*", "*"), Attributes(ANN, "get", path=""))
    assert not allowed_by(paths("*", "*"), Attributes(ANN, "get", "", "pods"))


def test_resource_names_limit_a_rule_to_those_objects_and_to_no_list() -> None:
    named = rule("get,list", "core", "secrets", "one")
    assert allowed_by(named, Attributes(ANN, "get", "", "secrets", name="one"))
    assert not allowed_by(named, Attributes(ANN, "get", "", "secrets", name="two"))
    assert not allowed_by(named, Attributes(ANN, "list", "", "secrets"))


def test_a_role_binding_gives_rights_in_its_namespace_only() -> None:
    there = policy(role("r", rule("get", "core", "pods")), binding("b", "r", "User:ann", namespace="blue"))
    assert there.allows(Attributes(ANN, "get", "", "pods", namespace="blue"))
    assert not there.allows(Attributes(ANN, "get", "", "pods", namespace="red"))
    assert not there.allows(Attributes(ANN, "get", "", "pods"))


def test_a_role_of_another_namespace_is_not_taken_for_one_of_the_same_name() -> None:
    there = policy(
        role("r", rule("get", "core", "pods"), namespace="red"),
        binding("b", "r", "User:ann", namespace="blue", role_kind="Role"),
    )
    decision = there.decide(Attributes(ANN, "get", "", "pods", namespace="blue"))
    assert decision == Decision(False, 'RBAC: role.rbac.authorization.k8s.io "r" not found')


@pytest.mark.parametrize(
    "subject", ["ServiceAccount:blue/robot", "ServiceAccount:robot", "Group:system:serviceaccounts:blue"]
)
def test_a_service_account_is_named_with_or_without_its_namespace_or_by_its_group(subject: str) -> None:
    there = policy(role("r", rule("get", "core", "pods")), binding("b", "r", subject, namespace="blue"))
    assert there.allows(Attributes(ROBOT, "get", "", "pods", namespace="blue"))


def test_a_service_account_without_namespace_in_a_cluster_wide_binding_is_no_one() -> None:
    there = policy(role("r", rule("get", "core", "pods")), binding("b", "r", "ServiceAccount:robot"))
    assert not there.allows(Attributes(ROBOT, "get", "", "pods"))


def test_the_admin_may_do_everything_without_any_role() -> None:
    assert policy().decide(Attributes(ADMIN, "delete", "", "nodes")) == Decision(True, "")


def test_the_reason_names_the_first_binding_that_gives_the_right() -> None:
    there = policy(
        role("r", rule("get", "core", "pods")),
        binding("first", "r", "Group:devs", "User:ann"),
        binding("second", "r", "User:ann"),
    )
    reason = there.decide(Attributes(ANN, "get", "", "pods")).reason
    assert reason == 'RBAC: allowed by ClusterRoleBinding "first" of ClusterRole "r" to Group "devs"'


def test_a_binding_that_names_someone_twice_gives_its_rules_once() -> None:
    there = policy(role("r", rule("get", "core", "pods")), binding("b", "r", "User:ann", "Group:devs"))
    assert len(there.rules_for(ANN, "")) == 1


def test_more_users_than_are_remembered_get_the_same_answers() -> None:
    there = policy(role("r", rule("get", "core", "pods")), binding("b", "r", "User:u7"))
    wanted = [Attributes(User(f"u{i}"), "get", "", "pods") for i in range(5000)]
    assert [each.user.name for each in wanted if there.allows(each)] == ["u7"]
    assert there.allows(wanted[7])


def test_the_refusal_names_object_user_verb_resource_and_place() -> None:
    group, resource = DEPLOY_ITEMS
    in_namespace = Attributes(User("u"), "get", group, resource, name="x", namespace="n")
    assert forbidden_message(in_namespace) == (
        'deployitems.landscaper.gardener.cloud "x" is forbidden: User "u" cannot get resource "deployitems" in API '
        'group "landscaper.gardener.cloud" in the namespace "n"'
    )
    cluster_wide = Attributes(User("u"), "list", "", "secrets")
    assert forbidden_message(cluster_wide) == (
        'secrets is forbidden: User "u" cannot list resource "secrets" in API group "" at the cluster scope'
    )
    assert forbidden_message(Attributes(ANONYMOUS, "get", path="/apis")) == (
        'forbidden: User "system:anonymous" cannot get path "/apis"'
    )


def test_the_error_carries_what_the_refusal_is_about() -> None:
    group, resource = DEPLOY_ITEMS
    status = forbidden(Attributes(User("u"), "get", group, resource, name="x", namespace="n")).to_status()
    assert (status["code"], status["reason"]) == (403, "Forbidden")
    assert status["details"] == {"name": "x", "group": group, "kind": resource}
