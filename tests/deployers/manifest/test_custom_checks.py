"""Custom checks judge objects by their fields, and name the object, the field, what it is and what it should be."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.deployers.manifest import customchecks
from landform.deployers.manifest.readiness import Verdict

REFERENCE = {"apiVersion": "v1", "kind": "ConfigMap", "name": "settings", "namespace": "shop"}
BY_LABEL = {"apiVersion": "v1", "kind": "ConfigMap", "matchLabels": {"app": "web"}}
MET = Verdict(is_ready=True, why="check c: all requirements are met")


def requirement(path: str, operator: str, *values: Any) -> dict[str, Any]:
    return {"jsonPath": path, "operator": operator, "values": [{"value": value} for value in values]}


def thing(name: str = "settings", kind: str = "ConfigMap", labels: Any = None, **content: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop", "labels": labels}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **content}


def verdict(objects: list[dict[str, Any]], *requirements: dict[str, Any], **said: Any) -> Verdict:
    selectors = said if "labelSelector" in said or "resourceSelector" in said else {"resourceSelector": [REFERENCE]}
    config = {"name": "c", "requirements": list(requirements), **selectors, **said}
    return customchecks.check(objects, customchecks.parse(config, "custom[0]"))


def judged(data: Any, path: str, operator: str, *values: Any) -> Verdict:
    return verdict([thing(data=data)], requirement(path, operator, *values))


@pytest.mark.parametrize(
    ("operator", "values", "is_met"),
    [
        ("exists", [], True),
        ("!", [], False),
        ("=", [5], True),
        ("=", [6], False),
        ("==", [5.0], True),
        ("==", ["5"], False),
        ("!=", [6], True),
        ("!=", [5], False),
        ("in", [4, 5], True),
        ("in", [4, 6], False),
        ("notin", [4, 6], True),
        ("notin", [4, 5], False),
    ],
)
def test_every_operator_compares_what_is_found(operator: str, values: list[Any], is_met: bool) -> None:
    assert judged({"n": 5}, ".data.n", operator, *values).is_ready is is_met


@pytest.mark.parametrize("path", [".data.none", "data.none", ".data.text.deeper", '.data.list[?(@.x=="y")].x'])
@pytest.mark.parametrize(
    ("operator", "values"),
    [("exists", []), ("=", [1]), ("==", [1]), ("!=", [1]), ("in", [1]), ("notin", [1])],
)
def test_what_is_missing_meets_only_the_requirement_that_it_be_missing(
    path: str, operator: str, values: list[Any]
) -> None:
    data = {"text": "a", "list": [{"x": "z"}]}
    why = f"check c: ConfigMap shop/settings: {path} does not exist"
    assert judged(data, path, operator, *values) == Verdict(is_ready=False, why=why)
    assert judged(data, path, "!") == MET


@pytest.mark.parametrize("path", [".data.n", "data.n", "{.data.n}", "{data.n}"])
def test_a_path_needs_neither_braces_nor_the_first_dot(path: str) -> None:
    assert judged({"n": 5}, path, "=", 5) == MET


@pytest.mark.parametrize(
    ("operator", "values", "why"),
    [
        ("=", [3], ".data.n is 5, expected 3"),
        ("==", [{"a": None}], '.data.n is 5, expected {"a": null}'),
        ("!=", [5], ".data.n is 5, expected another value"),
        ("in", ["a", True], '.data.n is 5, expected one of "a", true'),
        ("notin", [5, 6], ".data.n is 5, expected none of 5, 6"),
        ("!", [], ".data.n exists and should not"),
    ],
)
def test_what_is_not_met_is_told_with_what_was_found_and_expected(operator: str, values: list[Any], why: str) -> None:
    found = judged({"n": 5}, ".data.n", operator, *values)
    assert found == Verdict(is_ready=False, why=f"check c: ConfigMap shop/settings: {why}")


def test_all_that_a_path_finds_must_meet_the_requirement() -> None:
    data = {"parts": [{"state": "up"}, {"state": "down"}]}
    assert judged(data, ".data.parts[*].state", "in", "up", "down") == MET
    assert ' is "down", expected "up"' in judged(data, ".data.parts[*].state", "=", "up").why
    assert judged(data, ".data.parts[*].state", "!=", "gone") == MET


def test_conditions_are_found_with_a_filter() -> None:
    path = '.status.conditions[?(@.type=="Ready")].status'
    waiting = thing(
        status={"conditions": [{"type": "Healthy", "status": "True"}, {"type": "Ready", "status": "False"}]}
    )
    done = thing(status={"conditions": [{"type": "Healthy", "status": "False"}, {"type": "Ready", "status": "True"}]})
    assert not verdict([waiting], requirement(path, "==", "True")).is_ready
    assert verdict([done], requirement(path, "==", "True")) == MET


@pytest.mark.parametrize("first", [requirement("data.a", "exists"), requirement("data.z", "!")])
def test_a_question_of_existence_does_not_end_the_check(first: dict[str, Any]) -> None:
    found = verdict([thing(data={"a": 1})], first, requirement("data.a", "=", 2))
    assert found.why == "check c: ConfigMap shop/settings: data.a is 1, expected 2"


def test_a_null_is_a_value() -> None:
    assert judged({"n": None}, "data.n", "exists") == MET
    assert judged({"n": None}, "data.n", "=", None) == MET
    assert not judged({"n": 0}, "data.n", "=", None).is_ready


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (0, None, False),
        ("", None, False),
        ([1, 2], [1.0, 2], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ({"a": [1]}, {"a": [1.0]}, True),
        ({"a": [1]}, {"a": [True]}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({}, [], False),
        ("1", 1, False),
    ],
)
def test_values_are_compared_as_json(one: Any, other: Any, same: bool) -> None:
    assert judged({"n": one}, "data.n", "=", other).is_ready is same
    assert judged({"n": other}, "data.n", "!=", one).is_ready is not same


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def as_numbers(value: Any) -> Any:
    """The value with all numbers as floats and booleans as something that no other value is."""
    match value:
        case bool():
            return ("boolean", value)
        case int():
            return float(value)
        case list():
            return [as_numbers(each) for each in value]
        case dict():
            return {key: as_numbers(each) for key, each in value.items()}
    return value


@given(JSON, JSON)
def test_equality_and_its_opposite_never_agree(one: Any, other: Any) -> None:
    same = as_numbers(one) == as_numbers(other)
    for operator, expected in (("=", same), ("==", same), ("in", same), ("!=", not same), ("notin", not same)):
        found = judged({"n": one}, "data.n", operator, other)
        assert found.is_ready is expected
        assert "\n" not in found.why


@given(JSON)
def test_a_value_is_equal_to_itself_after_a_journey_as_text(value: Any) -> None:
    assert judged({"n": value}, "data.n", "=", json.loads(json.dumps(value))) == MET


def test_values_nested_very_deeply_are_compared_and_not_shown() -> None:
    def nested(innermost: int) -> Any:
        value: Any = innermost
        for _ in range(20_000):
            value = [value]
        return value

    assert judged({"n": nested(1)}, "data.n", "=", nested(1)) == MET
    found = judged({"n": nested(1)}, "data.n", "=", nested(2))
    assert not found.is_ready
    assert found.why.count("a value that is nested too deeply to be shown") == 2


def test_a_long_value_is_cut() -> None:
    found = judged({"n": "x" * 5000}, "data.n", "=", "y" * 5000)
    assert not found.is_ready
    assert len(found.why) < 800


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (".data.list[3]", "array index out of bounds: index 3, length 1"),
        (".data.map[0]", "is not array or slice"),
        (".data.list[?(@.x==1.5)].x", "incompatible types for comparison"),
    ],
)
@pytest.mark.parametrize("operator", ["exists", "!"])
def test_a_path_that_does_not_fit_the_object_is_not_met_and_says_why(path: str, why: str, operator: str) -> None:
    found = judged({"list": [{"x": 1}], "map": {}}, path, operator)
    assert not found.is_ready
    assert found.why.startswith(f"check c: ConfigMap shop/settings: {path} does not fit the object: ")
    assert why in found.why


@pytest.mark.parametrize(
    ("path", "operator", "values"),
    [
        (".data.token", "=", ["c2VjcmV0b25l"]),
        (".data.token", "!=", ["aGlkZGVudHdv"]),
        (".data.token", "in", ["c2VjcmV0b25l", "c2VjcmV0dHdv"]),
        (".data.token", "notin", ["aGlkZGVudHdv"]),
        (".data.token", "!", []),
        (".data", "=", [{"token": "c2VjcmV0b25l"}]),
        (".data.token[0]", "=", ["c2VjcmV0b25l"]),
        (".data.token[?(@.a==1)]", "=", ["c2VjcmV0b25l"]),
        ("..token", "=", ["c2VjcmV0b25l"]),
        (".data.none", "=", ["c2VjcmV0b25l"]),
    ],
)
def test_no_value_of_a_secret_is_told(path: str, operator: str, values: list[Any]) -> None:
    secret = thing(kind="Secret", data={"token": "aGlkZGVudHdv"})
    found = verdict([secret], requirement(path, operator, *values), resourceSelector=[{**REFERENCE, "kind": "Secret"}])
    assert not found.is_ready
    assert path in found.why
    assert "Secret shop/settings" in found.why
    assert not any(value in found.why for value in ("aGlkZGVudHdv", "c2VjcmV0b25l", "c2VjcmV0dHdv"))


def test_every_named_object_must_exist() -> None:
    references = [REFERENCE, {**REFERENCE, "name": "other"}]
    found = verdict([thing()], requirement("metadata.name", "exists"), resourceSelector=references)
    assert found == Verdict(is_ready=False, why="check c: ConfigMap shop/other does not exist")


@pytest.mark.parametrize("field", ["apiVersion", "kind", "name", "namespace"])
def test_an_object_is_named_by_all_four_fields(field: str) -> None:
    found = verdict([thing()], requirement("metadata.name", "exists"), resourceSelector=[{**REFERENCE, field: "x"}])
    assert "does not exist" in found.why


def test_a_namespace_said_of_a_kind_without_one_does_not_count() -> None:
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}}
    reference = {"apiVersion": role["apiVersion"], "kind": "ClusterRole", "name": "r", "namespace": "shop"}
    assert verdict([role], requirement("metadata.name", "=", "r"), resourceSelector=[reference]) == MET


def test_all_objects_with_the_labels_must_meet_the_requirements_wherever_they_are() -> None:
    good = thing("a", labels={"app": "web", "tier": "front"}, data={"n": 1})
    bad = thing("b", labels={"app": "web"}, data={"n": 2})
    bad["metadata"]["namespace"] = "elsewhere"
    other = thing("c", labels={"app": "db"}, data={"n": 3})
    unlabelled = thing("d", data={"n": 4})
    wanted = requirement("data.n", "=", 1)
    assert verdict([good, other, unlabelled], wanted, labelSelector=BY_LABEL) == MET
    found = verdict([good, bad, other], wanted, labelSelector=BY_LABEL)
    assert found.why == "check c: ConfigMap elsewhere/b: data.n is 2, expected 1"


@pytest.mark.parametrize("objects", [[], [thing(labels={"app": "db"})], [thing(kind="Secret", labels={"app": "web"})]])
def test_at_least_one_object_must_have_the_labels(objects: list[dict[str, Any]]) -> None:
    found = verdict(objects, requirement("metadata", "exists"), labelSelector=BY_LABEL)
    assert found == Verdict(is_ready=False, why="check c: no ConfigMap has the labels app=web")


def test_objects_by_name_and_by_labels_are_judged_together_and_once_each() -> None:
    named, labelled = thing(data={"n": 1}, labels={"app": "web"}), thing("b", labels={"app": "web"}, data={"n": 1})
    both = {"resourceSelector": [REFERENCE], "labelSelector": BY_LABEL}
    found = verdict([named, labelled, named], requirement("data.n", "=", 2), **both)
    assert found.why == (
        "check c: ConfigMap shop/settings: data.n is 1, expected 2; ConfigMap shop/b: data.n is 1, expected 2"
    )


def test_of_many_problems_the_first_are_told_and_the_others_counted() -> None:
    objects = [thing(f"m{number}", labels={"app": "web"}) for number in range(10)]
    found = verdict(objects, requirement("data.n", "exists"), labelSelector=BY_LABEL)
    assert found.why.count("does not exist") == 3
    assert found.why.endswith("; and 7 more")


def test_a_check_that_is_disabled_is_met() -> None:
    found = verdict([], requirement("data.n", "exists"), disabled=True)
    assert found == Verdict(is_ready=True, why="check c is disabled")
