"""HTTP answers that are no success: from whatever the cluster, or a proxy on the way, said to an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from landform.cluster.errors import from_status

if TYPE_CHECKING:
    from landform.cluster.errors import ApiError
    from landform.cluster.requests import Request

LONGEST_TEXT = 500
"""How much of a foreign text is told; a proxy's page of HTML would bury the message."""


def error_of(
    request: Request, code: int, phrase: str, body: bytes, *, location: str = "", retry_after: float | None = None
) -> ApiError:
    """The error that the answer means: the Status it carries, or one made of its code and text."""
    status = _status(body)
    if status is None:
        status = {"message": _message(request, code, phrase, body, location)}
    return from_status({**status, "code": status.get("code") or code}, retry_after=retry_after)


def _status(body: bytes) -> dict[str, Any] | None:
    try:
        found = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return None
    return found if isinstance(found, dict) and found.get("kind") == "Status" else None


def _message(request: Request, code: int, phrase: str, body: bytes, location: str) -> str:
    message = f"{request} was answered with {code} {phrase}".rstrip()
    if 300 <= code < 400:
        return f"{message} to {location or 'nowhere'}; redirects are not followed, so the server's URL must be final"
    text = " ".join(body.decode(errors="replace").split())
    if len(text) > LONGEST_TEXT:
        text = f"{text[:LONGEST_TEXT]}..."
    return f"{message}: {text}" if text else message
