"""Merge patches, JSON patches and the difference of two values."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.kit import patches
from landform.kit.patches import PatchError, diff, json_patch, merge_patch, same

SCALARS = st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
NAMES = st.sampled_from("abcd")
WITHOUT_NULLS = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)
ANY_JSON = st.recursive(
    SCALARS | st.none(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4)
)
OBJECTS = st.dictionaries(NAMES, WITHOUT_NULLS, max_size=4)
POINTERS = st.lists(st.sampled_from(["a", "b", "0", "1", "-1", "-", "9", "01", ""]), max_size=3).map(
    lambda steps: "".join(f"/{step}" for step in steps)
)
OPERATIONS = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"])},
    optional={"path": POINTERS, "from": POINTERS, "value": ANY_JSON},
)


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [  # the table of RFC 7386, appendix A
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_a_merge_patch_does_what_the_rfc_says(target: Any, patch: Any, result: Any) -> None:
    assert merge_patch(target, patch) == result


def test_a_merge_patch_shares_what_it_does_not_change_and_modifies_nothing() -> None:
    target = {"kept": {"x": [1]}, "changed": {"y": 1}}
    result = merge_patch(target, {"changed": {"y": 2}})
    assert result == {"kept": {"x": [1]}, "changed": {"y": 2}}
    assert result["kept"] is target["kept"]
    assert target == {"kept": {"x": [1]}, "changed": {"y": 1}}


@given(ANY_JSON, ANY_JSON)
def test_a_merge_patch_never_modifies_its_arguments(target: Any, patch: Any) -> None:
    before = copy.deepcopy((target, patch))
    merge_patch(target, patch)
    assert same(before, (target, patch)) or before == (target, patch)


@given(WITHOUT_NULLS, WITHOUT_NULLS)
def test_the_difference_of_two_values_leads_from_one_to_the_other(old: Any, new: Any) -> None:
    assert same(merge_patch(old, diff(old, new)), new)


@given(OBJECTS)
def test_the_difference_of_equal_objects_is_empty(value: dict[str, Any]) -> None:
    assert diff(value, copy.deepcopy(value)) == {}


def test_the_difference_names_only_what_changed() -> None:
    old = {"a": 1, "b": {"c": 1, "d": [1]}, "e": 1}
    assert diff(old, {"a": 1, "b": {"c": 2, "d": [1]}}) == {"b": {"c": 2}, "e": None}


def test_true_one_and_one_point_zero_are_different_values() -> None:
    assert diff({"a": 1}, {"a": True}) == {"a": True}
    assert diff({"a": [1]}, {"a": [1.0]}) == {"a": [1.0]}


@pytest.mark.parametrize(
    ("document", "operations", "result"),
    [  # the examples of RFC 6902, appendix A
        ({"foo": "bar"}, [{"op": "add", "path": "/baz", "value": "qux"}], {"baz": "qux", "foo": "bar"}),
        ({"foo": ["bar", "baz"]}, [{"op": "add", "path": "/foo/1", "value": "qux"}], {"foo": ["bar", "qux", "baz"]}),
        ({"baz": "qux", "foo": "bar"}, [{"op": "remove", "path": "/baz"}], {"foo": "bar"}),
        ({"foo": ["bar", "qux", "baz"]}, [{"op": "remove", "path": "/foo/1"}], {"foo": ["bar", "baz"]}),
        ({"baz": "qux"}, [{"op": "replace", "path": "/baz", "value": "boo"}], {"baz": "boo"}),
        (
            {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
            [{"op": "move", "from": "/foo/waldo", "path": "/qux/thud"}],
            {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}},
        ),
        (
            {"foo": ["all", "grass", "cows", "eat"]},
            [{"op": "move", "from": "/foo/1", "path": "/foo/3"}],
            {"foo": ["all", "cows", "eat", "grass"]},
        ),
        (
            {"baz": "qux", "foo": ["a", 2, "c"]},
            [{"op": "test", "path": "/baz", "value": "qux"}, {"op": "test", "path": "/foo/1", "value": 2}],
            {"baz": "qux", "foo": ["a", 2, "c"]},
        ),
        (
            {"foo": "bar"},
            [{"op": "add", "path": "/child", "value": {"grandchild": {}}}],
            {"foo": "bar", "child": {"grandchild": {}}},
        ),
        ({"foo": "bar"}, [{"op": "add", "path": "/baz", "value": "qux", "xyz": 123}], {"foo": "bar", "baz": "qux"}),
        ({"/": 9, "~1": 10}, [{"op": "test", "path": "/~01", "value": 10}], {"/": 9, "~1": 10}),
        ({"foo": ["bar"]}, [{"op": "add", "path": "/foo/-", "value": ["abc"]}], {"foo": ["bar", ["abc"]]}),
        # and the rest of its rules
        ({"a": 1}, [{"op": "replace", "path": "", "value": [1]}], [1]),
        ({"a": 1}, [{"op": "add", "path": "", "value": None}], None),
        ({"a": {"b": 1}}, [{"op": "copy", "from": "/a", "path": "/c"}], {"a": {"b": 1}, "c": {"b": 1}}),
        ({"a": 1}, [{"op": "move", "from": "/a", "path": "/a"}], {"a": 1}),
        ({"a": 1}, [{"op": "test", "path": "", "value": {"a": 1.0}}], {"a": 1}),
        ({"a": 1}, [{"op": "add", "path": "/b", "value": None}], {"a": 1, "b": None}),
        ({"": 1}, [{"op": "remove", "path": "/"}], {}),
        ([1, [2]], [{"op": "add", "path": "/1/0", "value": 0}], [1, [0, 2]]),
        # what Kubernetes takes beyond the RFC
        ({"a": [1, 2, 3]}, [{"op": "remove", "path": "/a/-1"}], {"a": [1, 2]}),
        ({"a": {}}, [{"op": "replace", "path": "/a/b", "value": 1}], {"a": {"b": 1}}),
        ({"a": {}}, [{"op": "test", "path": "/a/b", "value": None}], {"a": {}}),
    ],
)
def test_a_json_patch_does_what_the_rfc_says(document: Any, operations: Any, result: Any) -> None:
    before = copy.deepcopy((document, operations))
    assert json_patch(document, operations) == result
    assert (document, operations) == before


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ({"op": "test", "path": "/a", "value": True}, "testing value /a failed: test failed"),
        ({"op": "test", "path": "/x/y", "value": 1}, 'test operation does not apply: doc is missing path: "/x/y"'),
        (
            {"op": "add", "path": "/x/y", "value": 1},
            'add operation does not apply: doc is missing path: "/x/y": missing value',
        ),
        ({"op": "add", "path": "/a/b", "value": 1}, 'add operation does not apply: doc is missing path: "/a/b"'),
        ({"op": "add", "path": "/l/3", "value": 1}, "error in add for path: '/l/3': Unable to access invalid index: 3"),
        ({"op": "add", "path": "/l/01", "value": 1}, "value was not a proper array index: '01'"),
        ({"op": "add", "path": "/l/1e0", "value": 1}, "value was not a proper array index: '1e0'"),
        (
            {"op": "remove", "path": "/x"},
            "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
        ),
        ({"op": "remove", "path": ""}, "remove operation does not apply to the whole document"),
        ({"op": "replace", "path": "/l/9", "value": 1}, "replace operation does not apply: doc is missing key: /l/9"),
        ({"op": "move", "from": "/o", "path": "/o/p"}, "/o/p lies inside of /o"),
        ({"op": "copy", "from": "/x", "path": "/y"}, 'copy operation does not apply: doc is missing path: "/x"'),
        ({"op": "add", "path": "a", "value": 1}, '"a" must start with "/"'),
        ({"op": "add", "path": "/a"}, "add operation has no value"),
        ({"op": "add", "value": 1}, "add operation failed to decode path: missing value"),
        ({"op": "spin", "path": "/a"}, "Unexpected kind: spin"),
        ({"path": "/a"}, "Unexpected kind: unknown"),
    ],
)
def test_an_operation_that_does_not_apply_is_named(operation: dict[str, Any], message: str) -> None:
    document = {"a": 1, "l": [1, 2], "o": {}}
    with pytest.raises(PatchError) as caught:
        json_patch(document, [{"op": "test", "path": "/a", "value": 1}, operation])
    assert message in caught.value.message
    assert caught.value.index == 1
    assert caught.value.path == operation.get("path", "")
    assert document == {"a": 1, "l": [1, 2], "o": {}}


def test_a_copied_value_is_independent_of_its_source() -> None:
    operations = [
        {"op": "add", "path": "/a/x", "value": 1},
        {"op": "copy", "from": "/a", "path": "/b"},
        {"op": "add", "path": "/b/y", "value": 2},
    ]
    assert json_patch({"a": {}}, operations) == {"a": {"x": 1}, "b": {"x": 1, "y": 2}}


def test_an_added_value_is_not_changed_by_later_operations() -> None:
    value: dict[str, Any] = {"x": {}}
    operations = [{"op": "add", "path": "/a", "value": value}, {"op": "add", "path": "/a/x/y", "value": 1}]
    assert json_patch({}, operations) == {"a": {"x": {"y": 1}}}
    assert value == {"x": {}}


def test_too_many_operations_are_refused() -> None:
    operation = {"op": "add", "path": "/a", "value": 1}
    assert json_patch({}, [operation] * patches.MAX_OPERATIONS) == {"a": 1}
    with pytest.raises(patches.TooManyOperations, match="maximum operations in a JSON patch is 10000, got 10001"):
        json_patch({}, [operation] * (patches.MAX_OPERATIONS + 1))


def test_copies_cannot_double_the_document_without_end() -> None:
    operations = [{"op": "copy", "from": "/a", "path": "/a/-"}] * 100
    with pytest.raises(PatchError, match="exceeding the limit 3145728"):
        json_patch({"a": ["x" * 100]}, operations)


def test_moves_cannot_nest_the_document_without_end() -> None:
    dig = [
        {"op": "add", "path": "/b", "value": {}},
        {"op": "move", "from": "/a", "path": "/b/a"},
        {"op": "move", "from": "/b", "path": "/a"},
    ]
    with pytest.raises(PatchError, match="nested more than 500 levels"):
        json_patch({"a": 1}, dig * 3000)
    with pytest.raises(PatchError, match="nested more than 500 levels"):
        json_patch({"a": 1}, [*dig * 3000, {"op": "copy", "from": "/a", "path": "/c"}])


def test_a_patch_that_is_no_list_of_objects_is_refused_as_malformed() -> None:
    with pytest.raises(patches.MalformedPatch, match="must be a list"):
        json_patch({}, {"op": "add"})
    with pytest.raises(patches.MalformedPatch, match=r"an operation must be an object, not 'add' \(operation 1\)"):
        json_patch({"a": 1}, [{"op": "remove", "path": "/a"}, "add"])


@given(ANY_JSON, st.lists(OPERATIONS, max_size=5))
def test_a_json_patch_applies_or_raises_patch_error_and_modifies_nothing(document: Any, operations: Any) -> None:
    before = copy.deepcopy((document, operations))
    with contextlib.suppress(PatchError):
        json_patch(document, operations)
    assert (document, operations) == before
