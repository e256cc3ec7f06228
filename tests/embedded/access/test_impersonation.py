"""Acting as someone else, for those who may."""

from __future__ import annotations

import pytest
from tests.embedded.access.support import binding, policy, role, rule

from landform.cluster.errors import BadRequest, Forbidden
from landform.embedded.access.impersonation import impersonate
from landform.embedded.access.users import ADMIN, User

ANN = User("ann")
Headers = list[tuple[str, str]]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([("Impersonate-User", "bob")], User("bob", ("system:authenticated",))),
        (
            [("impersonate-user", "bob"), ("IMPERSONATE-GROUP", "a"), ("Impersonate-Group", "b")],
            User("bob", ("a", "b", "system:authenticated")),
        ),
        (
            [("Impersonate-User", "bob"), ("Impersonate-Group", "system:authenticated")],
            User("bob", ("system:authenticated",)),
        ),
        (
            [("Impersonate-User", "bob"), ("Impersonate-Group", "system:unauthenticated")],
            User("bob", ("system:unauthenticated",)),
        ),
        (
            [("Impersonate-User", "system:serviceaccount:blue:robot")],
            User(
                "system:serviceaccount:blue:robot",
                ("system:serviceaccounts", "system:serviceaccounts:blue", "system:authenticated"),
            ),
        ),
        (
            [("Impersonate-User", "system:serviceaccount:blue:robot"), ("Impersonate-Group", "g")],
            User("system:serviceaccount:blue:robot", ("g", "system:authenticated")),
        ),
        ([("Impersonate-User", "system:anonymous")], User("system:anonymous", ("system:unauthenticated",))),
        (
            [
                ("Impersonate-User", "bob"),
                ("Impersonate-Uid", "u-7"),
                ("Impersonate-Extra-Scopes", "view"),
                ("Impersonate-Extra-Scopes", "edit"),
                ("Impersonate-Extra-Acme.com%2Fproject", "p"),
            ],
            User("bob", ("system:authenticated",), "u-7", {"scopes": ("view", "edit"), "acme.com/project": ("p",)}),
        ),
    ],
)
def test_the_admin_becomes_whom_the_headers_name(headers: Headers, expected: User) -> None:
    assert impersonate(ADMIN, [("Accept", "*/*"), *headers], policy()) == expected


def test_without_such_headers_everyone_stays_himself() -> None:
    assert impersonate(ANN, [("Authorization", "Bearer x"), ("Impersonate-User", "")], policy()) is ANN


@pytest.mark.parametrize("header", ["Impersonate-Group", "Impersonate-Uid", "Impersonate-Extra-Scopes"])
def test_groups_and_the_rest_need_a_user(header: str) -> None:
    with pytest.raises(BadRequest, match="without impersonating a user"):
        impersonate(ADMIN, [(header, "x")], policy())


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        (
            [("Impersonate-User", "eve")],
            'users "eve" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster '
            "scope",
        ),
        (
            [("Impersonate-User", "bob"), ("Impersonate-Group", "system:masters")],
            'groups "system:masters" is forbidden: User "ann" cannot impersonate resource "groups" in API group "" at '
            "the cluster scope",
        ),
        (
            [("Impersonate-User", "system:serviceaccount:blue:robot")],
            'serviceaccounts "robot" is forbidden: User "ann" cannot impersonate resource "serviceaccounts" in API '
            'group "" in the namespace "blue"',
        ),
        (
            [("Impersonate-User", "bob"), ("Impersonate-Uid", "u-7")],
            'uids.authentication.k8s.io "u-7" is forbidden: User "ann" cannot impersonate resource "uids" in API group '
            '"authentication.k8s.io" at the cluster scope',
        ),
        (
            [("Impersonate-User", "bob"), ("Impersonate-Extra-Scopes", "edit")],
            'userextras.authentication.k8s.io "edit" is forbidden: User "ann" cannot impersonate resource '
            '"userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
        ),
    ],
)
def test_each_part_needs_its_own_right(headers: Headers, message: str) -> None:
    there = policy(role("r", rule("impersonate", "core", "users", "bob")), binding("b", "r", "User:ann"))
    with pytest.raises(Forbidden) as refusal:
        impersonate(ANN, headers, there)
    assert str(refusal.value) == message


def test_rights_on_every_part_are_enough() -> None:
    there = policy(
        role(
            "r",
            rule("impersonate", "core", "users,groups"),
            rule("impersonate", "authentication.k8s.io", "userextras/scopes", "view"),
        ),
        binding("b", "r", "User:ann"),
    )
    headers = [("Impersonate-User", "bob"), ("Impersonate-Group", "g"), ("Impersonate-Extra-Scopes", "view")]
    assert impersonate(ANN, headers, there).name == "bob"
