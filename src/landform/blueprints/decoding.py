"""From plain data, as templates and files give it, to typed structs."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from landform.blueprints.errors import Fault

T = TypeVar("T", bound=msgspec.Struct)

_AT = " - at `$"


class NotDecodable(Exception):
    """The data has another shape than the struct; `fault` says where and how, without showing a value."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def decode(value: Any, type_: type[T]) -> T:
    """The struct that plain data stands for; unknown fields are ignored."""
    # By way of JSON, because structs keep their free parts (configurations, schemas, mappings) as JSON text.
    try:
        return msgspec.json.decode(msgspec.json.encode(value), type=type_)
    except msgspec.ValidationError as exc:
        problem, _, place = str(exc).partition(_AT)
        raise NotDecodable(Fault(place.rstrip("`").lstrip("."), problem.replace("`", ""))) from None
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise NotDecodable(Fault("", "this has no form in JSON: a value is none, or it is nested too deep")) from None
