"""Keeping secrets: what a cluster says of an object, without what the object keeps secret; pure."""

from __future__ import annotations

import base64
import binascii
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from landform.cluster.errors import ApiError, BadRequest, Invalid, Unauthorized
from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.deployers.manifest.references import Reference

HIDDEN: Final = "(hidden)"
_FIELDS: Final = ("data", "stringData")


class Refused(LandformError):
    """A cluster refused something about an object; the message holds no secret of it."""

    def __init__(self, what: str, error: ApiError, obj: Mapping[str, Any] | None) -> None:
        super().__init__(f"{what}: {safe_text(error, obj)}")
        self.reason = error.reason
        self.retry_after = error.retry_after


@contextmanager
def telling(reference: Reference, obj: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Have whatever a cluster refuses in here told as a refusal of the object; with its manifest, if there is one."""
    try:
        yield
    except Unauthorized:
        raise
    except ApiError as error:
        shown = obj if obj is not None else {"apiVersion": reference.api_version, "kind": reference.kind}
        raise Refused(str(reference), error, shown) from None


def is_secret(obj: Mapping[str, Any]) -> bool:
    """Whether nobody may see the object's values."""
    return obj.get("kind") == "Secret" and obj.get("apiVersion") == "v1"


def safe_text(error: ApiError, obj: Mapping[str, Any] | None) -> str:
    """What the cluster said, without the values of a Secret."""
    if obj is None or not is_secret(obj):
        return str(error)
    if isinstance(error, Invalid | BadRequest):
        # These quote values, cut where they are long, so that no search would find them.
        fields = ", ".join(cause.field for cause in error.causes if cause.field)
        return f"refused as {error.reason}" + (f" because of {fields}" if fields else "")
    text = str(error)
    for value in sorted(_values(obj), key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return text


def _values(obj: Mapping[str, Any]) -> set[str]:
    """Everything that the Secret holds, as it is written and decoded."""
    found: set[str] = set()
    for field in _FIELDS:
        content = obj.get(field)
        for value in content.values() if isinstance(content, dict) else ():
            found.add(str(value))
            try:
                found.add(base64.b64decode(str(value), validate=True).decode())
            except (binascii.Error, UnicodeDecodeError):
                continue
    found.discard("")
    return found
