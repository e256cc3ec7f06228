"""Import values: where each comes from, what is refused, and what goes into the inner scope."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.blueprints import definitions, files, values
from landform.blueprints.definitions import Blueprint, FlowType
from landform.blueprints.errors import (
    BlueprintError,
    ImportNotFound,
    InvalidDefault,
    InvalidValue,
    MappingError,
    SchemaError,
)
from landform.blueprints.schemas import Schemas
from landform.blueprints.values import Imports, ImportValue


def blueprint(imports: str) -> Blueprint:
    return definitions.read(files.from_inline({"blueprint.yaml": f"imports: {imports}"}))


def data(value: Any) -> ImportValue:
    return ImportValue(FlowType.DATA, value, "DataObject x")


def target(name: str, type_: str = "landscaper.gardener.cloud/cluster") -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "ns"}, "spec": {"type": type_}}


def construct(imports: str, given: dict[str, ImportValue], mappings: dict[str, Any] | None = None) -> Imports:
    return values.construct(blueprint(imports), given, mappings or {}, Schemas())


def with_bindings(imports: Imports, bindings: dict[str, Any]) -> Imports:
    return replace(imports, values={**imports.values, **bindings})


PORT = "[{name: port, schema: {type: integer}}]"
EXTRAS = """[
  {name: extras, required: false, schema: {type: object}, default: {value: {a: 1}},
   imports: [{name: more, schema: {type: string}}]}]"""


def test_what_is_given_is_the_value() -> None:
    imports = construct(PORT, {"port": data(5)})
    assert imports.values == {"port": 5}
    assert imports.sources == {"port": "DataObject x"}


def test_a_mapping_wins_over_what_is_given() -> None:
    given_ = {"port": data(5), "base": data(100)}
    imports = construct(PORT, given_, {"port": "(( base + port ))", "unknown": "(( nothing ))"})
    assert imports.values == {"port": 105}
    assert imports.sources == {"port": 'import data mapping "port"'}


def test_whole_numbers_stay_whole_in_mappings() -> None:
    imports = construct("[{name: url, schema: {type: string}}]", {"p": data(8080)}, {"url": '(( "host:" p ))'})
    assert imports.values == {"url": "host:8080"}


def test_mappings_see_targets_and_structures() -> None:
    given_ = {"c": ImportValue(FlowType.TARGET_MAP, {"eu": target("one")}), "l": data([1, 2])}
    mapping = {"x": {"name": "(( c.eu.metadata.name ))", "all": "(( l ))"}}
    imports = construct("[{name: x, schema: {}}]", given_, mapping)
    assert imports.values == {"x": {"name": "one", "all": [1, 2]}}


def test_a_broken_mapping_is_named_and_shows_no_value() -> None:
    with pytest.raises(MappingError, match='import data mapping "port"') as refused:
        construct(PORT, {"secret": data("s3cret-text")}, {"port": "(( secret + 1 ))"})
    assert "s3cret" not in str(refused.value)


@given(
    st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53), lambda inner: st.lists(inner, max_size=3))
)
def test_a_value_passes_through_a_mapping_unchanged(value: Any) -> None:
    imports = construct("[{name: x, schema: {}}]", {"given": data(value)}, {"x": "(( given ))"})
    assert imports.values == {"x": value}


def test_a_default_counts_and_activates_what_is_conditional_on_it() -> None:
    with pytest.raises(ImportNotFound, match='"more"'):
        construct(EXTRAS, {})
    imports = construct(EXTRAS, {"more": data("x")})
    assert imports.values == {"extras": {"a": 1}, "more": "x"}
    assert imports.sources["extras"] == "default of the blueprint"


def test_a_default_is_not_used_for_a_required_import() -> None:
    with pytest.raises(ImportNotFound):
        construct("[{name: a, schema: {}, default: {value: 1}}]", {})


def test_a_default_that_breaks_its_schema_is_refused() -> None:
    with pytest.raises(InvalidDefault, match='the default of import "a" does not fit'):
        construct("[{name: a, required: false, schema: {type: string}, default: {value: 1}}]", {})


def test_conditional_imports_rest_while_their_condition_has_no_value() -> None:
    text = "[{name: a, required: false, schema: {}, imports: [{name: b, schema: {}}]}]"
    assert construct(text, {"b": data(1)}).values == {}
    assert construct(text, {"a": data(None), "b": data(1)}).values == {"a": None, "b": 1}


def test_everything_that_is_missing_is_told_at_once() -> None:
    with pytest.raises(ImportNotFound) as refused:
        construct("[{name: a, schema: {}}, {name: b, type: targetList, targetType: c}]", {})
    assert 'import "a" (data) is required but has no value; give it by dataRef' in str(refused.value)
    assert 'import "b" (targetList) is required but has no value; give it by targets' in str(refused.value)


def test_a_value_of_another_kind_is_no_value() -> None:
    with pytest.raises(ImportNotFound, match="under its name the Installation imports a target"):
        construct(PORT, {"port": ImportValue(FlowType.TARGET, target("x"))})
    with pytest.raises(ImportNotFound, match="under its name the Installation imports a data"):
        construct("[{name: c, targetType: cluster}]", {"c": data({})})


def test_a_value_that_breaks_its_schema_is_refused_without_being_shown() -> None:
    with pytest.raises(InvalidValue) as refused:
        construct(PORT, {"port": data("s3cret")})
    assert str(refused.value) == (
        'the value of import "port" (DataObject x) does not fit its schema: the value is not of type "integer"'
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[{name: a, type: data}]", SchemaError),
        ("[{name: a, schema: {type: nonsense}}]", SchemaError),
        ("[{name: a, type: secret}]", BlueprintError),
        ("[{name: a}]", BlueprintError),
    ],
)
def test_a_definition_that_cannot_be_used_is_named(text: str, error: type[Exception]) -> None:
    with pytest.raises(error, match='import "a"'):
        construct(text, {"a": data(1)})


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("target", target("a")),
        ("targetList", [target("a"), target("b")]),
        ("targetList", []),
        ("targetMap", {"eu": target("a")}),
    ],
)
def test_targets_are_bound_as_they_are_imported(kind: str, value: Any) -> None:
    imports = construct(f"[{{name: c, type: {kind}, targetType: cluster}}]", {"c": ImportValue(FlowType(kind), value)})
    assert imports.values == {"c": value}
    assert imports.targets == {"c": ImportValue(FlowType(kind), value)}


def test_a_target_of_another_type_is_named() -> None:
    given_ = {"c": ImportValue(FlowType.TARGET_MAP, {"eu": target("a"), "us": target("b", "other")})}
    with pytest.raises(InvalidValue) as refused:
        construct("[{name: c, type: targetMap, targetType: cluster}]", given_)
    assert str(refused.value) == (
        'import "c" wants Targets of type landscaper.gardener.cloud/cluster: [us]: Target b is of type other'
    )


def test_optional_targets_may_be_missing() -> None:
    assert construct("[{name: c, required: false, targetType: cluster}]", {}).values == {}


ALL = """[
  {name: port, schema: {}}, {name: maybe, required: false, schema: {}, imports: [{name: never, schema: {}}]},
  {name: one, targetType: cluster}, {name: list, type: targetList, targetType: cluster},
  {name: map, type: targetMap, targetType: cluster}]"""


def all_given() -> dict[str, ImportValue]:
    return {
        "port": data(5),
        "one": ImportValue(FlowType.TARGET, target("a")),
        "list": ImportValue(FlowType.TARGET_LIST, [target("b"), target("c")]),
        "map": ImportValue(FlowType.TARGET_MAP, {"eu": target("d")}),
    }


def test_the_inner_scope_has_every_value_under_its_name() -> None:
    entries = values.inner_scope(blueprint(ALL), construct(ALL, all_given()))
    assert [(entry.name, entry.index, entry.key) for entry in entries] == [
        ("port", None, None),
        ("one", None, None),
        ("list[0]", 0, None),
        ("list[1]", 1, None),
        ("map[eu]", None, "eu"),
    ]
    assert entries[0].value == 5
    assert entries[3].value == target("c")


def test_an_import_execution_changes_what_sub_installations_receive() -> None:
    imports = with_bindings(construct(ALL, all_given()), {"port": 6, "extra": 7, "never": 8})
    entries = values.inner_scope(blueprint(ALL), imports)
    assert entries[0].value == 6
    assert {entry.definition.name for entry in entries} == {"port", "one", "list", "map"}


def test_an_import_execution_that_spoils_a_target_is_named() -> None:
    imports = construct(ALL, all_given())
    spoilt: list[dict[str, Any]] = [{"one": "text"}, {"list": [1]}, {"map": {"eu": {}}}]
    for bindings in spoilt:
        with pytest.raises(InvalidValue, match=f'import "{next(iter(bindings))}"'):
            values.inner_scope(blueprint(ALL), with_bindings(imports, bindings))


def test_active_imports_are_those_whose_condition_holds() -> None:
    tree = blueprint(ALL).imports
    assert [item.name for item in values.active_imports(tree, {})] == ["port", "maybe", "one", "list", "map"]
    assert "never" in [item.name for item in values.active_imports(tree, {"maybe": None})]
