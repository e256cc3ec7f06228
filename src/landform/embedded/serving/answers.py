"""From what a verb gave to the bytes of an answer: objects, lists, tables, statuses."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import msgspec
from aiohttp import web

from landform.embedded import tables, versions
from landform.embedded.serving.media import Shape, Wanted
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from landform.cluster.errors import ApiError
    from landform.embedded.catalog import ResourceType
    from landform.embedded.reading import Page

JSON = "application/json"
YAML = "application/yaml"

_LONGEST_WARNING = 500  # characters
_MOST_WARNINGS = 50  # some clients refuse an answer with more than a hundred headers


def plain(body: bytes, *, status: int = 200, warnings: Iterable[str] = (), yaml: bool = False) -> web.Response:
    """An answer that is JSON already."""
    if yaml:
        body = yamls.dump(msgspec.json.decode(body)).encode()
    response = web.Response(body=body, status=status, content_type=YAML if yaml else JSON)
    for warning in itertools.islice(warnings, _MOST_WARNINGS):
        warn(response, warning)
    return response


def warn(response: web.StreamResponse, warning: str) -> None:
    """Tell the client something besides the answer; kubectl shows it to its user."""
    response.headers.add("Warning", f'299 - "{_quotable(warning)}"')


def failure(error: ApiError) -> web.Response:
    """An error as the Status that every client understands."""
    response = plain(msgspec.json.encode(error.to_status()), status=error.code)
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(max(1, round(error.retry_after)))
    return response


def success(type_: ResourceType, name: str, uid: str) -> bytes:
    """The Status that says an object is gone."""
    details = {"name": name, "group": type_.group, "kind": type_.plural, "uid": uid}
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {key: value for key, value in details.items() if value},
    }
    return msgspec.json.encode(status)


def one(type_: ResourceType, raw: bytes, wanted: Wanted, include: str, now: datetime, *, headers: bool = True) -> bytes:
    """One object in the wanted shape; `headers` says whether a table names its columns."""
    if wanted.shape is Shape.OBJECT:
        return raw
    obj = msgspec.json.decode(raw)
    if wanted.shape is Shape.METADATA:
        return msgspec.json.encode(metadata_only(obj, wanted))
    metadata = {"resourceVersion": obj["metadata"].get("resourceVersion", "")}
    table = tables.table(type_, [obj], now, include=include, metadata=metadata, headers=headers)
    return msgspec.json.encode(_versioned(table, wanted))


def many(type_: ResourceType, page: Page, wanted: Wanted, include: str, now: datetime) -> bytes:
    """A list in the wanted shape."""
    raws = [stored.raw for stored in page.items]
    present = versions.presenter(type_)
    if present is not None:
        raws = [present(raw) for raw in raws]
    metadata = _list_metadata(page)
    if wanted.shape is Shape.OBJECT:
        return b'{"kind":%b,"apiVersion":%b,"metadata":%b,"items":[%b]}' % (
            msgspec.json.encode(type_.list_kind),
            msgspec.json.encode(type_.api_version),
            msgspec.json.encode(metadata),
            b",".join(raws),
        )
    objects = [msgspec.json.decode(raw) for raw in raws]
    if wanted.shape is Shape.METADATA:
        items = [metadata_only(obj, wanted) for obj in objects]
        kind = {"kind": "PartialObjectMetadataList", "apiVersion": f"meta.k8s.io/{wanted.version}"}
        return msgspec.json.encode({**kind, "metadata": metadata, "items": items})
    table = tables.table(type_, objects, now, include=include, metadata=metadata)
    return msgspec.json.encode(_versioned(table, wanted))


def _list_metadata(page: Page) -> dict[str, Any]:
    metadata: dict[str, Any] = {"resourceVersion": str(page.version)}
    if page.continue_token:
        metadata["continue"] = page.continue_token
    if page.remaining is not None:
        metadata["remainingItemCount"] = page.remaining
    return metadata


def metadata_only(obj: Mapping[str, Any], wanted: Wanted) -> dict[str, Any]:
    """An object for those who want its metadata only."""
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"meta.k8s.io/{wanted.version}",
        "metadata": obj["metadata"],
    }


def _versioned(table: dict[str, Any], wanted: Wanted) -> dict[str, Any]:
    table["apiVersion"] = f"meta.k8s.io/{wanted.version}"
    return table


def _quotable(text: str) -> str:
    """A warning's text as an HTTP header can carry it."""
    flat = "".join(char if char.isprintable() else " " for char in " ".join(text[:_LONGEST_WARNING].split()))
    quotable = flat.replace("\\", "\\\\").replace('"', '\\"')
    return quotable.encode("latin-1", "replace").decode("latin-1")
