"""The body of a request as plain data, whichever way it is written. Pure."""

from __future__ import annotations

from typing import Any

import yaml

from landform.cluster.errors import BadRequest, UnsupportedMedia
from landform.cluster.interface import PatchType
from landform.embedded import protobuf
from landform.embedded.schemas.bodies import DEEPEST, decode_body, duplicate_fields
from landform.kit import patches, yamls

_JSON = "application/json"
_YAML = ("application/yaml", "text/yaml", "application/x-yaml")
_UNKNOWN = "the body of the request was in an unknown format - accepted media types include: "


def decode(raw: bytes, content_type: str) -> Any:
    """The data that a body holds; an empty body is None."""
    if not raw:
        return None
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type in ("", _JSON) or media_type.endswith("+json"):
        return decode_body(raw)
    if media_type in _YAML or media_type.endswith("+yaml"):
        return decode_yaml(raw)
    if media_type == protobuf.MEDIA_TYPE:
        return decode_protobuf(raw)
    raise UnsupportedMedia(_UNKNOWN + f"application/json, application/yaml, {protobuf.MEDIA_TYPE}")


def decode_yaml(raw: bytes) -> Any:
    """The data of a YAML body; JSON, which is YAML too, takes the quick way."""
    if raw.lstrip()[:1] in (b"{", b"["):
        return decode_body(raw)
    try:
        value = yamls.load(raw.decode())
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise BadRequest(f"error decoding YAML: {str(error)[:500]}") from error
    if patches.exceeds_depth(value, DEEPEST):
        raise BadRequest(f"the body is nested more than {DEEPEST} levels deep")
    return value


def decode_protobuf(raw: bytes) -> Any:
    """The data of a body in Kubernetes' protobuf: what programs in Go send for built-in kinds."""
    try:
        return protobuf.decode(raw)
    except ValueError as error:
        raise BadRequest(f"error decoding protobuf: {str(error)[:500]}") from error


def patch_type(content_type: str) -> PatchType:
    """How the patch in a body is written."""
    media_type = content_type.partition(";")[0].strip().lower()
    try:
        return PatchType(media_type)
    except ValueError:
        raise UnsupportedMedia(_UNKNOWN + ", ".join(sorted(PatchType))) from None


def check_duplicates(raw: bytes, validation: str) -> list[str]:
    """Fields that a JSON body has twice: an error with Strict, otherwise the warnings to send."""
    if validation not in ("Strict", "Warn") or raw.lstrip()[:1] != b"{":
        return []
    found = duplicate_fields(raw)
    if found and validation == "Strict":
        raise BadRequest(f"strict decoding error: {', '.join(found)}")
    return found
