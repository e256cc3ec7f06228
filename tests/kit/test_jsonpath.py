"""Kubernetes' JSONPath: what client-go says, the relaxed form, and what must hold for all paths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landform.kit import jsonpath
from landform.kit.jsonpath import EvaluationError, InvalidPath, JSONPathError, Mismatch

GOLDEN = Path(__file__).parents[1] / "golden" / "jsonpath"
CASES: dict[str, Any] = json.loads((GOLDEN / "cases.json").read_text("utf-8"))
DOCUMENTS: dict[str, Any] = CASES["documents"]
EXPECTED: list[dict[str, Any]] = json.loads((GOLDEN / "expected.json").read_text("utf-8"))

SERVICE: dict[str, Any] = {
    "metadata": {"name": "web", "annotations": {"a.b/c": "dotted"}},
    "spec": {"ports": [{"name": "http", "port": 80}, {"name": "https", "port": 443}]},
}


def case_id(case: dict[str, Any]) -> str:
    return f"{ascii(case['path'])[:60]} {case['document']}{' missing' if case.get('allow_missing') else ''}"


def outcome(case: dict[str, Any]) -> dict[str, Any]:
    """What we make of a case, in the form of the golden file."""
    result: dict[str, Any] = {key: case[key] for key in ("path", "document", "allow_missing") if key in case}
    data = DOCUMENTS[case["document"]]
    try:
        path = jsonpath.compile(case["path"], case.get("allow_missing", False), braces=True)
        found = path.find(data)
    except InvalidPath as error:
        return {**result, "parse_error": str(error)}
    except EvaluationError as error:
        return {**result, "find_error": str(error)}
    # Go leaves out a list of results that is empty.
    return {**result, **({"find": found} if found else {}), "text": path.render(data)}


def test_every_golden_case_has_an_expectation() -> None:
    keys = ("path", "document", "allow_missing")
    assert [{key: case[key] for key in keys if key in case} for case in EXPECTED] == CASES["cases"]
    assert len(EXPECTED) >= 200


@pytest.mark.parametrize("case", EXPECTED, ids=case_id)
def test_a_path_behaves_as_in_go(case: dict[str, Any]) -> None:
    assert outcome(case) == case


@pytest.mark.parametrize("path", ["metadata.name", ".metadata.name", "{.metadata.name}", "{$.metadata.name}"])
def test_braces_and_the_leading_dot_may_be_left_out(path: str) -> None:
    assert jsonpath.compile(path).find(SERVICE) == [["web"]]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (r"metadata.annotations.a\.b/c", ["dotted"]),
        ('.spec.ports[?(@.name=="https")].port', [443]),
        ("..port", [80, 443]),
        ("spec.ports[-1].name", ["https"]),
    ],
)
def test_the_relaxed_form_takes_every_kind_of_step(path: str, found: list[Any]) -> None:
    assert jsonpath.compile(path).find(SERVICE) == [found]


def test_a_text_without_braces_is_plain_text_where_braces_are_demanded() -> None:
    assert jsonpath.compile("metadata.name", braces=True).render(SERVICE) == "metadata.name"


@pytest.mark.parametrize("path", ["", "a", ".a", "{a}", "{.a}"])
def test_the_relaxed_forms_become_one(path: str) -> None:
    assert jsonpath.relaxed(path) == ("{.a}" if path else "")


@pytest.mark.parametrize(
    "path",
    [
        "$.metadata.name",
        "{$.metadata.name}",
        "$['metadata'].name",
        "['metadata']['name']",
        "['metadata'].name",
        "@.metadata.name",
    ],
)
def test_a_relaxed_path_may_begin_at_the_root_or_with_brackets(path: str) -> None:
    assert jsonpath.compile(jsonpath.relaxed(path), allow_missing=True).find(SERVICE) == [["web"]]


def test_a_dot_alone_is_the_whole_object() -> None:
    assert jsonpath.compile(".").find(SERVICE) == [[SERVICE]]


@pytest.mark.parametrize("path", ["{a}{b}", "a}", "x {.a}", "{}"])
def test_a_template_is_not_a_relaxed_path(path: str) -> None:
    with pytest.raises(InvalidPath, match="unexpected path string, expected a 'name1"):
        jsonpath.relaxed(path)


def test_an_invalid_path_says_where_it_broke() -> None:
    with pytest.raises(InvalidPath, match="unclosed action") as caught:
        jsonpath.compile("name: {.metadata.name")
    assert (caught.value.path, caught.value.position) == ("name: {.metadata.name", 21)


def test_a_compiled_path_keeps_no_state() -> None:
    path = jsonpath.compile("{range .spec.ports[*]}{.name}:{.port} {end}")
    assert [path.render(SERVICE) for _ in range(3)] == ["http:80 https:443 "] * 3


def test_a_compiled_path_works_again_after_an_error() -> None:
    path = jsonpath.compile("{range .spec.ports[*]}{.port}{end}")
    with pytest.raises(Mismatch, match="port is not found"):
        path.find({"spec": {"ports": [{"name": "http"}]}})
    assert path.render(SERVICE) == "80443"


def test_maps_are_visited_in_the_order_of_their_keys() -> None:
    assert jsonpath.compile("{.*}").find({"b": 1, "a": 2, "c": 3}) == [[2, 1, 3]]
    assert jsonpath.compile("{..x}").find({"b": {"x": 1}, "a": {"x": 2}, "x": 3}) == [[3, 2, 1]]


def test_a_path_does_not_change_its_data() -> None:
    before = json.dumps(SERVICE)
    for path in ("{..}", "{.*.*}", "{.spec.ports[::2]}", "{range .spec.ports[*]}{.name}{end}"):
        jsonpath.compile(path).render(SERVICE)
    assert json.dumps(SERVICE) == before


def test_found_values_are_the_values_of_the_data_and_not_copies() -> None:
    assert jsonpath.compile("{.spec.ports}").find(SERVICE)[0][0] is SERVICE["spec"]["ports"]


def test_tuples_count_as_lists() -> None:
    assert jsonpath.compile("{[1]}{[*]}").render((1, 2)) == "21 2"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_cannot_write_is_an_error_inside_of_a_map(number: float) -> None:
    with pytest.raises(EvaluationError, match="json: unsupported value: "):
        jsonpath.compile("{@}").render({"a": number})


def test_ranging_over_data_that_is_nil_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="cannot range over nil data"):
        jsonpath.compile("{range @}x{end}").find(None)


def test_indexing_data_that_is_nil_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="<nil> is not array or slice"):
        jsonpath.compile("{[0]}").find(None)


names = st.sampled_from(["a", "b", "name", "items"])
scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text()
data = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=15
)
tokens = st.sampled_from(
    [".", "..", "[", "]", "[*]", "[0]", "[-1:]", "[?(", ")]", "@", "$", "==", "<", "!=", "'", '"', "{", "}", "{range "]
) | st.sampled_from(
    ["{end}", "*", "a", ".b", ".name", "1", "2.5", "true", " ", ",", "\\", "\\n", ":", "-", "é", "\n", "::2", "items"]
)
paths = st.lists(tokens, max_size=14).map("".join)


@settings(deadline=None)
@given(st.text() | paths | paths.map(lambda path: f"{{{path}}}"), data, st.booleans())
def test_nothing_causes_anything_but_a_jsonpath_error(path: str, value: Any, allow_missing: bool) -> None:
    try:
        jsonpath.compile(path, allow_missing).render(value)
    except JSONPathError:
        return


@settings(deadline=None)
@given(data)
def test_the_current_object_is_the_data_itself(value: Any) -> None:
    assert jsonpath.compile("{@}").find(value) == [[value]]


# Larger floats are printed with their shortest digits and zeros, which Python reads as a whole number next to them.
modest = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e15, 1e15) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(), modest))
def test_a_printed_map_is_json_of_the_same_data(value: dict[str, Any]) -> None:
    assert json.loads(jsonpath.compile("{@}").render(value)) == value


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1), st.integers(), min_size=1), st.data())
def test_every_key_can_be_reached_with_escapes(value: dict[str, int], draw: st.DataObject) -> None:
    # A backslash itself cannot be part of a name: the original drops all of them.
    keys = sorted(key for key in value if "\\" not in key and key != "*")
    if keys:
        key = draw.draw(st.sampled_from(keys))
        escaped = "".join(f"\\{char}" for char in key)
        assert jsonpath.compile(f"{{.{escaped}}}", braces=True).find(value) == [[value[key]]]
