"""Unknown fields go, known ones stay, and the client hears of it."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.embedded.schemas.strategies import ANY_OBJECT, Schema, root_schemas, values_of

from landform.embedded.schemas import nodes, pruning


@given(root_schemas(), ANY_OBJECT)
def test_pruning_twice_is_pruning_once(schema: Schema, obj: dict[str, Any]) -> None:
    prune = pruning.compile_pruning(nodes.parse(schema))
    prune(obj)
    once = copy.deepcopy(obj)
    assert prune(obj) == []
    assert obj == once


@given(st.data())
def test_pruning_only_removes(data: st.DataObject) -> None:
    schema = data.draw(root_schemas())
    obj = data.draw(values_of(schema).filter(lambda value: isinstance(value, dict)))
    before = copy.deepcopy(obj)
    pruning.compile_pruning(nodes.parse(schema))(obj)
    assert _is_part_of(obj, before)


def _is_part_of(part: Any, whole: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(n in whole and _is_part_of(v, whole[n]) for n, v in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(_is_part_of, part, whole))
    return bool(part == whole)


def test_the_paths_of_unknown_fields_are_told_in_order() -> None:
    item = {"type": "object", "properties": {"x": {"type": "string"}}}
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"l": {"type": "array", "items": item}}}},
    }
    obj = {"spec": {"l": [{"x": "1"}, {}, {"bar": 1}], "foo": 1}, "metadata": {"name": "a", "zz": 1}, "extra": {}}
    assert pruning.compile_pruning(nodes.parse(schema))(obj) == ["metadata.zz", "extra", "spec.foo", "spec.l[2].bar"]
    assert obj == {"spec": {"l": [{"x": "1"}, {}, {}]}, "metadata": {"name": "a"}}


def test_every_object_has_type_and_metadata_whatever_its_schema_says() -> None:
    owner = {"apiVersion": "v1", "kind": "A", "name": "a", "uid": "1", "color": "red"}
    metadata = {
        "name": "a",
        "labels": {"x": "y"},
        "managedFields": [{"fieldsV1": {"f:x": {}}}],
        "ownerReferences": [owner],
    }
    obj = {"apiVersion": "v1", "kind": "A", "metadata": metadata}
    assert pruning.compile_pruning(nodes.parse({"type": "object"}))(obj) == ["metadata.ownerReferences[0].color"]
    assert obj["metadata"] == {
        **metadata,
        "ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "1"}],
    }


def test_an_embedded_resource_keeps_its_type_and_metadata() -> None:
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"data": {"type": "string"}}}
    node = nodes.parse({"type": "object", "properties": {"spec": embedded}})
    obj = {"spec": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a", "odd": 1}, "data": "x", "more": 1}}
    assert pruning.compile_pruning(node)(obj) == ["spec.metadata.odd", "spec.more"]
    assert obj == {"spec": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "data": "x"}}


def test_a_recursive_schema_is_pruned_as_deep_as_the_object_goes() -> None:
    tree = {"type": "object", "properties": {"child": {"$ref": "#/components/schemas/Tree"}}}
    node = nodes.parse(
        {"type": "object", "properties": {"spec": {"$ref": "#/components/schemas/Tree"}}}, {"Tree": tree}
    )
    obj = {"spec": {"child": {"child": {"odd": 1, "child": {}}}}}
    assert pruning.compile_pruning(node)(obj) == ["spec.child.child.odd"]
