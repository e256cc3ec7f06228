"""Questions about rights and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.embedded.access.support import START, binding, paths, policy, role, rule

from landform.cluster.errors import BadRequest, Cause, Invalid
from landform.embedded.access.authentication import Verified
from landform.embedded.access.reviews import KINDS, review
from landform.embedded.access.tokens import TokenRejected
from landform.embedded.access.users import ADMIN, User

if TYPE_CHECKING:
    from collections.abc import Sequence

ANN = User("ann", ("devs",), "u-1", {"scopes": ("view",)})
POLICY = policy(
    role("reader", rule("get,list", "core", "pods"), paths("get", "/version")),
    role("blue-writer", rule("create", "apps", "deployments/scale", "one")),
    binding("everywhere", "reader", "Group:devs"),
    binding("in-blue", "blue-writer", "User:ann", namespace="blue"),
    binding("broken", "gone", "User:bob"),
)
REASON = 'RBAC: allowed by ClusterRoleBinding "everywhere" of ClusterRole "reader" to Group "devs"'


def verify(token: str, audiences: Sequence[str]) -> Verified:
    if token != "good":
        raise TokenRejected("service account token has expired")
    return Verified(ANN, tuple(audiences) or ("api",))


def asked(kind: str, spec: Any = None, metadata: Any = None, user: User = ANN, namespace: str = "") -> dict[str, Any]:
    body = {"kind": kind, "metadata": metadata, "spec": spec}
    return review(kind, body, user=user, policy=POLICY, verify=verify, now=START, namespace=namespace)


def causes(kind: str, spec: Any, metadata: Any = None, namespace: str = "") -> list[tuple[str, str]]:
    with pytest.raises(Invalid) as refusal:
        asked(kind, spec, metadata, namespace=namespace)
    return [(cause.field, cause.message) for cause in refusal.value.causes]


@pytest.mark.parametrize("metadata", [None, {}, {"creationTimestamp": None}])
def test_can_i_is_answered_with_the_reason(metadata: Any) -> None:
    spec = {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "red"}}
    assert asked("SelfSubjectAccessReview", spec, metadata) == {
        "kind": "SelfSubjectAccessReview",
        "apiVersion": "authorization.k8s.io/v1",
        "metadata": metadata or {},
        "spec": spec,
        "status": {"allowed": True, "reason": REASON},
    }


@pytest.mark.parametrize(
    ("spec", "allowed"),
    [
        ({"resourceAttributes": {"verb": "delete", "resource": "pods"}}, False),
        ({"resourceAttributes": {"verb": "get", "group": "apps", "resource": "pods"}}, False),
        ({"nonResourceAttributes": {"verb": "get", "path": "/version"}}, True),
        ({"nonResourceAttributes": {"verb": "get", "path": "/metrics"}}, False),
        ({"nonResourceAttributes": {}}, False),
        (
            {
                "resourceAttributes": {
                    "verb": "create", "group": "apps", "version": "v1", "resource": "deployments", "name": "one",
                    "subresource": "scale", "namespace": "blue", "unknown": 1,
                }
            },
            True,
        ),
    ],
)  # fmt: skip
def test_what_one_may_do_oneself(spec: Any, allowed: bool) -> None:
    assert asked("SelfSubjectAccessReview", spec)["status"]["allowed"] is allowed


def test_a_refusal_has_no_reason_unless_a_role_is_missing() -> None:
    spec = {"resourceAttributes": {"verb": "delete", "resource": "pods"}}
    assert asked("SelfSubjectAccessReview", spec)["status"] == {"allowed": False}
    reason = 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found'
    assert asked("SelfSubjectAccessReview", spec, user=User("bob"))["status"] == {"allowed": False, "reason": reason}


def test_the_admin_may_do_everything_for_no_reason() -> None:
    spec = {"resourceAttributes": {"verb": "*", "group": "*", "resource": "*"}}
    assert asked("SelfSubjectAccessReview", spec, user=ADMIN)["status"] == {"allowed": True}


def test_what_someone_else_may_do() -> None:
    resource = {"verb": "get", "resource": "pods"}
    spec = {"resourceAttributes": resource, "user": "eve", "groups": ["devs"], "uid": "u", "extra": {"a": ["b"]}}
    answer = asked("SubjectAccessReview", spec, user=ADMIN)
    assert (answer["spec"], answer["status"]) == (spec, {"allowed": True, "reason": REASON})
    assert not asked("SubjectAccessReview", {"resourceAttributes": resource, "user": "eve"})["status"]["allowed"]


def test_an_access_review_must_ask_for_exactly_one_thing() -> None:
    path = {"path": "/version", "verb": "get"}
    assert causes("SelfSubjectAccessReview", {"resourceAttributes": {}, "nonResourceAttributes": path}) == [
        (
            "spec.nonResourceAttributes",
            'Invalid value: {"path":"/version","verb":"get"}: cannot be specified in combination with '
            "resourceAttributes",
        )
    ]
    nothing = (
        "spec.resourceAttributes",
        "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
    )
    assert causes("SelfSubjectAccessReview", None) == [nothing]
    nobody = ("spec.user", 'Invalid value: "": at least one of user or group must be specified')
    assert causes("SubjectAccessReview", {}) == [nothing, nobody]


def test_several_faults_are_told_at_once() -> None:
    with pytest.raises(Invalid) as refusal:
        asked("SubjectAccessReview", {}, {"name": "x"})
    assert str(refusal.value) == (
        'SubjectAccessReview.authorization.k8s.io "" is invalid: [spec.resourceAttributes: Invalid value: null: '
        'exactly one of nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: "": '
        'at least one of user or group must be specified, metadata: Invalid value: {"name":"x"}: must be empty]'
    )
    assert refusal.value.code == 422


@pytest.mark.parametrize("field", ["fieldSelector", "labelSelector"])
def test_a_selector_is_given_in_one_form(field: str) -> None:
    both = {"resourceAttributes": {field: {"rawSelector": "a=b", "requirements": [{"key": "a"}]}}}
    path = f"spec.resourceAttributes.{field}"
    assert causes("SelfSubjectAccessReview", both) == [
        (f"{path}.rawSelector", 'Invalid value: "a=b": may not specified at the same time as requirements')
    ]
    assert causes("SelfSubjectAccessReview", {"resourceAttributes": {field: {}}}) == [
        (f"{path}.requirements", f"Required value: when {path} is specified, requirements or rawSelector is required")
    ]


def test_a_local_review_asks_about_its_own_namespace() -> None:
    spec = {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "blue"}, "groups": ["devs"]}
    for metadata in (None, {"namespace": "blue"}):
        assert asked("LocalSubjectAccessReview", spec, metadata, namespace="blue")["status"]["allowed"]
    with pytest.raises(BadRequest, match="does not match the namespace sent on the request"):
        asked("LocalSubjectAccessReview", spec, {"namespace": "red"}, namespace="blue")
    assert causes("LocalSubjectAccessReview", spec, namespace="red") == [
        ("spec.resourceAttributes.namespace", 'Invalid value: "blue": must match metadata.namespace')
    ]
    elsewhere = {"nonResourceAttributes": {"path": "/", "verb": "get"}, "user": "ann"}
    assert causes("LocalSubjectAccessReview", elsewhere, {"name": "x"}, namespace="red") == [
        ("metadata", 'Invalid value: {"name":"x"}: must be empty except for namespace'),
        ("spec.nonResourceAttributes", 'Invalid value: {"path":"/","verb":"get"}: disallowed on this kind of request'),
    ]


def test_the_list_of_rights_in_a_namespace() -> None:
    answer = asked("SelfSubjectRulesReview", {"namespace": "blue"})
    assert answer["spec"] == {}
    assert answer["status"] == {
        "resourceRules": [
            {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"]},
            {"verbs": ["create"], "apiGroups": ["apps"], "resources": ["deployments/scale"], "resourceNames": ["one"]},
        ],
        "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/version"]}],
        "incomplete": False,
    }


def test_the_list_of_rights_says_which_roles_are_missing() -> None:
    status = asked("SelfSubjectRulesReview", {"namespace": "blue"}, user=User("bob"))["status"]
    assert status == {
        "resourceRules": [],
        "nonResourceRules": [],
        "incomplete": False,
        "evaluationError": 'clusterrole.rbac.authorization.k8s.io "gone" not found',
    }


def test_the_list_of_the_admins_rights_is_everything() -> None:
    status = asked("SelfSubjectRulesReview", {"namespace": "blue"}, user=ADMIN)["status"]
    assert status["resourceRules"] == [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]
    assert status["nonResourceRules"] == [{"verbs": ["*"], "nonResourceURLs": ["*"]}]


def test_the_list_of_rights_needs_a_namespace() -> None:
    with pytest.raises(BadRequest, match="no namespace on request"):
        asked("SelfSubjectRulesReview", {})


def test_a_good_token_is_told_with_its_user() -> None:
    answer = asked("TokenReview", {"token": "good", "audiences": ["vault"]})
    assert answer["apiVersion"] == "authentication.k8s.io/v1"
    assert answer["status"] == {
        "authenticated": True,
        "user": {"username": "ann", "uid": "u-1", "groups": ["devs"], "extra": {"scopes": ["view"]}},
        "audiences": ["vault"],
    }


def test_a_bad_token_is_told_with_the_reason() -> None:
    assert asked("TokenReview", {"token": "bad"})["status"] == {
        "user": {},
        "error": "service account token has expired",
    }


@pytest.mark.parametrize("spec", [None, {}, {"token": ""}])
def test_a_token_review_needs_a_token(spec: Any) -> None:
    with pytest.raises(BadRequest, match="token is required for TokenReview in authentication"):
        asked("TokenReview", spec)


def test_who_am_i() -> None:
    assert asked("SelfSubjectReview") == {
        "kind": "SelfSubjectReview",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"creationTimestamp": "2030-01-01T12:00:00Z"},
        "status": {"userInfo": {"username": "ann", "uid": "u-1", "groups": ["devs"], "extra": {"scopes": ["view"]}}},
    }


@pytest.mark.parametrize(
    ("kind", "spec", "place"),
    [
        ("SelfSubjectAccessReview", [], "$.spec"),
        ("SelfSubjectAccessReview", {"resourceAttributes": {"verb": 1}}, "$.spec.resourceAttributes.verb"),
        ("SubjectAccessReview", {"groups": "devs"}, "$.spec.groups"),
        ("SubjectAccessReview", {"extra": {"a": "b"}}, "$.spec.extra[...]"),
        ("SelfSubjectRulesReview", {"namespace": {}}, "$.spec.namespace"),
        ("TokenReview", {"token": 5}, "$.spec.token"),
    ],
)
def test_wrong_types_are_refused_with_their_place(kind: str, spec: Any, place: str) -> None:
    with pytest.raises(BadRequest) as refusal:
        asked(kind, spec)
    assert str(refusal.value).startswith(f'{kind} in version "v1" cannot be handled as a {kind}: ')
    assert str(refusal.value).endswith(f"`{place}`")


def test_the_causes_carry_the_api_servers_reasons() -> None:
    with pytest.raises(Invalid) as refusal:
        asked("SelfSubjectAccessReview", {})
    assert [type(cause) for cause in refusal.value.causes] == [Cause]
    assert refusal.value.causes[0].reason == "FieldValueInvalid"


def test_every_review_kind_is_known() -> None:
    assert set(KINDS) == {
        "LocalSubjectAccessReview",
        "SelfSubjectAccessReview",
        "SelfSubjectReview",
        "SelfSubjectRulesReview",
        "SubjectAccessReview",
        "TokenReview",
    }
