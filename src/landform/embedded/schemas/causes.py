"""Faults of a field in the API server's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster.errors import Cause
from landform.embedded.schemas import gotexts
from landform.kit.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Iterable


def required(path: str, detail: str = "") -> Cause:
    """Something is missing."""
    return Cause("FieldValueRequired", f"Required value: {detail}" if detail else "Required value", path)


def invalid(path: str, value: Any, detail: str) -> Cause:
    """A value breaks a rule."""
    return Cause("FieldValueInvalid", f"Invalid value: {gotexts.bad_value(value)}: {detail}", path)


def wrong_type(path: str, value: Any, detail: str) -> Cause:
    """A value is of another type."""
    return Cause("FieldValueTypeInvalid", f"Invalid value: {gotexts.bad_value(value)}: {detail}", path)


def forbidden(path: str, detail: str) -> Cause:
    """Something is there that must not be."""
    return Cause("FieldValueForbidden", f"Forbidden: {detail}", path)


def not_supported(path: str, value: Any, supported: Iterable[str]) -> Cause:
    """A value is not one of those that are known."""
    known = ", ".join(map(quote, supported))
    message = f"Unsupported value: {gotexts.bad_value(value)}: supported values: {known}"
    return Cause("FieldValueNotSupported", message, path)


def duplicate(path: str, value: Any) -> Cause:
    """A value is there twice."""
    return Cause("FieldValueDuplicate", f"Duplicate value: {gotexts.bad_value(value)}", path)


def too_long(path: str, most: int) -> Cause:
    """A text, or all texts together, have too many bytes."""
    return Cause("FieldValueTooLong", f"Too long: may not be more than {most} bytes", path)


def too_many(path: str, count: int, most: int) -> Cause:
    """A list or an object has too many members."""
    unit = "item" if most == 1 else "items"
    return Cause("FieldValueTooMany", f"Too many: {count}: must have at most {most} {unit}", path)
