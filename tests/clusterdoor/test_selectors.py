"""Selectors understand, match and refuse exactly what Kubernetes' own library does."""

from __future__ import annotations

import contextlib
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.cluster.selectors import (
    EVERYTHING,
    Operator,
    check_label_key,
    check_label_value,
    parse_fields,
    parse_labels,
    selector_from_object,
)

GOLDEN: dict[str, Any] = json.loads(Path(__file__).with_name("golden").joinpath("selectors.json").read_text())
"""Made by golden/selectors/main.go with k8s.io/apimachinery."""


def golden(section: str) -> pytest.MarkDecorator:
    cases = GOLDEN[section]
    return pytest.mark.parametrize("case", cases, ids=[json.dumps(case["input"])[:60] for case in cases])


@golden("labels")
def test_label_selectors_agree_with_kubernetes(case: dict[str, Any]) -> None:
    if case["error"]:
        with pytest.raises(ValueError) as caught:
            parse_labels(case["input"])
        assert str(caught.value) == case["error"]
    else:
        selector = parse_labels(case["input"])
        assert str(selector) == case["text"]
        assert [selector.matches(labels) for labels in GOLDEN["labelSets"]] == case["matches"]


@golden("objects")
def test_selector_objects_agree_with_kubernetes(case: dict[str, Any]) -> None:
    if case["error"]:
        with pytest.raises(ValueError) as caught:
            selector_from_object(case["input"])
        assert str(caught.value) == case["error"]
    else:
        selector = selector_from_object(case["input"])
        assert selector is not None
        assert str(selector) == case["text"]
        assert [selector.matches(labels) for labels in GOLDEN["labelSets"]] == case["matches"]


def value_of(fields: dict[str, str], name: str) -> str:
    return fields.get(name, "")


@golden("fields")
def test_field_selectors_agree_with_kubernetes(case: dict[str, Any]) -> None:
    if case["error"]:
        with pytest.raises(ValueError) as caught:
            parse_fields(case["input"])
        assert str(caught.value) == case["error"]
    else:
        selector = parse_fields(case["input"])
        assert str(selector) == case["text"]
        answers = [selector.matches(partial(value_of, fields)) for fields in GOLDEN["fieldSets"]]
        assert answers == case["matches"]


@golden("keys")
def test_label_keys_agree_with_kubernetes(case: dict[str, Any]) -> None:
    assert (check_label_key(case["input"]) or "") == case["error"]


@golden("values")
def test_label_values_agree_with_kubernetes(case: dict[str, Any]) -> None:
    assert (check_label_value(case["input"]) or "") == case["error"]


def test_no_selector_object_selects_nothing() -> None:
    assert selector_from_object(None) is None


def test_a_selector_without_requirements_is_false_and_matches_everything() -> None:
    assert not EVERYTHING
    assert EVERYTHING.matches({})
    assert parse_labels("") is EVERYTHING


def test_the_same_text_gives_the_same_object() -> None:
    assert parse_labels("app=web") is parse_labels("app=web")


def test_a_field_selector_names_the_value_a_field_must_have() -> None:
    selector = parse_fields("metadata.name=x,status.phase!=y")
    assert selector.exact("metadata.name") == "x"
    assert selector.exact("status.phase") is None
    assert selector.fields == ("metadata.name", "status.phase")


words = st.from_regex(r"[a-z0-9]([-a-z0-9_.]{0,10}[a-z0-9])?", fullmatch=True)
values = words | st.just("")
requirements = st.one_of(
    words,
    words.map("!{}".format),
    st.builds("{}{}{}".format, words, st.sampled_from(["=", "==", "!="]), values),
    st.builds(
        lambda key, op, chosen: f"{key} {op} ({','.join(chosen)})",
        words,
        st.sampled_from(["in", "notin"]),
        st.lists(values, min_size=1, max_size=4, unique=True),
    ),
    st.builds("{}{}{}".format, words, st.sampled_from("<>"), st.integers(0, 10**6)),
)


@given(st.lists(requirements, max_size=5))
def test_what_a_selector_prints_parses_to_an_equal_selector(parts: list[str]) -> None:
    selector = parse_labels(",".join(parts))
    assert parse_labels(str(selector)) == selector


@given(st.lists(requirements, max_size=5), st.dictionaries(words, values, max_size=4))
def test_a_selector_matches_when_each_requirement_does(parts: list[str], labels: dict[str, str]) -> None:
    selector = parse_labels(",".join(parts))
    assert selector.matches(labels) == all(requirement.matches(labels) for requirement in selector.requirements)


@given(st.text(alphabet="ab=!,()<> in\\\0é", max_size=12))
def test_any_text_is_either_understood_or_refused_with_a_value_error(text: str) -> None:
    for parse in (parse_labels, parse_fields):
        with contextlib.suppress(ValueError):
            parse(text)


@given(st.dictionaries(words, st.text(max_size=8), max_size=4))
def test_a_printed_field_selector_keeps_any_value(wanted: dict[str, str]) -> None:
    escape = str.maketrans({"\\": "\\\\", ",": "\\,", "=": "\\="})
    text = ",".join(f"{name}={value.translate(escape)}" for name, value in wanted.items())
    selector = parse_fields(text)
    assert {term.field: term.value for term in selector.terms} == wanted
    assert parse_fields(str(selector)) == selector


def test_operators_carry_the_api_servers_names() -> None:
    assert [str(operator) for operator in Operator] == ["in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"]
