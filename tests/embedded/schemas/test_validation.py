"""Objects are held against their schema, fast when they are good and in full when they are not."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st
from tests.embedded.schemas.strategies import ANY_JSON, ANY_OBJECT, Schema, root_schemas, values_of

from landform.embedded.schemas import defaulting, explaining, lists, nodes, objectmeta, pruning, validation
from landform.embedded.schemas.rules import rules_of

if TYPE_CHECKING:
    from landform.cluster.errors import Cause

TEXT: Schema = {"type": "string"}


def _fields(causes: list[Cause]) -> list[tuple[str, str]]:
    return [(cause.field, cause.reason) for cause in causes]


def _spec(**properties: Schema) -> nodes.Node:
    return nodes.parse({"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}})


@given(root_schemas(), ANY_OBJECT | ANY_JSON)
def test_no_value_makes_a_validator_raise(schema: Schema, value: Any) -> None:
    before = copy.deepcopy(value)
    validation.compile(nodes.parse(schema))(value)
    assert value == before


@given(st.data())
def test_the_fast_check_and_the_explanation_agree(data: st.DataObject) -> None:
    schema = data.draw(root_schemas())
    obj = data.draw(values_of(schema))
    node = nodes.parse(schema)
    rules = rules_of(node)
    faults = [*explaining.explain(rules, obj), *objectmeta.faults(rules, obj), *lists.duplicates(rules, obj)]
    assert validation.compile(node).accepts(obj) == (not faults)


@given(st.data())
def test_a_pruned_and_defaulted_object_that_was_valid_stays_valid(data: st.DataObject) -> None:
    schema = data.draw(root_schemas())
    obj = data.draw(values_of(schema).filter(lambda value: isinstance(value, dict)))
    node = nodes.parse(schema)
    validate = validation.compile(node)
    prune, default = pruning.compile_pruning(node), defaulting.compile_defaults(node)
    prune(obj)
    if validate(obj):
        return
    if default is not None:
        default(obj)
    prune(obj)
    assert validate(obj) == []


def test_a_recursive_schema_is_followed_as_deep_as_the_object_goes() -> None:
    definitions = {
        "Tree": {
            "type": "object",
            "properties": {
                "name": TEXT,
                "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
            },
        }
    }
    node = nodes.parse({"$ref": "#/components/schemas/Tree"}, definitions)
    validate = validation.compile(node)
    assert validate({"children": [{"children": [{"name": "x"}]}]}) == []
    (cause,) = validate({"children": [{"children": [{"name": 1}]}]})
    assert cause.field == "children[0].children[0].name"


def test_only_the_parts_of_a_kind_that_an_object_has_are_read() -> None:
    definitions = {"Broken": {"type": "string", "pattern": "[a"}}
    node = nodes.parse(
        {"type": "object", "properties": {"a": TEXT, "b": {"$ref": "#/components/schemas/Broken"}}}, definitions
    )
    assert validation.compile(node)({"a": "x"}) == []


def test_the_bytes_of_a_built_in_kind_may_be_empty_but_those_of_a_custom_one_not() -> None:
    schema: Schema = {"type": "object", "properties": {"data": {"type": "string", "format": "byte"}}}
    builtin = {**schema, "x-kubernetes-group-version-kind": [{"group": "", "kind": "Secret", "version": "v1"}]}
    assert validation.compile(nodes.parse(builtin))({"data": ""}) == []
    assert _fields(validation.compile(nodes.parse(schema))({"data": ""})) == [("data", "FieldValueTypeInvalid")]


def test_a_fault_that_was_there_before_does_not_block_a_change_elsewhere() -> None:
    validate = validation.compile(_spec(a={"type": "string", "maxLength": 1}, b=TEXT))
    old = {"spec": {"a": "too long", "b": "x"}}
    assert _fields(validate({"spec": {"a": "too long", "b": "y"}})) == [("spec.a", "FieldValueTooLong")]
    assert validate({"spec": {"a": "too long", "b": "y"}}, old) == []
    assert _fields(validate({"spec": {"a": "too long too", "b": "y"}}, old)) == [("spec.a", "FieldValueTooLong")]


def test_items_of_a_keyed_list_are_compared_with_the_same_key_and_others_not_at_all() -> None:
    item = {"type": "object", "properties": {"name": TEXT, "size": {"type": "integer", "maximum": 5}}}
    keyed = {
        "type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
    }  # fmt: skip
    validate = validation.compile(_spec(keyed=keyed, plain={"type": "array", "items": item}))
    old = {"spec": {"keyed": [{"name": "a", "size": 9}], "plain": [{"name": "a", "size": 9}]}}
    new = {
        "spec": {"keyed": [{"name": "b"}, {"name": "a", "size": 9}], "plain": [{"name": "b"}, {"name": "a", "size": 9}]}
    }
    assert [cause.field for cause in validate(new, old)] == ["spec.plain[1].size"]


def test_duplicates_that_were_there_before_are_forgiven() -> None:
    validate = validation.compile(_spec(a={"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}))
    assert _fields(validate({"spec": {"a": ["x", "x"]}})) == [("spec.a[1]", "FieldValueDuplicate")]
    assert validate({"spec": {"a": ["x", "x", "y"]}}, {"spec": {"a": ["x", "x"]}}) == []


def test_one_and_true_are_two_items_of_a_set() -> None:
    free = {"x-kubernetes-preserve-unknown-fields": True}
    validate = validation.compile(_spec(a={"type": "array", "items": free, "x-kubernetes-list-type": "set"}))
    assert validate({"spec": {"a": [1, True, 1.0, "1", None, [1], {"b": 1}]}}) == []
    assert [cause.field for cause in validate({"spec": {"a": [{"b": 1}, {"b": 1}]}})] == ["spec.a[1]"]


def test_integers_beyond_64_bits_are_numbers_only() -> None:
    validate = validation.compile(_spec(a={"type": "integer"}, b={"type": "number"}))
    assert [cause.field for cause in validate({"spec": {"a": 2**70, "b": 10**400}})] == ["spec.a"]


def test_rules_in_cel_are_named_as_not_enforced() -> None:
    rule = [{"rule": "self.a > 1"}]
    schema = {
        "type": "object",
        "x-kubernetes-validations": rule,
        "properties": {"spec": {"type": "array", "items": {"type": "object", "x-kubernetes-validations": rule}}},
    }
    assert validation.unsupported_words(schema) == [
        "x-kubernetes-validations",
        "properties[spec].items.x-kubernetes-validations",
    ]
    assert validation.unsupported_words({"type": "object"}) == []
