"""Password hashes: the same by the system's library and by our own Blowfish."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landform.kit import bcrypt, blowfish

SALT = b"0123456789abcdef"
# golang.org/x/crypto/bcrypt accepts this hash for "hello"
ACCEPTED_BY_GO = "$2a$10$KBCwKxOzLha2MUDgW0PjXeaem/Pe2ltbfkxGIE.O.3c0ohwsi/i6G"


def test_our_own_blowfish_starts_from_the_digits_of_pi() -> None:
    keys, boxes = blowfish.tables()
    assert (hex(keys[0]), hex(keys[17]), hex(boxes[3][255])) == ("0x243f6a88", "0x8979fb1b", "0x3ac372e6")


def test_the_hash_is_the_one_that_go_accepts() -> None:
    assert bcrypt.hashed(b"hello", SALT, 10) == ACCEPTED_BY_GO
    assert bcrypt.check(b"hello", ACCEPTED_BY_GO)
    assert not bcrypt.check(b"Hello", ACCEPTED_BY_GO)


@settings(max_examples=8, deadline=None)
@given(st.binary(max_size=100), st.binary(min_size=16, max_size=16))
def test_library_and_blowfish_agree(password: bytes, salt: bytes) -> None:
    made = bcrypt.hashed(password, salt, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bcrypt, "_LIBRARY", None)
        assert bcrypt.hashed(password, salt, 4) == made
    assert bcrypt.check(password, made)


@pytest.mark.parametrize("version", ["2", "2a", "2b", "2x", "2y"])
def test_every_version_is_the_same_hash_under_another_name(version: str) -> None:
    made = bcrypt.hashed(b"hello", SALT, 4, version)
    assert made.removeprefix(f"${version}") == bcrypt.hashed(b"hello", SALT, 4).removeprefix("$2a")
    assert bcrypt.check(b"hello", made)


def test_only_72_bytes_of_a_password_count() -> None:
    assert bcrypt.check(b"x" * 600, bcrypt.hashed(b"x" * 72, SALT, 4))
    assert not bcrypt.check(b"x" * 71, bcrypt.hashed(b"x" * 72, SALT, 4))


@pytest.mark.parametrize(
    "text", ["", "x", "$2a$10$short", ACCEPTED_BY_GO + "x", ACCEPTED_BY_GO.replace("$10$", "$03$")]
)
def test_what_is_no_hash_fits_no_password(text: str) -> None:
    assert bcrypt.cost_of(text) is None
    assert not bcrypt.check(b"hello", text)


def test_the_cost_can_be_known_before_it_is_paid() -> None:
    assert bcrypt.cost_of(ACCEPTED_BY_GO) == 10
