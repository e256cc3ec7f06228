"""The algebra of field sets, checked against plain sets of paths."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.embedded.merging import drawn
from tests.embedded.merging.lookups import value_at
from tests.embedded.merging.schemas import node_of

from landform.embedded.merging import elements, fieldsets
from landform.embedded.merging.scopes import Scope

Path = tuple[str, ...]

ELEMENTS = ("f:a", "f:b", 'k:{"name":"x"}', 'v:"x"')
path_sets = st.frozensets(st.lists(st.sampled_from(ELEMENTS), min_size=1, max_size=3).map(tuple), max_size=8)


def _paths(fields: fieldsets.FieldSet) -> frozenset[Path]:
    found = list(fieldsets.paths(fields))
    assert len(found) == len(set(found)), "no path twice"
    return frozenset(found)


@drawn.quickly
@given(path_sets)
def test_a_set_of_paths_is_what_it_was_made_of(paths: frozenset[Path]) -> None:
    fields = fieldsets.from_paths(paths)
    assert _paths(fields) == paths
    assert all(fieldsets.has(fields, path) for path in paths)


@drawn.quickly
@given(path_sets, path_sets)
def test_union_difference_and_intersection_are_those_of_the_paths(one: frozenset[Path], two: frozenset[Path]) -> None:
    left, right = fieldsets.from_paths(one), fieldsets.from_paths(two)
    assert _paths(fieldsets.union(left, right)) == one | two
    assert _paths(fieldsets.difference(left, right)) == one - two
    assert _paths(fieldsets.intersection(left, right)) == one & two


@drawn.quickly
@given(path_sets, path_sets)
def test_recursive_difference_takes_what_is_below_too(one: frozenset[Path], two: frozenset[Path]) -> None:
    left, right = fieldsets.from_paths(one), fieldsets.from_paths(two)
    gone = {path for path in one if any(path[:length] in two for length in range(1, len(path) + 1))}
    assert _paths(fieldsets.recursive_difference(left, right)) == one - gone


@drawn.quickly
@given(path_sets)
def test_the_wire_form_is_read_back_as_the_same_set(paths: frozenset[Path]) -> None:
    fields = fieldsets.from_paths(paths)
    written = fieldsets.to_fieldsv1(fields)
    assert written == fields
    assert fieldsets.from_fieldsv1(json.loads(json.dumps(written))) == fields


@drawn.quickly
@given(path_sets, path_sets)
def test_nothing_changes_the_sets_it_works_on(one: frozenset[Path], two: frozenset[Path]) -> None:
    left, right = fieldsets.from_paths(one), fieldsets.from_paths(two)
    for operation in (
        fieldsets.union,
        fieldsets.difference,
        fieldsets.intersection,
        fieldsets.recursive_difference,
    ):
        operation(left, right)
    assert (_paths(left), _paths(right)) == (one, two)
    assert fieldsets.LEAF == {}


@drawn.quickly
@given(drawn.specs)
def test_the_fields_of_an_object_can_be_found_in_it(spec: dict[str, Any]) -> None:
    root = Scope(node_of("Widget"), "golden.landform.test/v1", "Widget").root
    for path in fieldsets.paths(fieldsets.from_object({"spec": spec}, root)):
        value_at({"spec": spec}, path)


def test_keys_are_ordered_by_value_and_not_by_text() -> None:
    fields: fieldsets.FieldSet = {
        'k:{"port":443}': {},
        'k:{"port":80}': {},
        'v:"b"': {},
        "v:2": {},
        "f:z": {},
        "i:0": {},
    }
    in_order = ["f:z", 'k:{"port":80}', 'k:{"port":443}', "v:2", 'v:"b"', "i:0"]
    assert list(fieldsets.to_fieldsv1(fields)) == in_order


def test_a_foreign_spelling_becomes_ours() -> None:
    foreign = {"f:list": {'k:{"b": 1, "a": "<"}': {".": {}, "f:b": {}}}, "x:future": {}, "f:alone": {".": {}}}
    ours: fieldsets.FieldSet = {"f:list": {'k:{"a":"\\u003c","b":1}': {".": {}, "f:b": {}}}, "f:alone": {}}
    assert fieldsets.from_fieldsv1(foreign) == ours


@pytest.mark.parametrize("key", ["", "f", "fname", "k:name", "k:[]", "v:{", "v:[1]", "i:x", "i:1.5"])
def test_a_key_that_is_no_path_element_is_refused(key: str) -> None:
    with pytest.raises(elements.ElementError):
        fieldsets.from_fieldsv1({key: {}})


@pytest.mark.parametrize(
    ("element", "shown"),
    [
        ("f:name", ".name"),
        ('k:{"name":"a\\"b","on":true,"port":80}', '[name="a\\"b",on=true,port=80]'),
        ('v:"\\u003cé\\u003e"', '[="<é>"]'),
        ("v:1.5", "[=1.5]"),
        ("i:3", "[3]"),
    ],
)
def test_an_element_is_shown_as_in_a_conflict(element: str, shown: str) -> None:
    assert elements.shown(element) == shown
