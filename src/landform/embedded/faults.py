"""The API server's words for what it refuses. One place, so that every client meets the texts it knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster import errors
from landform.cluster.errors import Cause
from landform.embedded.schemas import causes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.embedded.catalog import GroupResource, ResourceType


def _details(name: str, group: str, kind: str) -> dict[str, Any]:
    details = {"name": name, "group": group, "kind": kind}
    return {key: value for key, value in details.items() if value}


def _listed(found: Sequence[Cause]) -> str:
    texts = [f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in found]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def not_found(resource: GroupResource, name: str) -> errors.NotFound:
    """There is no such object."""
    return errors.NotFound(f'{resource} "{name}" not found', details=_details(name, resource.group, resource.plural))


def no_such_page() -> errors.NotFound:
    """The URL names nothing that is served."""
    return errors.NotFound("the server could not find the requested resource")


def already_exists(resource: GroupResource, name: str, *, deleting: bool = False) -> errors.AlreadyExists:
    """The name is taken, perhaps by an object that is going and not gone yet."""
    going = "object is being deleted: " if deleting else ""
    return errors.AlreadyExists(
        f'{going}{resource} "{name}" already exists', details=_details(name, resource.group, resource.plural)
    )


def conflict(resource: GroupResource, name: str, why: str) -> errors.Conflict:
    """The write was decided on something that is no longer so."""
    return errors.Conflict(
        f'Operation cannot be fulfilled on {resource} "{name}": {why}',
        details=_details(name, resource.group, resource.plural),
    )


def other_object(type_: ResourceType, name: str, asked: str, found: str) -> errors.Conflict:
    """A deletion was meant for an object with another uid."""
    return _other(type_, name, "UID", asked, found, "deleted and then recreated")


def other_version(type_: ResourceType, name: str, asked: str, found: str) -> errors.Conflict:
    """A deletion was meant for another version of the object."""
    return _other(type_, name, "ResourceVersion", asked, found, "modified")


def _other(type_: ResourceType, name: str, what: str, asked: str, found: str, maybe: str) -> errors.Conflict:
    kind = type_.group_resource._replace(plural=type_.kind)  # the API server names the kind here, not the resource
    why = f"the {what} in the precondition ({asked}) does not match the {what} in record ({found})"
    return conflict(kind, name, f"{why}. The object might have been {maybe}")


def modified(resource: GroupResource, name: str) -> errors.Conflict:
    """The resourceVersion is not the current one."""
    return conflict(
        resource, name, "the object has been modified; please apply your changes to the latest version and try again"
    )


def invalid(
    type_: ResourceType, name: str, found: Sequence[Cause], *, subject: GroupResource | None = None
) -> errors.Invalid:
    """The object breaks its schema or its rules; it is called by its kind unless `subject` says otherwise."""
    subject = subject or type_.group_resource._replace(plural=type_.kind)
    return errors.Invalid(
        f'{subject} "{name}" is invalid: {_listed(found)}',
        causes=tuple(found),
        details=_details(name, subject.group, subject.plural),
    )


def undecodable(type_: ResourceType, why: str, *, kind: str = "") -> errors.BadRequest:
    """The body is JSON, but not an object of this kind; `kind` is what it says it is, if that is the fault."""
    named = kind or type_.kind
    return errors.BadRequest(f'{named} in version "{type_.version}" cannot be handled as a {type_.kind}: {why}')


def other_kind(type_: ResourceType, name: str, kind: str) -> errors.ApiError:
    """The body says that it is of another kind than the resource."""
    if not type_.custom:
        return undecodable(type_, f"{type_.group_resource} are of kind {type_.kind}", kind=kind)
    fault = causes.invalid("kind", kind, f"must be {type_.kind}")
    return invalid(type_, name, [fault], subject=type_.group_resource._replace(plural=kind))


def other_api_version(found: str, expected: str) -> errors.BadRequest:
    """The body says that it is of another version than the URL."""
    return errors.BadRequest(
        f"the API version in the data ({found}) does not match the expected API version ({expected})"
    )


def other_name(found: str, expected: str) -> errors.BadRequest:
    """The body says that it has another name than the URL."""
    return errors.BadRequest(f"the name of the object ({found}) does not match the name on the URL ({expected})")


def no_name(expected: str) -> errors.BadRequest:
    """The body does not say which object it is, only the URL does."""
    return errors.BadRequest(
        f"the name of the object ({expected} based on URL) was undeterminable: name must be provided"
    )


def version_given() -> errors.ServerError:
    """A new object cannot have a version yet. The API server answers so, although nothing is wrong with itself."""
    return errors.ServerError("resourceVersion should not be set on objects to be created")


def version_missing(type_: ResourceType, name: str) -> errors.Invalid:
    """A custom object is replaced only by whoever says which version he has seen."""
    fault = causes.invalid("metadata.resourceVersion", 0, "must be specified for an update")
    return invalid(type_, name, [fault], subject=type_.group_resource)


def body_too_large(limit: int) -> errors.TooLarge:
    """The body of a request is over the limit."""
    return errors.TooLarge(f"Request entity too large: limit is {limit}")


def method_not_allowed() -> errors.MethodNotAllowed:
    """The resource has no such verb."""
    return errors.MethodNotAllowed("the server does not allow this method on the requested resource")


def invalid_options(kind: str, found: Sequence[Cause]) -> errors.Invalid:
    """The options of a request are wrong; `kind` is what they are called, such as CreateOptions."""
    return errors.Invalid(
        f'{kind}.meta.k8s.io "" is invalid: {_listed(found)}',
        causes=tuple(found),
        details={"group": "meta.k8s.io", "kind": kind},
    )


def forbidden(resource: GroupResource, name: str, why: str, found: Sequence[Cause] = ()) -> errors.Forbidden:
    """The caller or the moment does not allow it."""
    subject = f'{resource} "{name}"' if name else str(resource)
    return errors.Forbidden(
        f"{subject} is forbidden: {why}", causes=tuple(found), details=_details(name, resource.group, resource.plural)
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
