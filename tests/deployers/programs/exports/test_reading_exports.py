"""Exports are one JSON or YAML object; what is wrong is said with its place and without any value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.deployers.programs.contract.faults import ProgramDataError, TooLarge, Unparsable
from landform.deployers.programs.files.exportfiles import parse
from landform.kit import yamls

SECRET = "hunter2"

_PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text()
_VALUES = st.recursive(
    _PLAIN | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), _VALUES, max_size=4), st.booleans())
def test_any_json_object_is_read_as_it_is(values: dict[str, Any], plain: bool) -> None:
    assert parse(json.dumps(values, ensure_ascii=plain).encode()) == values


@given(st.dictionaries(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1), _VALUES, max_size=4))
def test_any_yaml_object_is_read_as_all_yaml_is(values: dict[str, Any]) -> None:
    assert parse(yamls.dump(values).encode()) == yamls.load(yamls.dump(values))


@pytest.mark.parametrize("raw", [b"", b"\n", b"# nothing\n", b"---\n", b"null"])
def test_an_empty_document_is_no_exports(raw: bytes) -> None:
    assert parse(raw) == {}


def test_a_character_in_two_halves_is_read_though_yaml_has_none() -> None:
    assert parse(rb'{"smile": "\ud83d\ude00"}') == {"smile": "\N{GRINNING FACE}"}


def test_the_last_of_two_equal_keys_counts() -> None:
    assert parse(b'{"a": 1, "a": 2}') == parse(b"a: 1\na: 2") == {"a": 2}


@pytest.mark.parametrize(
    ("raw", "line", "column"),
    [
        (b"a: 1\nb: hunter2: x\n", 2, 11),
        (b"a: 1\n\tb: hunter2\n", 2, 1),
        (b'{"password": "hunter2",\n "b": [1, }', 2, 11),
        (b'{"password": "hunter2"', 2, 1),
        (b'a: "hunter2', 1, 12),
        (b"a: 1\nb: *hunter2", 2, 4),
        (b"a: 1\nb: !hunter2 x", 2, 4),
        (b"a: !!int hunter2", 1, 4),
        (b"a: !!bool hunter2", 1, 4),
        (b"a: !!binary hunter2", 1, 4),
        (b"a: hunter2\n---\nb: 2", 2, 1),
        (b"a: hunter2\nb: @x", 2, 4),
        (b"<<: hunter2", 1, 5),
        (b"a: hunter2\nb: \x01", 2, 4),
    ],
)
def test_broken_exports_are_said_with_line_and_column_and_no_value(raw: bytes, line: int, column: int) -> None:
    with pytest.raises(Unparsable, match=f"line {line}, column {column}$") as caught:
        parse(raw)
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_second_document_is_refused_in_a_whole_sentence() -> None:
    with pytest.raises(
        Unparsable, match="expected a single document in the stream but found another document in line 2"
    ):
        parse(b"a: 1\n---\nb: 2\n")


@pytest.mark.parametrize("raw", [b"a: .nan", b"? [hunter2]\n: x", b"a: &x [*x]", b"a: !!set {hunter2}", b"[" * 3000])
def test_what_json_cannot_hold_is_refused(raw: bytes) -> None:
    with pytest.raises(Unparsable, match=r"something that JSON cannot hold|line") as caught:
        parse(raw)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(("raw", "kind"), [(b"- hunter2", "a list"), (b"hunter2", "text"), (b"7", "a single value")])
def test_anything_but_an_object_is_refused(raw: bytes, kind: str) -> None:
    with pytest.raises(Unparsable, match=f"are {kind}; write one JSON or YAML object") as caught:
        parse(raw)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(("raw", "place"), [(b"\xff", "line 1, byte 1"), (b"a: 1\nb: \xc3", "line 2, byte 4")])
def test_what_is_no_text_is_refused_with_its_place(raw: bytes, place: str) -> None:
    with pytest.raises(Unparsable, match=f"are no UTF-8 text: {place}"):
        parse(raw)


def test_what_grows_beyond_the_limit_as_json_is_refused() -> None:
    raw = b"a: &a " + b"x" * 600_000 + b"\nb: *a\n"
    with pytest.raises(TooLarge, match="have 1200015 bytes as JSON, but at most 1048576"):
        parse(raw)


@given(st.binary(max_size=60) | st.text(alphabet="ab:{}[]\"'&*!|>-?\n\t #%@,1.~", max_size=40).map(str.encode))
def test_whatever_a_program_writes_is_read_or_refused(raw: bytes) -> None:
    try:
        assert isinstance(parse(raw), dict)
    except ProgramDataError as error:
        str(error).encode()
