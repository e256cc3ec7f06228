"""ClusterRoles that gather the rules of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.embedded.access.support import binding, policy, role, rule

from landform.embedded.access.aggregation import aggregated_rules, selects
from landform.embedded.access.rbac import Attributes
from landform.embedded.access.users import User

if TYPE_CHECKING:
    from landform.cluster.resources import Unstructured

PODS, SECRETS, JOBS = rule("get", "core", "pods"), rule("get", "core", "secrets"), rule("get", "batch", "jobs")


def gathering(name: str, *selectors: dict[str, Any], labels: dict[str, str] | None = None) -> Unstructured:
    return {**role(name, SECRETS, labels=labels), "aggregationRule": {"clusterRoleSelectors": list(selectors)}}


def labelled(**labels: str) -> dict[str, Any]:
    return {"matchLabels": labels}


def test_a_gathering_role_has_the_rules_of_the_selected_ones_by_name_and_not_its_own() -> None:
    roles = [
        gathering("all", labelled(to="all")),
        role("b", PODS, JOBS, labels={"to": "all"}),
        role("a", JOBS, labels={"to": "all"}),
    ]
    assert aggregated_rules(roles) == {"all": [JOBS, PODS]}


def test_gathering_goes_through_other_gathering_roles() -> None:
    roles = [
        gathering("admin", labelled(to="admin")),
        gathering("edit", labelled(to="edit"), labels={"to": "admin"}),
        role("leaf", PODS, labels={"to": "edit"}),
    ]
    assert aggregated_rules(roles) == {"admin": [PODS], "edit": [PODS]}


def test_roles_that_gather_each_other_end_with_what_the_others_bring() -> None:
    roles = [
        gathering("one", labelled(to="one"), labels={"to": "two"}),
        gathering("two", labelled(to="two"), labels={"to": "one"}),
        role("leaf", PODS, labels={"to": "two"}),
    ]
    assert aggregated_rules(roles) == {"one": [PODS], "two": [PODS]}


def test_a_policy_decides_by_the_gathered_rules() -> None:
    there = policy(
        gathering("all", labelled(to="all")), role("leaf", PODS, labels={"to": "all"}), binding("b", "all", "User:ann")
    )
    assert there.allows(Attributes(User("ann"), "get", "", "pods"))
    assert not there.allows(Attributes(User("ann"), "get", "", "secrets"))


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ({}, True),
        ({"matchLabels": {"a": "1"}}, True),
        ({"matchLabels": {"a": "2"}}, False),
        ({"matchLabels": {"b": "1"}}, False),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["1", "2"]}]}, True),
        ({"matchExpressions": [{"key": "b", "operator": "In", "values": ["1"]}]}, False),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}, False),
        ({"matchExpressions": [{"key": "b", "operator": "NotIn", "values": ["1"]}]}, True),
        ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, False),
        ({"matchExpressions": [{"key": "a", "operator": "Bogus"}]}, False),
        ({"matchLabels": {"a": "1"}, "matchExpressions": [{"key": "b", "operator": "Exists"}]}, False),
    ],
)
def test_selectors_match_labels_as_in_kubernetes(selector: dict[str, Any], selected: bool) -> None:
    assert selects(selector, {"a": "1"}) is selected
