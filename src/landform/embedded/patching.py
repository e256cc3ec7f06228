"""An object after a patch, for every patch type but server-side apply. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from landform.cluster.errors import BadRequest, Cause, Invalid, TooLarge
from landform.cluster.interface import PatchType
from landform.embedded.merging import strategic
from landform.embedded.schemas import values
from landform.kit import patches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.embedded.catalog import ResourceType

Object = dict[str, Any]


def patched(type_: ResourceType, old: Object, patch: Any, patch_type: PatchType) -> Object:
    """The object that the patch makes of `old`; neither is changed."""
    if patch_type is PatchType.JSON:
        return _json_patched(old, patch)
    if not isinstance(patch, dict):
        raise BadRequest(f"error decoding patch: it must be an object, not {_named(patch)}")
    if patch_type is PatchType.STRATEGIC:
        try:
            return _object(strategic.strategic_merge(old, patch, type_.schema))
        except ValueError as error:
            raise BadRequest(str(error)) from error
    return _object(patches.merge_patch(old, patch))


def _json_patched(old: Object, patch: Any) -> Object:
    if not isinstance(patch, list):
        raise BadRequest(f"error decoding patch: it must be a list of operations, not {_named(patch)}")
    try:
        return _object(patches.json_patch(old, patch))
    except patches.TooManyOperations as error:
        raise TooLarge(error.message) from error
    except patches.MalformedPatch as error:
        raise BadRequest(error.message) from error
    except patches.PatchError as error:
        raise Invalid(error.message, causes=(Cause("", str(error)),)) from error


def _named(value: Any) -> str:
    """A value's type in a sentence."""
    name = values.type_name(value)
    return name if value is None else f"{'an' if name[0] in 'aio' else 'a'} {name}"


def _object(value: Any) -> Object:
    if not isinstance(value, dict):
        raise BadRequest("the patch leaves no object")
    return value


def refuse_unknown(new: Object, unknown: Sequence[str]) -> None:
    """Refuse a patch that brings fields which the schema does not know."""
    if not unknown:
        return
    shown = ", ".join(f'unknown field "{path}"' for path in unknown)
    message = f"Invalid value: {msgspec.json.encode(new).decode()}: strict decoding error: {shown}"
    raise Invalid(f' "" is invalid: patch: {message}', causes=(Cause("FieldValueInvalid", message, "patch"),))
