"""YAML means what Kubernetes' own reader takes it to mean."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from landform.kit import yamls


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("off", False),
        ("y", True),
        ("~", None),
        ("", None),
        ("0x1F", 31),
        ("0b101", 5),
        ("010", 8),
        ("0o10", 8),
        ("1_000", 1000),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-7", -7),
        ("12:30:45", "12:30:45"),
        ("2001-12-14", "2001-12-14"),
        ("1.2.3", "1.2.3"),
        ("'yes'", "yes"),
        ("{1: a, true: b}", {"1": "a", "true": "b"}),
        ("a: 1\na: 2", {"a": 2}),
        ("x: &x {a: 1}\nz: {<<: *x, b: 2}", {"x": {"a": 1}, "z": {"a": 1, "b": 2}}),
        ("y: 1", {"true": 1}),
    ],
)
def test_plain_text_means_what_go_yaml_says(text: str, value: Any) -> None:
    found = yamls.load(text)
    assert found == value
    assert type(found) is type(value)


def test_aliases_of_aliases_cannot_grow_without_limit() -> None:
    layers = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    layers += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(ValueError, match="aliases"):
        yamls.load("\n".join(layers))


def test_every_document_of_a_stream_is_read() -> None:
    assert list(yamls.load_all("a: 1\n---\n---\nb: 2\n")) == [{"a": 1}, None, {"b": 2}]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"))),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcdefyn019-", max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_what_is_dumped_is_read_back(value: Any) -> None:
    assert yamls.load(yamls.dump(value)) == value


@given(st.text())
def test_broken_text_is_a_yaml_error_or_a_value_error(text: str) -> None:
    try:
        yamls.load(text)
    except (yaml.YAMLError, ValueError):
        return


@pytest.mark.parametrize("text", ["2001-12-14", "2026-11-15T23:38:17Z", "12:30:45", "yes", "0x1F", "="])
def test_text_that_some_reader_takes_for_something_else_is_quoted(text: str) -> None:
    assert yamls.dump({"a": text}) == f"a: '{text}'\n"
