"""Users, and the words the API server uses for them."""

from __future__ import annotations

import pytest

from landform.embedded.access.users import ADMIN, ANONYMOUS, User, service_account_name, split_service_account_name
from landform.embedded.access.wording import aggregated, quoted_list
from landform.kit.quoting import quote


def test_only_members_of_system_masters_are_admins() -> None:
    assert [user.is_admin for user in (ADMIN, ANONYMOUS, User("system:masters"))] == [True, False, False]


def test_users_can_be_compared_and_hashed_whatever_extra_they_carry() -> None:
    assert len({User("a", extra={"k": ("v",)}), User("a", extra={"k": ("v",)}), User("b")}) == 2


def test_empty_fields_are_left_out_of_the_user_info() -> None:
    assert User("a").to_user_info() == {"username": "a"}


def test_a_service_accounts_name_is_split_where_it_was_joined() -> None:
    assert split_service_account_name(service_account_name("blue", "my.robot")) == ("blue", "my.robot")


@pytest.mark.parametrize(
    "name",
    [
        "ann",
        "system:serviceaccount:",
        "system:serviceaccount:a",
        "system:serviceaccount:a:b:c",
        "system:serviceaccount:A:b",
        "system:serviceaccount:a.b:c",
        "system:serviceaccount::b",
    ],
)
def test_other_names_are_not_those_of_service_accounts(name: str) -> None:
    assert split_service_account_name(name) is None


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", '"plain"'),
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("tab\tline\n", '"tab\\tline\\n"'),
        ("\x00\x7f", '"\\x00\\x7f"'),
        ("é世", '"é世"'),
        ("\u200b\u00a0", '"\\u200b\\u00a0"'),
        ("\U000e0001", '"\\U000e0001"'),
    ],
)
def test_texts_are_quoted_as_go_quotes_them(text: str, written: str) -> None:
    assert quote(text) == written


def test_lists_and_several_errors_are_written_as_go_writes_them() -> None:
    assert (quoted_list([]), quoted_list(["a", "b"])) == ("[]", '["a" "b"]')
    assert (aggregated(["one", "one"]), aggregated(["one", "two"])) == ("one", "[one, two]")
