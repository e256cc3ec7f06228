"""The protobuf form of the OpenAPI v2 document carries what the JSON form does."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from landform.embedded.openapi import protobuf

if TYPE_CHECKING:
    from collections.abc import Iterator


def fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Field numbers and values of a message, by the rules of the wire format."""
    at = 0
    while at < len(message):
        tag, at = varint(message, at)
        number, wire_type = tag >> 3, tag & 7
        if wire_type == 0:
            value, at = varint(message, at)
            yield number, value
        elif wire_type == 1:
            yield number, struct.unpack_from("<d", message, at)[0]
            at += 8
        else:
            assert wire_type == 2
            length, at = varint(message, at)
            yield number, message[at : at + length]
            at += length


def varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def one(message: bytes, *numbers: int) -> Any:
    """The only value at a path of field numbers."""
    value: Any = message
    for number in numbers:
        (value,) = [found for known, found in fields(value) if known == number]
    return value


def schema_message(schema: dict[str, Any]) -> bytes:
    """The message of a schema, taken out of a document that has only this definition."""
    swagger = {"swagger": "2.0", "info": {"title": "t", "version": "v"}, "paths": {}, "definitions": {"A": schema}}
    definition: bytes = one(protobuf.document(swagger), 9, 1)
    assert one(definition, 1) == b"A"
    found: bytes = one(definition, 2)
    return found


def test_a_schema_keeps_type_description_and_extensions() -> None:
    message = schema_message({"type": "object", "description": "ü", "x-kubernetes-map-type": "atomic"})
    assert one(message, 22, 1) == b"object"
    assert one(message, 4) == "ü".encode()
    assert one(message, 31, 1) == b"x-kubernetes-map-type"
    assert one(message, 31, 2, 2) == b'"atomic"'


def test_schemas_nest_in_properties_items_and_additional_properties() -> None:
    inner = {"$ref": "#/definitions/B"}
    assert one(schema_message({"properties": {"p": inner}}), 25, 1, 2, 1) == b"#/definitions/B"
    assert one(schema_message({"items": inner}), 23, 1, 1) == b"#/definitions/B"
    assert one(schema_message({"additionalProperties": inner}), 21, 1, 1) == b"#/definitions/B"
    assert one(schema_message({"additionalProperties": True}), 21, 2) == 1


def test_limits_defaults_and_enums_are_kept() -> None:
    message = schema_message({"minimum": -1.5, "maxLength": 300, "default": {"a": [1]}, "required": ["x", "y"]})
    assert one(message, 9) == -1.5
    assert one(message, 11) == 300
    assert one(message, 5, 2) == b'{"a":[1]}'
    assert [value for number, value in fields(message) if number == 19] == [b"x", b"y"]
    enum = schema_message({"enum": ["a", 2]})
    assert [one(value, 2) for number, value in fields(enum) if number == 20] == [b'"a"', b"2"]


def test_a_negative_number_is_its_complement() -> None:
    assert one(schema_message({"minLength": -1}), 12) == 2**64 - 1


@given(st.text(max_size=400))
def test_texts_of_any_length_and_alphabet_survive(text: str) -> None:
    assert one(schema_message({"description": text}), 4).decode() == text


def test_parameters_lie_in_the_envelopes_of_their_place() -> None:
    operation = {
        "operationId": "id",
        "produces": [],
        "consumes": ["*/*"],
        "parameters": [
            {"name": "body", "in": "body", "required": True, "schema": {"$ref": "#/definitions/A"}},
            {"name": "dryRun", "in": "query", "type": "string", "uniqueItems": True},
        ],
        "responses": {"200": {"description": "OK", "schema": {"$ref": "#/definitions/A"}}},
        "x-kubernetes-action": "patch",
    }
    path_parameter = {"name": "name", "in": "path", "type": "string", "required": True}
    swagger = {
        "swagger": "2.0",
        "info": {"title": "t", "version": "v"},
        "paths": {"/a/{name}": {"patch": operation, "parameters": [path_parameter]}},
        "definitions": {},
    }
    item = one(protobuf.document(swagger), 8, 2)
    assert one(item, 1) == b"/a/{name}"
    body, query = [value for number, value in fields(one(item, 2, 8)) if number == 8]
    assert one(body, 1, 1, 5, 1) == b"#/definitions/A"
    assert (one(query, 1, 2, 3, 4), one(query, 1, 2, 3, 6), one(query, 1, 2, 3, 20)) == (b"dryRun", b"string", 1)
    assert one(item, 2, 9, 1, 2, 4, 4) == b"name"
    assert one(item, 2, 8, 9, 1, 2, 1, 2, 1, 1) == b"#/definitions/A"
    assert one(item, 2, 8, 13, 2, 2) == b'"patch"'
