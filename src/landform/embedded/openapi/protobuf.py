"""An OpenAPI v2 document in the protobuf form that client-go insists on.

Written by hand on the wire format, for the few messages of ``openapi.v2.Document`` (github.com/google/gnostic-models,
openapiv2/OpenAPIv2.proto) that our documents use: a general protobuf library would be a large dependency for one
document. Field numbers are those of that file.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

MEDIA_TYPE = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
"""How client-go asks for the document."""

ANSWERED_MEDIA_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
"""How it is answered, and may be asked for too: Go itself no longer takes the other for a media type."""

_LENGTH_DELIMITED = 2
_FIXED_64 = 1
_SMALL = [bytes([value]) for value in range(0x80)]
"""Nearly all numbers in a document, ready made."""

_METHODS = {"get": 2, "put": 3, "post": 4, "delete": 5, "options": 6, "head": 7, "patch": 8}


def is_wanted(accept: str) -> bool:
    """Whether an Accept header asks for the protobuf form."""
    return MEDIA_TYPE in accept or ANSWERED_MEDIA_TYPE in accept


def document(swagger: Mapping[str, Any]) -> bytes:
    """The message of a whole document."""
    info = _text(1, swagger["info"]["title"]) + _text(2, swagger["info"]["version"])
    paths = b"".join(_message(2, _named(path, _path_item(item))) for path, item in swagger["paths"].items())
    definitions = b"".join(_message(1, _named(name, _schema(s))) for name, s in swagger["definitions"].items())
    return _text(1, swagger["swagger"]) + _message(2, info) + _message(8, paths) + _message(9, definitions)


def _path_item(item: Mapping[str, Any]) -> bytes:
    operations = b"".join(_message(number, _operation(item[m])) for m, number in _METHODS.items() if m in item)
    return operations + b"".join(_message(9, _parameter(parameter)) for parameter in item.get("parameters", ()))


def _operation(operation: Mapping[str, Any]) -> bytes:
    responses = b"".join(
        _message(1, _named(code, _message(1, _response(response)))) for code, response in operation["responses"].items()
    )
    return b"".join(
        (
            _text(5, operation["operationId"]),
            _texts(6, operation["produces"]),
            _texts(7, operation["consumes"]),
            *(_message(8, _parameter(parameter)) for parameter in operation["parameters"]),
            _message(9, responses),
            _extensions(13, operation),
        )
    )


def _response(response: Mapping[str, Any]) -> bytes:
    written = _text(1, response["description"])
    if schema := response.get("schema"):
        written += _message(2, _message(1, _schema(schema)))
    return written


def _parameter(parameter: Mapping[str, Any]) -> bytes:
    """A ParametersItem: three envelopes around the parameter of a query or a path, two around a body."""
    if parameter["in"] == "body":
        body = (
            _text(2, parameter["name"])
            + _text(3, "body")
            + _true(4, parameter)
            + _message(5, _schema(parameter["schema"]))
        )
        return _message(1, _message(1, body))
    in_query = parameter["in"] == "query"
    # PathParameterSubSchema lacks allow_empty_value, so its later fields are numbered one lower.
    shift = 1 if in_query else 0
    written = (
        _true(1, parameter)
        + _text(2, parameter["in"])
        + _text(4, parameter["name"])
        + _text(5 + shift, parameter["type"])
        + (_flag(19 + shift) if parameter.get("uniqueItems") else b"")
    )
    return _message(1, _message(2, _message(3 if in_query else 4, written)))


def _schema(schema: Mapping[str, Any]) -> bytes:
    written = [_SCHEMA_FIELDS[key](value) for key, value in schema.items() if key in _SCHEMA_FIELDS]
    written.append(_extensions(31, schema))
    return b"".join(written)


def _additional_properties(value: Any) -> bytes:
    inner = _varint_field(2, int(value)) if isinstance(value, bool) else _message(1, _schema(value))
    return _message(21, inner)


def _properties(value: Mapping[str, Any]) -> bytes:
    return _message(25, b"".join(_message(1, _named(name, _schema(schema))) for name, schema in value.items()))


_SCHEMA_FIELDS: dict[str, Callable[[Any], bytes]] = {
    "$ref": lambda value: _text(1, value),
    "format": lambda value: _text(2, value),
    "title": lambda value: _text(3, value),
    "description": lambda value: _text(4, value),
    "default": lambda value: _message(5, _any(value)),
    "multipleOf": lambda value: _double(6, value),
    "maximum": lambda value: _double(7, value),
    "exclusiveMaximum": lambda value: _flag(8) if value else b"",
    "minimum": lambda value: _double(9, value),
    "exclusiveMinimum": lambda value: _flag(10) if value else b"",
    "maxLength": lambda value: _varint_field(11, value),
    "minLength": lambda value: _varint_field(12, value),
    "pattern": lambda value: _text(13, value),
    "maxItems": lambda value: _varint_field(14, value),
    "minItems": lambda value: _varint_field(15, value),
    "uniqueItems": lambda value: _flag(16) if value else b"",
    "maxProperties": lambda value: _varint_field(17, value),
    "minProperties": lambda value: _varint_field(18, value),
    "required": lambda value: _texts(19, value),
    "enum": lambda value: b"".join(_message(20, _any(item)) for item in value),
    "additionalProperties": _additional_properties,
    "type": lambda value: _message(22, _text(1, value)),
    "items": lambda value: _message(23, _message(1, _schema(value))),
    "properties": _properties,
    "example": lambda value: _message(30, _any(value)),
}


def _extensions(number: int, of: Mapping[str, Any]) -> bytes:
    """The ``x-`` words, each a NamedAny."""
    return b"".join(_message(number, _named(key, _any(of[key]))) for key in of if key.startswith("x-"))


def _any(value: Any) -> bytes:
    """A value as YAML text, of which JSON is a part."""
    return _text(2, msgspec.json.encode(value).decode())


def _named(name: str, value: bytes) -> bytes:
    """An entry of what is a map in JSON."""
    return _text(1, name) + _message(2, value)


def _message(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _LENGTH_DELIMITED) + _varint(len(content)) + content


def _text(number: int, text: str) -> bytes:
    return _message(number, text.encode())


def _texts(number: int, texts: Iterable[str]) -> bytes:
    return b"".join(_text(number, text) for text in texts)


def _double(number: int, value: float) -> bytes:
    return _varint(number << 3 | _FIXED_64) + struct.pack("<d", value)


def _varint_field(number: int, value: int) -> bytes:
    # A negative number is written as its 64-bit complement.
    return _varint(number << 3) + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def _flag(number: int) -> bytes:
    return _varint_field(number, 1)


def _true(number: int, parameter: Mapping[str, Any]) -> bytes:
    """The field ``required``, left out if false."""
    return _flag(number) if parameter.get("required") else b""


def _varint(value: int) -> bytes:
    """Seven bits per byte, low ones first; the high bit says that more follow."""
    if value <= 0x7F:
        return _SMALL[value]
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
