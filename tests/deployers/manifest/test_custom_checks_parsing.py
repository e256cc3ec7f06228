"""A custom check is read with its defaults, and everything that is wrong with it is told with its place."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.deployers.manifest import customchecks
from landform.deployers.manifest.configuration import LabelSelector, Operator, TypedReference

REFERENCE = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "namespace": "n"}
REQUIREMENT = {"jsonPath": ".data.x", "operator": "==", "values": [{"value": "y"}]}
CHECK = {"name": "c", "resourceSelector": [REFERENCE], "requirements": [REQUIREMENT]}
PATH = "readinessChecks.custom[3]"


def refusal(**fields: Any) -> list[str]:
    with pytest.raises(customchecks.InvalidCheck) as refused:
        customchecks.parse({**CHECK, **fields}, PATH)
    assert all(str(fault) in str(refused.value) for fault in refused.value.faults)
    return [str(fault) for fault in refused.value.faults]


def refused_requirement(**fields: Any) -> list[str]:
    return [text.removeprefix(f"{PATH}.requirements[0]") for text in refusal(requirements=[{**REQUIREMENT, **fields}])]


def test_a_check_is_read_with_all_its_fields() -> None:
    labels = {"apiVersion": "apps/v1", "kind": "Deployment", "matchLabels": {"app": "web"}}
    parsed = customchecks.parse({**CHECK, "labelSelector": labels, "targetName": "second", "disabled": True}, PATH)
    assert (parsed.name, parsed.disabled, parsed.target_name) == ("c", True, "second")
    assert parsed.resource_selector == (TypedReference(api_version="v1", kind="ConfigMap", name="a", namespace="n"),)
    assert parsed.label_selector == LabelSelector(api_version="apps/v1", kind="Deployment", match_labels={"app": "web"})
    [requirement] = parsed.requirements
    assert (requirement.json_path, requirement.operator, requirement.values) == (
        ".data.x",
        Operator.DOUBLE_EQUALS,
        ("y",),
    )


def test_what_is_not_said_has_its_default() -> None:
    parsed = customchecks.parse({**CHECK, "timeout": "5m", "disabled": None, "labelSelector": None}, PATH)
    assert (parsed.disabled, parsed.target_name, parsed.label_selector) == (False, "", None)


@pytest.mark.parametrize("operator", ["exists", "!"])
@pytest.mark.parametrize("values", [None, [], [{"value": 1}]])
def test_questions_of_existence_need_no_values_and_ignore_them(operator: str, values: Any) -> None:
    config = {**CHECK, "requirements": [{"jsonPath": "x", "operator": operator, "values": values}]}
    assert customchecks.parse(config, PATH).requirements[0].values == ()


@pytest.mark.parametrize("operator", ["in", "notin"])
def test_sets_have_as_many_values_as_one_likes(operator: str) -> None:
    values = [{"value": None}, {"value": [1]}, {"value": {"value": 2}}]
    config = {**CHECK, "requirements": [{"jsonPath": "x", "operator": operator, "values": values}]}
    assert customchecks.parse(config, PATH).requirements[0].values == (None, [1], {"value": 2})


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"name": ""}, f"{PATH}.name: Required value: a check needs a name"),
        ({"name": 5}, f'{PATH}.name: Invalid value: "integer": must be of type string'),
        (
            {"resourceSelector": []},
            f"{PATH}: Required value: at least one of resourceSelector, labelSelector is needed",
        ),
        ({"resourceSelector": "x"}, f'{PATH}.resourceSelector: Invalid value: "string": must be of type array'),
        ({"resourceSelector": ["x"]}, f'{PATH}.resourceSelector[0]: Invalid value: "string": must be of type object'),
        ({"labelSelector": {}}, f"{PATH}.labelSelector.matchLabels: Required value: name at least one label"),
        ({"requirements": None}, f"{PATH}.requirements: Required value: a check needs requirements"),
        ({"requirements": []}, f"{PATH}.requirements: Required value: a check needs requirements"),
        ({"requirements": [5]}, f'{PATH}.requirements[0]: Invalid value: "integer": must be of type object'),
        ({"targetName": []}, f'{PATH}.targetName: Invalid value: "array": must be of type string'),
        ({"disabled": "yes"}, f'{PATH}.disabled: Invalid value: "string": must be of type boolean'),
    ],
)
def test_what_is_wrong_with_a_check_is_told_with_its_place(fields: dict[str, Any], fault: str) -> None:
    assert fault in refusal(**fields)


@pytest.mark.parametrize("field", ["apiVersion", "kind", "name"])
def test_a_reference_needs_all_but_the_namespace(field: str) -> None:
    reference = {key: value for key, value in REFERENCE.items() if key not in (field, "namespace")}
    rule = "an object is named by apiVersion, kind and name"
    assert refusal(resourceSelector=[REFERENCE, reference]) == [
        f"{PATH}.resourceSelector[1].{field}: Required value: {rule}"
    ]


def test_labels_must_be_such_that_objects_can_have_them() -> None:
    labels = {"apiVersion": "v1", "kind": "Pod", "matchLabels": {"a b": "c", "d": "e f", "g": 5}}
    places = [text.split(": ")[0] for text in refusal(labelSelector=labels)]
    base = f"{PATH}.labelSelector.matchLabels"
    assert sorted(places) == [f"{base}[a b]", f"{base}[d]", f"{base}[g]"]


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"jsonPath": ""}, ".jsonPath: Required value: a requirement is about a field"),
        ({"operator": ""}, ".operator: Required value: one of !, exists, =, ==, !=, in, notin"),
        ({"operator": "gt"}, '.operator: Invalid value: "gt": must be one of !, exists, =, ==, !=, in, notin'),
        ({"values": []}, ".values: Required value: == compares with a value"),
        ({"values": [{}]}, ".values[0].value: Required value: what is compared with is written as {value: ...}"),
        ({"values": ["y"]}, '.values[0]: Invalid value: "string": must be of type object'),
        ({"operator": "in", "values": None}, ".values: Required value: in compares with a value"),
        (
            {"values": [{"value": "hidden"}, {"value": "kept"}]},
            ".values: Invalid value: 2: == compares with exactly one value",
        ),
    ],
)
def test_what_is_wrong_with_a_requirement_is_told_with_its_place(fields: dict[str, Any], fault: str) -> None:
    assert refused_requirement(**fields) == [fault]


@pytest.mark.parametrize("path", [".data[", "{.a} and {.b}", "text {.a}", ".data[?(@.x=]"])
def test_a_path_must_be_one(path: str) -> None:
    [fault] = refused_requirement(jsonPath=path)
    assert fault.startswith(".jsonPath: Invalid value: ")


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(customchecks.InvalidCheck) as refused:
        customchecks.parse({}, PATH)
    assert [fault.field for fault in refused.value.faults] == [PATH, f"{PATH}.requirements", f"{PATH}.name"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["=", "in", "!", "data.x", "v1", "..", "[", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["jsonPath", "operator", "values", "value", "apiVersion", "kind", "name", "matchLabels"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, JSON, JSON, JSON)
def test_whatever_is_written_is_read_or_refused(name: Any, resources: Any, labels: Any, requirements: Any) -> None:
    config = {
        "name": name,
        "resourceSelector": resources,
        "labelSelector": labels,
        "requirements": requirements,
    }
    with contextlib.suppress(customchecks.InvalidCheck):
        assert customchecks.parse(config, PATH).requirements
