"""What is wrong with an object, field by field, in the API server's words."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.kit import quoting

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST_VALUE = 200


class Reason(enum.StrEnum):
    """What kind of fault it is; the value is what a Status cause says."""

    REQUIRED = "FieldValueRequired"
    INVALID = "FieldValueInvalid"
    TYPE_INVALID = "FieldValueTypeInvalid"
    DUPLICATE = "FieldValueDuplicate"
    FORBIDDEN = "FieldValueForbidden"
    NOT_FOUND = "FieldValueNotFound"
    NOT_SUPPORTED = "FieldValueNotSupported"
    TOO_LONG = "FieldValueTooLong"


@dataclass(frozen=True)
class Fault:
    """One fault: where, of what kind, and in words."""

    reason: Reason
    field: str
    """Path of the field, such as ``spec.imports.data[2].name``; empty for the object itself."""

    message: str
    """The fault without the field, such as ``Required value: a name is needed here``."""

    value: Any = None
    """What the field holds, if that is at fault."""

    immutable: bool = False
    """The new value may be fine, but the field cannot be changed: an answer says 403 instead of 422."""

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


def required(field: str, detail: str = "") -> Fault:
    """Something must be there that is not."""
    return Fault(Reason.REQUIRED, field, _with("Required value", detail))


def invalid(field: str, value: Any, detail: str) -> Fault:
    """The value does not follow its rules."""
    return Fault(Reason.INVALID, field, _with(f"Invalid value: {_show(value)}", detail), value)


def type_invalid(field: str, value: Any, expected: str) -> Fault:
    """The value is of another type."""
    return Fault(
        Reason.TYPE_INVALID, field, f"Invalid value: {_quote(_type_name(value))}: must be of type {expected}", value
    )


def duplicate(field: str, value: Any) -> Fault:
    """The value must be unique and is not."""
    return Fault(Reason.DUPLICATE, field, f"Duplicate value: {_show(value)}", value)


def not_found(field: str, value: Any, detail: str = "") -> Fault:
    """The value refers to something that does not exist."""
    return Fault(Reason.NOT_FOUND, field, _with(f"Not found: {_show(value)}", detail), value)


def immutable(field: str, value: Any, detail: str) -> Fault:
    """The field cannot be changed."""
    return Fault(Reason.FORBIDDEN, field, _with("Forbidden", detail), value, immutable=True)


def summary(faults: Sequence[Fault]) -> str:
    """All faults in one line, as the API server joins them."""
    texts = [str(fault) for fault in faults]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _with(text: str, detail: str) -> str:
    return f"{text}: {detail}" if detail else text


def _show(value: Any) -> str:
    """The value as the API server prints it, cut when it is long."""
    text = _quote(value) if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "..."


def _quote(text: str) -> str:
    return quoting.quote(text[: _LONGEST_VALUE + 1])


def _type_name(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"
