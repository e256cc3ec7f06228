"""No body can do harm, and a bad one is answered with the place of the fault."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.embedded.schemas.strategies import ANY_JSON

from landform.cluster.errors import BadRequest
from landform.embedded.schemas.bodies import DEEPEST, decode_body, duplicate_fields, exceeds_depth


@given(ANY_JSON)
def test_json_is_decoded(value: Any) -> None:
    assert decode_body(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "it is empty"),
        (b'{"a":1,}', "trailing comma in object at line 1, column 8"),
        (b'{"a": 1,\n "b": tru}', "invalid character at line 2, column 11"),
        (b"{} x", "trailing characters at line 1, column 5"),
        (b'{"a":"\xff"}', "not UTF-8: a bad byte at line 1, column 7"),
        (b'{"a"', "truncated"),
    ],
)
def test_a_bad_body_is_refused_with_the_place(raw: bytes, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        decode_body(raw)


@pytest.mark.parametrize("raw", [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 10_000 + b"]" * 10_000, b"[{" * 50_000])
def test_absurd_nesting_is_refused(raw: bytes) -> None:
    with pytest.raises(BadRequest, match=f"nested more than {DEEPEST} levels deep"):
        decode_body(raw)


@given(st.binary(max_size=50) | st.text(alphabet='{}[]":,\\ab1 ', max_size=50).map(str.encode))
def test_any_bytes_are_decoded_or_refused(raw: bytes) -> None:
    try:
        decode_body(raw)
    except BadRequest as error:
        assert error.code == 400  # noqa: PT017 - refusing is one of two good outcomes


@given(ANY_JSON, st.integers(0, 6))
def test_the_depth_is_that_of_the_value(value: Any, limit: int) -> None:
    assert exceeds_depth(json.dumps(value).encode(), limit) == (_depth(value) > limit)


def _depth(value: Any) -> int:
    if isinstance(value, dict | list):
        return 1 + max(map(_depth, value.values() if isinstance(value, dict) else value), default=0)
    return 0


def test_brackets_in_strings_do_not_count() -> None:
    assert not exceeds_depth(json.dumps({"a": '[{\\"[' * 500}).encode())


def test_keys_that_occur_twice_are_named_once_each() -> None:
    raw = rb'{"a":1,"b":[{"x":1},{"x":1,"x":2,"x":3,"y":{"z":"a,:{","z":1}}],"a":{"q":1},"c":{"a":1},"\u0061":2}'
    assert duplicate_fields(raw) == ['duplicate field "b[1].x"', 'duplicate field "b[1].y.z"', 'duplicate field "a"']


@given(ANY_JSON)
def test_json_without_duplicates_has_none(value: Any) -> None:
    assert duplicate_fields(json.dumps(value).encode()) == []
