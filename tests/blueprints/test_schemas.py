"""JSON schemas: how references are followed, and what is said of a value that does not fit."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from landform.blueprints import files
from landform.blueprints.errors import FileError, SchemaError
from landform.blueprints.questions import RESOURCE_CONTENT, Answers, Question, Unanswered
from landform.blueprints.schemas import Schemas
from landform.components import versions


def descriptor(name: str, *, resources: tuple[str, ...] = (), references: tuple[dict[str, Any], ...] = ()) -> Any:
    return {
        "meta": {"schemaVersion": "v2"},
        "component": {
            "name": f"example.com/{name}",
            "version": "1.0.0",
            "provider": "internal",
            "repositoryContexts": [{"type": "ociRegistry", "baseUrl": "example.com"}],
            "sources": [],
            "componentReferences": list(references),
            "resources": [
                {
                    "name": resource,
                    "version": "1.0.0",
                    "type": "landscaper.gardener.cloud/jsonschema",
                    "relation": "local",
                    "access": {"type": "localOciBlob", "digest": f"sha256:{'0' * 64}"},
                }
                for resource in resources
            ],
        },
    }


def reference(name: str, nested: Any) -> dict[str, Any]:
    return {
        "name": name,
        "componentName": nested["component"]["name"],
        "version": "1.0.0",
        "labels": [{"name": versions.NESTED_LABEL, "value": nested}],
    }


LIBRARY = descriptor("library", resources=("port", "host"))
COMPONENT = versions.inline(descriptor("shop", resources=("order",), references=(reference("lib", LIBRARY),)))


def content(component: str, resource: str, schema: Any) -> tuple[Question, bytes]:
    question = Question(RESOURCE_CONTENT, (f"example.com/{component}", "1.0.0", resource))
    return question, json.dumps(schema).encode()


def told(schemas: Schemas, schema: Any, value: Any) -> list[str]:
    return [str(fault) for fault in schemas.faults(schema, value)]


def test_a_local_type_stands_for_its_schema() -> None:
    schemas = Schemas({"port": {"type": "integer"}, "ports": {"items": {"$ref": "local://port", "ignored": True}}})
    assert schemas.resolved({"$ref": "local://ports"}) == {"items": {"type": "integer"}}
    assert schemas.faults({"$ref": "local://ports"}, [1, 2]) == []
    assert told(schemas, {"$ref": "local://ports"}, [1, "x"]) == ['[1]: the value is not of type "integer"']


def test_a_fragment_names_a_part() -> None:
    schemas = Schemas({"all": {"definitions": {"port": {"type": "integer"}}}})
    assert schemas.resolved({"a": {"$ref": "local://all#/definitions/port"}}) == {"a": {"type": "integer"}}


def test_a_file_of_the_blueprint_is_a_schema() -> None:
    tree = files.from_inline({"schemas": {"port.json": {"$type": "json", "value": {"$ref": "local://port"}}}})
    schemas = Schemas({"port": {"type": "integer"}}, tree)
    assert schemas.resolved({"$ref": "blueprint://schemas/port.json"}) == {"type": "integer"}


def test_references_inside_of_an_embedded_document_mean_that_document() -> None:
    document = {"$ref": "#/definitions/port", "definitions": {"port": {"type": "integer"}}}
    tree = files.from_inline({"port.json": {"$type": "json", "value": document}})
    schema = {"properties": {"port": {"$ref": "blueprint://port.json"}}}
    assert Schemas(files=tree).resolved(schema) == {"properties": {"port": {"type": "integer"}}}


def test_a_recursive_schema_stays_one_where_it_is_the_whole() -> None:
    document = {"properties": {"child": {"$ref": "#"}}, "additionalProperties": False}
    tree = files.from_inline({"tree.json": {"$type": "json", "value": document}})
    schemas = Schemas(files=tree)
    assert schemas.faults({"$ref": "blueprint://tree.json"}, {"child": {"child": {}}}) == []
    assert told(schemas, {"$ref": "blueprint://tree.json"}, {"child": {"x": 1}}) == [
        "child: Additional properties are not allowed ('x' was unexpected)"
    ]


def test_a_resource_of_a_component_is_asked_for_and_then_used() -> None:
    schema = {"$ref": "cd://resources/order"}
    with pytest.raises(Unanswered) as unanswered:
        Schemas(component=COMPONENT).faults(schema, 1)
    question, text = content("shop", "order", {"type": "string"})
    assert unanswered.value.question == question
    for answer in (text, gzip.compress(text)):
        schemas = Schemas(component=COMPONENT, answers=Answers({question: answer}))
        assert told(schemas, schema, 1) == ['the value is not of type "string"']


def test_references_inside_of_a_resource_start_at_its_component() -> None:
    answers = Answers(
        dict(
            [
                content("library", "host", {"properties": {"port": {"$ref": "cd://resources/port"}}}),
                content("library", "port", {"type": "integer"}),
            ]
        )
    )
    schemas = Schemas(component=COMPONENT, answers=answers)
    schema = {"$ref": "cd://componentReferences/lib/resources/host"}
    assert schemas.resolved(schema) == {"properties": {"port": {"type": "integer"}}}


@pytest.mark.parametrize("inner", ["local://port", "blueprint://port.json"])
def test_a_resource_knows_nothing_of_the_blueprint_that_uses_it(inner: str) -> None:
    answers = Answers(dict([content("shop", "order", {"$ref": inner})]))
    tree = files.from_inline({"port.json": "{}"})
    with pytest.raises(SchemaError, match=inner):
        Schemas({"port": {}}, tree, COMPONENT, answers).resolved({"$ref": "cd://resources/order"})


def test_a_circle_of_references_is_named() -> None:
    schemas = Schemas({"a": {"items": {"$ref": "local://b"}}, "b": {"items": {"$ref": "local://a"}}})
    with pytest.raises(SchemaError, match="in a circle: local://a -> local://b -> local://a"):
        schemas.resolved({"$ref": "local://a"})


def test_the_same_reference_twice_is_no_circle() -> None:
    schemas = Schemas({"a": {"type": "string"}})
    assert schemas.resolved([{"$ref": "local://a"}, {"$ref": "local://a"}]) == [{"type": "string"}] * 2


def test_references_that_grow_without_end_are_stopped() -> None:
    doubled = {f"t{level}": [{"$ref": f"local://t{level + 1}"}] * 2 for level in range(40)}
    with pytest.raises(SchemaError, match="more than 200000 values"):
        Schemas({**doubled, "t40": {}}).resolved({"$ref": "local://t0"})


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"$ref": "local://nothing"}, "there is no such local type; known are: port"),
        ({"$ref": "local://port/x"}, "there is no such local type"),
        ({"$ref": "local://port#/a"}, "there is no 'a' in it"),
        ({"$ref": "blueprint://broken.json"}, "not JSON: line 1, column 2"),
        ({"$ref": "cd://resources/x"}, "there is no component descriptor"),
        ({"$ref": "https://example.com/x.json"}, "schemas are not fetched from elsewhere"),
        ({"$ref": "#/definitions/x"}, "the JSON schema is invalid: "),
        ({"properties": {"x": {"type": "text"}}}, "the JSON schema is invalid at properties.x.type"),
    ],
)
def test_a_schema_that_is_at_fault_is_refused(schema: Any, message: str) -> None:
    tree = files.from_inline({"broken.json": "{a}"})
    with pytest.raises(SchemaError) as refused:
        Schemas({"port": {"type": "integer"}}, tree).faults(schema, 1)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("cd://resources/missing", "not found in component version"),
        ("cd://componentReferences/lib", "this names a component"),
        ("cd://nonsense", "pairs of a keyword and a name"),
    ],
)
def test_a_component_reference_that_leads_nowhere_is_refused(uri: str, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        Schemas(component=COMPONENT).resolved({"$ref": uri})


def test_a_missing_file_is_named_with_who_wants_it() -> None:
    with pytest.raises(FileError, match=r"'x\.json'.*wanted by the JSON schema reference blueprint://x\.json"):
        Schemas(files=files.from_inline({})).resolved({"$ref": "blueprint://x.json"})


@pytest.mark.parametrize(
    ("schema", "fits", "fails"),
    [
        ({"minimum": 5, "exclusiveMinimum": True}, 6, 5),
        ({"minimum": 5, "exclusiveMinimum": False}, 5, 4),
        ({"exclusiveMaximum": 5}, 4, 5),
        ({"const": 1}, 1, 2),
        ({"if": {"type": "string"}, "then": {"minLength": 2}}, "xx", "x"),
        ({"format": "ipv4"}, "10.0.0.1", "ten"),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 5, "exclusiveMinimum": True}, 6, 5),
        ({"$schema": "https://json-schema.org/draft/2019-09/schema", "dependentRequired": {"a": ["b"]}}, {}, {"a": 1}),
        ({"$schema": "https://example.com/own", "type": "string"}, "x", 1),
        (False, None, 1),
        ({}, 1, None),
    ],
)
def test_drafts_are_told_apart(schema: Any, fits: Any, fails: Any) -> None:
    if schema is not False:
        assert Schemas().faults(schema, fits) == []
    if schema != {}:
        assert Schemas().faults(schema, fails) != []


def test_no_value_is_ever_shown() -> None:
    schema = {
        "properties": {
            "a": {"type": "integer"},
            "b": {"enum": [1]},
            "c": {"pattern": "^x"},
            "d": {"format": "email"},
            "e": {"items": {"maxLength": 1}},
            "f": {"oneOf": [{"type": "integer"}, {"type": "null"}]},
            "g": {"const": 1},
            "h": {"contains": {"const": 1}},
            "i": {"not": {"type": "string"}},
            "j": {"uniqueItems": True},
        }
    }
    value = dict.fromkeys("abcdfgi", "s3cret") | {"e": ["s3cret"], "h": ["s3cret"], "j": ["s3cret", "s3cret"]}
    faults = told(Schemas(), schema, value)
    assert len(faults) == 10
    assert "s3cret" not in "\n".join(faults)
    assert "e[0]: the value is longer than 1 character" in faults


def test_values_and_schemas_that_have_no_form_in_json_are_refused() -> None:
    assert "no form in JSON" in told(Schemas(), {"type": "string"}, "\ud800")[0]
    deep: Any = {}
    for _ in range(300):
        deep = {"items": deep}
    with pytest.raises(SchemaError, match="cannot be compiled: Recursion limit"):
        Schemas().faults(deep, 1)


def test_a_long_list_of_faults_is_cut() -> None:
    faults = told(Schemas(), {"items": {"type": "string"}}, list(range(50)))
    assert len(faults) == 21
    assert faults[-1] == "and 30 more faults"
