"""Roles and bindings as objects: what is filled in, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from tests.embedded.access.support import binding, paths, role, rule

from landform.cluster.errors import Invalid
from landform.embedded.access.defaults import cluster_role_bindings, cluster_roles
from landform.embedded.access.role_objects import check, with_defaults

RBAC = "rbac.authorization.k8s.io"


def faults(obj: dict[str, Any], old: dict[str, Any] | None = None) -> list[str]:
    with pytest.raises(Invalid) as refusal:
        check(obj, old=old)
    return [f"{cause.field}: {cause.message}" for cause in refusal.value.causes]


def gathering(*selectors: dict[str, Any]) -> dict[str, Any]:
    return {**role("g"), "aggregationRule": {"clusterRoleSelectors": list(selectors)}}


def test_groups_of_role_and_subjects_are_filled_in() -> None:
    given = binding("b", "r", "User:ann", "Group:devs", "ServiceAccount:robot", namespace="blue")
    del given["roleRef"]["apiGroup"]
    filled = with_defaults(given)
    assert filled["roleRef"] == {"apiGroup": RBAC, "kind": "ClusterRole", "name": "r"}
    assert [subject.get("apiGroup") for subject in filled["subjects"]] == [RBAC, RBAC, None]
    assert "apiGroup" not in given["roleRef"]
    check(filled)


def test_a_role_and_a_binding_without_subjects_stay_as_they_are() -> None:
    assert with_defaults(role("r")) == role("r")
    assert with_defaults({**binding("b", "r"), "subjects": None})["subjects"] is None


@pytest.mark.parametrize("obj", [*cluster_roles(), *cluster_role_bindings()], ids=lambda obj: obj["metadata"]["name"])
def test_the_objects_from_the_start_have_no_faults(obj: dict[str, Any]) -> None:
    assert with_defaults(obj) == obj
    check(obj)


def test_a_rule_needs_verbs_groups_and_resources() -> None:
    assert faults(role("r", rule("get", "core", "pods"), {})) == [
        "rules[1].verbs: Required value: verbs must contain at least one value",
        "rules[1].apiGroups: Required value: resource rules must supply at least one api group",
        "rules[1].resources: Required value: resource rules must supply at least one resource",
    ]


def test_a_rule_for_paths_has_no_resources_and_no_namespace() -> None:
    check(role("r", paths("get", "/x")))
    assert faults(role("r", {**paths("get", "/x"), "resources": ["pods"]}, namespace="blue")) == [
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and '
        "non-resource URLs",
    ]


def test_a_gathering_role_says_what_it_gathers() -> None:
    check(gathering({"matchLabels": {"a": "b"}}, {"matchExpressions": [{"key": "a", "operator": "Exists"}]}))
    path = "aggregationRule.clusterRoleSelectors"
    assert faults(gathering()) == [
        f"{path}: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil"
    ]
    wrong = [
        {"key": "a", "operator": "In"},
        {"key": "a", "operator": "Exists", "values": ["b"]},
        {"key": "a", "operator": "x"},
    ]
    assert faults(gathering({"matchExpressions": wrong})) == [
        f"{path}[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        f"{path}[0].matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or "
        "'DoesNotExist'",
        f'{path}[0].matchExpressions[2].operator: Invalid value: "x": not a valid selector operator',
    ]


def test_a_binding_names_a_role_that_can_exist() -> None:
    named = binding("b", "r", namespace="blue")
    for name, fault in [
        ("", "roleRef.name: Required value"),
        ("..", "roleRef.name: Invalid value: \"..\": may not be '..'"),
        ("a/b", "roleRef.name: Invalid value: \"a/b\": may not contain '/'"),
    ]:
        assert faults({**named, "roleRef": {**named["roleRef"], "name": name}}) == [fault]


def test_a_cluster_wide_binding_names_a_cluster_role() -> None:
    check(binding("b", "r", namespace="blue", role_kind="Role"))
    assert faults(binding("b", "r", role_kind="Role")) == [
        'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'
    ]
    other = {**binding("b", "r"), "roleRef": {"apiGroup": "x", "kind": "Y", "name": "r"}}
    assert faults(other) == [
        f'roleRef.apiGroup: Unsupported value: "x": supported values: "{RBAC}"',
        'roleRef.kind: Unsupported value: "Y": supported values: "ClusterRole"',
    ]


def test_subjects_are_known_kinds_with_names() -> None:
    given = {
        **binding("b", "r"),
        "subjects": [
            {"kind": "User", "apiGroup": "x", "name": "ann"},
            {"kind": "ServiceAccount", "apiGroup": "x", "name": "robot"},
            {"kind": "Dog", "name": ""},
        ],
    }
    assert faults(given) == [
        f'subjects[0].apiGroup: Unsupported value: "x": supported values: "{RBAC}"',
        'subjects[1].apiGroup: Unsupported value: "x": supported values: ""',
        "subjects[1].namespace: Required value",
        "subjects[2].name: Required value",
        'subjects[2].kind: Unsupported value: "Dog": supported values: "ServiceAccount", "User", "Group"',
    ]


def test_a_binding_keeps_its_role_for_life() -> None:
    check(binding("b", "r", namespace="blue"), old=binding("b", "r", namespace="blue"))
    with pytest.raises(Invalid) as refusal:
        check(binding("b", "edit", namespace="blue"), old=binding("b", "view", namespace="blue"))
    assert str(refusal.value) == (
        'RoleBinding.rbac.authorization.k8s.io "b" is invalid: roleRef: Invalid value: '
        '{"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef'
    )
