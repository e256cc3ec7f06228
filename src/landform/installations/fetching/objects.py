"""Reading single objects that others name. They are read from the cluster itself: a cache may not have them yet."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, TypeVar

from landform.api.errors import OperationFailed
from landform.cluster.errors import NotFound
from landform.cluster.resources import SECRETS
from landform.installations.sources import OPERATION

if TYPE_CHECKING:
    from landform.cluster.interface import Reader
    from landform.cluster.resources import ObjectKey, Resource, Unstructured

T = TypeVar("T")


async def named(reader: Reader, resource: Resource[T], key: ObjectKey, by: str, reason: str) -> T:
    """An object; OperationFailed that tells by whom it is named if there is none."""
    try:
        return await reader.get(resource, key.name, namespace=key.namespace)
    except NotFound as error:
        message = f"{by} names the {resource.kind} {key.name}, which does not exist in namespace {key.namespace}"
        raise OperationFailed(OPERATION, reason, message) from error


async def secret(reader: Reader, key: ObjectKey, by: str, reason: str) -> dict[str, str]:
    """The texts of a Secret by their keys; entries that are no text are left out."""
    return texts(await named(reader, SECRETS, key, by, reason))


def texts(secret: Unstructured) -> dict[str, str]:
    """The texts of a Secret by their keys; entries that are no text are left out."""
    found = {}
    for key, data in (secret.get("data") or {}).items():
        try:
            found[key] = base64.b64decode(data or "").decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
    return found
