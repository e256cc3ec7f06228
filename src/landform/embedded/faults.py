"""The API server's words for what it refuses. One place, so that every client meets the texts it knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster import errors
from landform.cluster.errors import Cause

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.embedded.catalog import GroupResource, ResourceType


def _details(name: str, group: str, kind: str) -> dict[str, Any]:
    details = {"name": name, "group": group, "kind": kind}
    return {key: value for key, value in details.items() if value}


def not_found(resource: GroupResource, name: str) -> errors.NotFound:
    """There is no such object."""
    return errors.NotFound(f'{resource} "{name}" not found', details=_details(name, resource.group, resource.plural))


def no_such_page() -> errors.NotFound:
    """The URL names nothing that is served."""
    return errors.NotFound("the server could not find the requested resource")


def already_exists(resource: GroupResource, name: str) -> errors.AlreadyExists:
    """The name is taken."""
    return errors.AlreadyExists(
        f'{resource} "{name}" already exists', details=_details(name, resource.group, resource.plural)
    )


def conflict(resource: GroupResource, name: str, why: str) -> errors.Conflict:
    """The write was decided on something that is no longer so."""
    return errors.Conflict(
        f'Operation cannot be fulfilled on {resource} "{name}": {why}',
        details=_details(name, resource.group, resource.plural),
    )


def modified(resource: GroupResource, name: str) -> errors.Conflict:
    """The resourceVersion is not the current one."""
    return conflict(
        resource, name, "the object has been modified; please apply your changes to the latest version and try again"
    )


def invalid(type_: ResourceType, name: str, causes: Sequence[Cause]) -> errors.Invalid:
    """The object breaks its schema or its rules."""
    faults = [f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in causes]
    text = faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]"
    kind = f"{type_.kind}.{type_.group}" if type_.group else type_.kind
    return errors.Invalid(
        f'{kind} "{name}" is invalid: {text}',
        causes=tuple(causes),
        details=_details(name, type_.group, type_.kind),
    )


def undecodable(type_: ResourceType, why: str) -> errors.BadRequest:
    """The body is JSON, but not an object of this kind."""
    return errors.BadRequest(f'{type_.kind} in version "{type_.version}" cannot be handled as a {type_.kind}: {why}')


def forbidden(resource: GroupResource, name: str, why: str, causes: Sequence[Cause] = ()) -> errors.Forbidden:
    """The caller or the moment does not allow it."""
    subject = f'{resource} "{name}"' if name else str(resource)
    return errors.Forbidden(
        f"{subject} is forbidden: {why}", causes=tuple(causes), details=_details(name, resource.group, resource.plural)
    )


def too_old(asked: int, oldest: int) -> errors.Gone:
    """The watch history does not reach that far back."""
    return errors.Gone(f"too old resource version: {asked} ({oldest})")


def expired_continue() -> errors.Gone:
    """The list that the continue token belongs to is no longer kept."""
    return errors.Gone(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list"
        " without the continue parameter."
    )


def too_new(asked: int, newest: int) -> errors.ServerError:
    """The version lies in the future: the data folder was replaced or restored."""
    return errors.ServerError(
        f"Timeout: Too large resource version: {asked}, current: {newest}",
        code=504,
        reason="Timeout",
        causes=(Cause("ResourceVersionTooLarge", "Too large resource version"),),
        retry_after=1,
    )


def required(field: str, why: str = "") -> Cause:
    """A field that must be there is missing."""
    return Cause("FieldValueRequired", f"Required value: {why}" if why else "Required value", field)


def bad_value(field: str, value: object, why: str) -> Cause:
    """A field's value is not acceptable."""
    shown = f'"{value}"' if isinstance(value, str) else str(value)
    return Cause("FieldValueInvalid", f"Invalid value: {shown}: {why}", field)


def not_allowed(field: str, why: str) -> Cause:
    """A field may not be set or changed so."""
    return Cause("FieldValueForbidden", f"Forbidden: {why}", field)
