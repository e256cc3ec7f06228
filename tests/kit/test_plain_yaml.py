"""The fast reader for plain YAML: it reads as the real parser does, or leaves the text to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from landform.kit.yamls import documents, plain
from landform.kit.yamls.plain import NotPlain


def _read(text: str) -> Any:
    try:
        return plain.load(text)
    except NotPlain:
        return NotPlain


PLAIN = """\
component:
  name: example.com/shop
  version: 1.0.0
  creationTime: "2026-11-15T21:10:43Z"
  empty: []
  none:
  labels:
  - name: a
    value: {}
  - name: b
    value: -12
  - - x
    - 'it''s'
    - "tab\\t"
last: y
number: 0x1f
digest: 66e12
"""


def test_plain_text_is_read_at_once() -> None:
    assert plain.load(PLAIN) == documents.load(PLAIN)


def test_every_recorded_descriptor_is_read_at_once() -> None:
    found = list(Path("tests/golden/ocm").glob("storage/*/component-descriptor.yaml"))
    assert found
    for path in found:
        assert plain.load(path.read_text()) == documents.load(path.read_text())


@pytest.mark.parametrize(
    "text",
    [
        "a: b # comment", "# comment\na: b", "a: |\n  text", "a: >\n  text", "a: &x b", "a: *x", "a: !!str 1", "a: [1]",
        "a: {b: c}", "a: b\n  c", "a:\n  b\n  c", "a: b: c", "- a\n-", "---\na: b\n---\nc: d", "a: 'b\n  c'", "a: ü",
        "a:\tb", "? a\n: b", "a: b\n   c: d", "  a: b\nc: d", "yes: a", "a: \"\\x41\"", "a:\n\n  b: c", "a: @b",
        "a: 'b' c", "- - a\n  b: c", "a: b:", "<<: {a: b}", "a: - b", "a: ? b", "%YAML 1.1\n---\na: b", "a: b\n...\n",
    ],
)  # fmt: skip
def test_everything_else_is_left_to_the_parser_or_read_alike(text: str) -> None:
    found = _read(text)
    assert found is NotPlain or found == documents.load(text)


_TEXTS = st.one_of(
    st.text("abn: -'\"#[]{}|>&*!%@`,?~yno0123.eE+_x\\", max_size=12),
    st.sampled_from(
        ["yes", "null", "0x1f", "1e3", ".5", "-", "- a", "a: b", "a #b", "2024-01-01", "", "~", "1_000", "0o7"]
    ),
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=12,
)


@given(_VALUES, st.sampled_from([None, False]), st.sampled_from([40, 10_000]))
def test_what_a_program_writes_is_read_alike(value: Any, style: bool | None, width: int) -> None:
    text = yaml.safe_dump(value, default_flow_style=style, width=width)
    found = _read(text)
    assert found is NotPlain or found == documents.load(text)


@given(st.text("ab: -\n'\"#0", max_size=40))
def test_any_text_is_read_alike_or_left_to_the_parser(text: str) -> None:
    found = _read(text)
    assert found is NotPlain or found == documents.load(text)
