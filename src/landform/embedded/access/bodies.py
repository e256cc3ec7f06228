"""Request bodies of the kinds that are answered and never stored: decoding, and errors in the API server's words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from landform.cluster.errors import BadRequest, Cause, Invalid
from landform.embedded.access.wording import aggregated
from landform.kit.quoting import quote

if TYPE_CHECKING:
    from landform.cluster.resources import Unstructured

T = TypeVar("T")


class Fields(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of typed parts of a body: camelCase names, what is missing or null is None."""


class Metadata(Fields, frozen=True):
    """What matters of a body's metadata."""

    name: str | None = None
    namespace: str | None = None
    uid: str | None = None


def decoded(kind: str, body: Unstructured, model: type[T]) -> T:
    """The body as the model; BadRequest, with the place of the fault, if types are wrong."""
    try:
        return msgspec.convert(body, model)
    except msgspec.ValidationError as error:
        raise BadRequest(f'{kind} in version "v1" cannot be handled as a {kind}: {error}') from error


def invalid_value(path: str, value: Any, why: str) -> Cause:
    """A field holds something that it may not hold."""
    written = quote(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Cause("FieldValueInvalid", f"Invalid value: {written}: {why}", path)


def required_value(path: str, why: str) -> Cause:
    """A field is missing."""
    return Cause("FieldValueRequired", f"Required value: {why}" if why else "Required value", path)


def unsupported_value(path: str, value: str, supported: list[str]) -> Cause:
    """A field holds none of the few values that it may hold."""
    choices = ", ".join(map(quote, supported))
    return Cause("FieldValueNotSupported", f"Unsupported value: {quote(value)}: supported values: {choices}", path)


def invalid(group: str, kind: str, name: str, causes: list[Cause]) -> Invalid:
    """The error that names all faults of one object."""
    faults = aggregated(f"{cause.field}: {cause.message}" for cause in causes)
    details = {key: value for key, value in (("name", name), ("group", group), ("kind", kind)) if value}
    return Invalid(f"{kind}.{group} {quote(name)} is invalid: {faults}", causes=tuple(causes), details=details)
