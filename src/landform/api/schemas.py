"""Structural schemas, as CustomResourceDefinitions want them, made from the structs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec import inspect

from landform.api import docstrings

if TYPE_CHECKING:
    from landform.api.structs import Kind

Schema: TypeAlias = dict[str, Any]

_ANY: Schema = {"x-kubernetes-preserve-unknown-fields": True}


def of_kind(kind: type[Kind]) -> Schema:
    """The schema of whole objects."""
    schema = _of_struct(inspect.type_info(kind))
    # The API server knows these two itself; it wants metadata to be just an object, and none of them required.
    schema["properties"] |= {
        "kind": {"type": "string", "description": "Kind of the object, always " + kind.__name__ + "."},
        "metadata": {"type": "object"},
    }
    schema["properties"]["apiVersion"]["type"] = "string"
    required = [name for name in schema.get("required", ()) if name not in ("apiVersion", "metadata")]
    schema.pop("required", None)
    return {**schema, "required": required} if required else schema


def _of_struct(info: inspect.Type) -> Schema:
    if not isinstance(info, inspect.StructType):
        raise TypeError(f"{info} is not a struct")
    texts = docstrings.of_fields(info.cls)
    schema: Schema = {
        "type": "object",
        "description": docstrings.of_struct(info.cls),
        "properties": {
            field.encode_name: {**of_type(field.type), "description": texts[field.name]} for field in info.fields
        },
    }
    if not info.fields:
        del schema["properties"]
    required = [field.encode_name for field in info.fields if is_required(field)]
    return {**schema, "required": required} if required else schema


def is_required(field: inspect.Field) -> bool:
    """Whether the field must be in every object: it has no default, or one that is always written."""
    return field.required or field.default_factory is not msgspec.NODEFAULT


def of_type(info: inspect.Type) -> Schema:
    """The schema of one type; TypeError for what no kind uses."""
    match info:
        case inspect.UnionType(types=types):
            [present] = [member for member in types if not isinstance(member, inspect.NoneType)]
            return of_type(present)
        case inspect.Metadata(type=bare, extra_json_schema=extra):
            return {**of_type(bare), **(extra or {})}
        case inspect.StructType():
            return _of_struct(info)
        case inspect.VarTupleType(item_type=item):
            return {"type": "array", "items": of_type(item)}
        case inspect.DictType(value_type=inspect.RawType()):
            return {"type": "object", **_ANY}
        case inspect.DictType(value_type=value):
            return {"type": "object", "additionalProperties": of_type(value)}
    return _of_scalar(info)


def _of_scalar(info: inspect.Type) -> Schema:
    match info:
        case inspect.RawType():
            return dict(_ANY)
        case inspect.StrType() | inspect.LiteralType():
            return {"type": "string"}
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.IntType():
            return {"type": "integer"}
        case inspect.DateTimeType():
            return {"type": "string", "format": "date-time"}
    raise TypeError(f"no schema is known for {info}")
