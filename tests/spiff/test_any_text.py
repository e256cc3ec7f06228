"""Whatever a document says, it has a result or ends in a SpiffError."""

from __future__ import annotations

import contextlib
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from landform.spiff import Budgets, SpiffError, evaluate
from landform.spiff.budgets import Meter
from landform.spiff.documents import bound, plain, read_one
from landform.spiff.emitter import to_yaml

TOKENS = [
    *("a", "b.c", ".d", "1", "2.5", '"s"', "true", "nil", "~", "~~", "[", "]", "{", "}", "(", ")", "|", "||", "//"),
    *("->", "|x|->", "x", "+", "-", "*", "/", "==", "!", "?", ":", ",", "=", "...", "..", "map[", "sum[", "catch["),
    *("lambda", "merge", "prefer", "&temporary", "&template", "$n", "[0]", ".[*]", "split(", "sort(", "merge(", "_"),
    *("10.0.0.1", "-or", "t::x", "\n", "auto", "sync[", "validate(", "read(", "format(", "é", "\x00", "\\"),
]
BUDGETS = Budgets(seconds=0.5, steps=20_000)
TEXTS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")) | st.sampled_from(" \n"), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXTS
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4))


def attempt(template: str, *stubs: str) -> None:
    """Evaluates a template; anything but a SpiffError is a defect."""
    with contextlib.suppress(SpiffError):
        evaluate(template, {"a": 1}, stubs=stubs, budgets=BUDGETS, features=["control", "interpolation"])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=12), st.sampled_from(["", " "]))
def test_any_expression(tokens: list[str], gap: str) -> None:
    attempt(json.dumps({"r": f"(( {gap.join(tokens)} ))", "b": {"c": 1}, "d": "x", "l": [1, 2]}))


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=60), st.text(max_size=30))
def test_any_text(template: str, stub: str) -> None:
    attempt(template, stub)
    attempt(f"a: |-\n  (( {template} ))\n", stub)


@settings(max_examples=60, deadline=None)
@given(DATA)
def test_data_without_expressions_stays_as_it_is(data: object) -> None:
    template = json.dumps({"data": data}, ensure_ascii=False)
    if "((" in template or "<<" in template or "key:" in template:
        return
    assert evaluate(template).result == {"data": data}


@settings(max_examples=60, deadline=None)
@given(DATA)
def test_what_is_written_as_yaml_is_read_back(data: object) -> None:
    meter = Meter(Budgets())
    text = to_yaml(bound({"data": data}, meter), meter)
    back = plain(read_one("text", text, meter))
    assert json.dumps(back, sort_keys=True) == json.dumps({"data": data}, sort_keys=True)
