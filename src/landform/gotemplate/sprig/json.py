"""JSON, read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.gotemplate.documents import json_reading, json_writing
from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import Function, function

if TYPE_CHECKING:
    from collections.abc import Callable


def _read(text: str) -> Any:
    try:
        return json_reading.decode(text)
    except GoError:
        return None


def _quietly(write: Callable[[Any], str]) -> Callable[[Any], str]:
    def call(value: Any) -> str:
        try:
            return write(value)
        except GoError:
            return ""

    return call


FUNCTIONS: dict[str, Function] = {
    "fromJson": function("string", _read),
    "mustFromJson": function("string", json_reading.decode),
    "toJson": function("any -> string", _quietly(json_writing.compact)),
    "mustToJson": function("any -> string", json_writing.compact),
    "toPrettyJson": function("any -> string", _quietly(json_writing.pretty)),
    "mustToPrettyJson": function("any -> string", json_writing.pretty),
    "toRawJson": function("any -> string", json_writing.raw),
    "mustToRawJson": function("any -> string", json_writing.raw),
}
