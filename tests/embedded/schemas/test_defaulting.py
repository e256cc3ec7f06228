"""Defaults appear where their parent is, and nowhere else."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from tests.embedded.schemas.strategies import ANY_OBJECT, Schema, root_schemas

from landform.embedded.schemas import defaulting, nodes


def _apply(schema: Schema, obj: dict[str, Any]) -> dict[str, Any]:
    default = defaulting.compile_defaults(nodes.parse(schema))
    assert default is not None
    default(obj)
    return obj


def _with_defaults(schema: Schema) -> Schema:
    """The schema with a default at every place that can take one."""
    inner: Schema = {word: _with_defaults(schema[word]) for word in ("items", "additionalProperties") if word in schema}
    properties = {name: _with_defaults(part) for name, part in schema.get("properties", {}).items()}
    default = {"string": "d", "integer": 1, "object": {}, "array": [None]}.get(schema.get("type", ""))
    return {**schema, **inner, **({"properties": properties} if properties else {}), "default": default}


@given(root_schemas(), ANY_OBJECT)
def test_defaulting_twice_is_defaulting_once(schema: Schema, obj: dict[str, Any]) -> None:
    default = defaulting.compile_defaults(nodes.parse(_with_defaults(schema)))
    if default is None:
        return
    default(obj)
    once = copy.deepcopy(obj)
    default(obj)
    assert obj == once


def test_a_schema_without_defaults_costs_nothing() -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "array", "items": {"type": "object"}}}}
    assert defaulting.compile_defaults(nodes.parse(schema)) is None


def test_a_default_needs_its_parent() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "string", "default": "x"}}}
    schema = {"type": "object", "properties": {"spec": inner, "status": {**inner, "default": {}}}}
    assert _apply(schema, {}) == {"status": {"a": "x"}}
    assert _apply(schema, {"spec": {}}) == {"spec": {"a": "x"}, "status": {"a": "x"}}
    assert _apply(schema, {"spec": {"a": "y"}, "status": {"a": ""}}) == {"spec": {"a": "y"}, "status": {"a": ""}}


def test_objects_do_not_share_their_defaults() -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "default": {"l": [1]}}}}
    one, other = _apply(schema, {}), _apply(schema, {})
    one["spec"]["l"].append(2)
    assert other == {"spec": {"l": [1]}}
    assert _apply(schema, {}) == {"spec": {"l": [1]}}


def test_the_metadata_of_an_object_gets_no_defaults() -> None:
    named = {"type": "object", "properties": {"name": {"type": "string", "default": "x"}}}
    schema = {"type": "object", "properties": {"metadata": named, "spec": {"type": "string", "default": "y"}}}
    assert _apply(schema, {"metadata": {}}) == {"metadata": {}, "spec": "y"}


def test_a_null_is_replaced_only_where_it_may_not_be() -> None:
    text = {"type": "string", "default": "x"}
    schema = {"type": "object", "properties": {"a": text, "b": {**text, "nullable": True}}}
    assert _apply(schema, {"a": None, "b": None}) == {"a": "x", "b": None}
