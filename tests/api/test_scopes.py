"""Names of DataObjects and Targets in their scopes."""

from __future__ import annotations

import pytest

from landform.api import scopes
from landform.kit import names


@pytest.mark.parametrize(
    ("scope", "name", "expected"),
    [
        ("Inst.root", "myimport", "w3hrpyq3ob6m2nodocu6wmxpnfr524b2"),
        ("Exec.root", "", "3ma3sfyypbemjcx6szifjuezoviyii4c"),
        ("", "Foo_Bar", "lmr5uzhobtiadmwzqk6umjeb7qfucvjr"),
        ("Inst.root", "clusters[blue]", "esfwivpgtydkba2ns4lyswj7qwde7mie"),
        ("Inst.root", "list[0]", "cgjmlll2vxhkbi36dgbav2w2uc2zckf5"),
    ],
)
def test_names_in_a_scope_are_hashed(scope: str, name: str, expected: str) -> None:
    assert scopes.object_name(scope, name) == expected


@pytest.mark.parametrize("name", ["a", "shop-domain", "a.b-c.9"])
def test_plain_names_in_the_root_scope_stay_as_they_are(name: str) -> None:
    assert scopes.object_name(scopes.ROOT, name) == name


@pytest.mark.parametrize("name", ["-a", "a-", "A", "a_b", ".a", "a\n"])
def test_names_that_no_object_may_have_are_hashed_in_the_root_scope_too(name: str) -> None:
    assert scopes.object_name(scopes.ROOT, name) != name
    assert len(scopes.object_name(scopes.ROOT, name)) == 32


@pytest.mark.parametrize("scope", ["", "Inst.root"])
def test_a_hash_sign_takes_the_rest_literally(scope: str) -> None:
    assert scopes.object_name(scope, "#My_Name") == "My_Name"


def test_scopes_are_named_after_what_they_belong_to() -> None:
    assert scopes.inner_scope("shop") == "Inst.shop"
    assert scopes.outer_scope("shop") == "Inst.shop"
    assert scopes.outer_scope(None) == ""
    assert scopes.execution_scope("shop") == "Exec.shop"
    assert scopes.element_name("clusters", "blue") == "clusters[blue]"
    assert scopes.element_name("list", 0) == "list[0]"


def test_an_object_beside_another_is_called_after_it_however_long_its_name_is() -> None:
    assert scopes.companion_name("x" * 246, "export") == "x" * 246 + "-export"
    long = [f"{'x' * 240}.{'y' * 11}{end}" for end in "ab"]
    made = [scopes.companion_name(name, "logs") for name in long]
    assert {len(name) for name in made} == {253}
    assert made[0] != made[1]
    assert not any(names.subdomain(name) for name in made)
