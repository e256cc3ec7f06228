"""Everything the API says of itself, ready to send: made when asked for, kept while the catalog is the same."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from landform.embedded import discovery
from landform.embedded.openapi import protobuf, v2, v3

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.embedded.catalog import Catalog

JSON = "application/json"

OTHER_PATHS = (
    "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/readyz", "/version",
)  # fmt: skip
"""Places that do not follow from the catalog, for the list at ``/``."""


@dataclass(frozen=True)
class Document:
    """An answer that is the same for everyone."""

    body: bytes
    media_type: str
    etag: str
    """For ``If-None-Match``, with its quotes."""


class Documents:
    """The documents of a catalog."""

    def __init__(self, catalog: Catalog, *, server_address: str = "") -> None:
        self._catalog = catalog
        self.server_address = server_address
        """host:port, which ``/api`` tells old clients."""
        self._kept: dict[tuple[str, ...], Document] = {}
        self._kept_of_revision = catalog.revision

    def root(self) -> Document:
        """``/``"""
        return self._json("root", lambda: discovery.root_paths(self._catalog, OTHER_PATHS))

    def core_versions(self) -> Document:
        """``/api``"""
        return _document(discovery.core_versions(self.server_address))

    def group_list(self) -> Document:
        """``/apis``"""
        return self._json("groups", lambda: discovery.group_list(self._catalog))

    def group(self, name: str) -> Document | None:
        """``/apis/GROUP``; None if nothing of it is served."""
        content = discovery.group(self._catalog, name)
        return None if content is None else _document(content)

    def resource_list(self, group: str, version: str) -> Document | None:
        """``/api/v1`` and ``/apis/GROUP/VERSION``; None if nothing of it is served."""
        content = discovery.resource_list(self._catalog, group, version)
        return None if content is None else _document(content)

    def aggregated(self, *, core: bool, document_version: str) -> Document:
        """The aggregated ``/api`` or ``/apis``, for who accepts `discovery.aggregated_media_type`."""

        def make() -> Document:
            content = discovery.aggregated(self._catalog, core=core, document_version=document_version)
            return _document(content, discovery.aggregated_media_type(document_version))

        return self._keep(("aggregated", str(core), document_version), make)

    def openapi_v3_index(self) -> Document:
        """``/openapi/v3``"""
        return self._json("openapi v3", lambda: v3.index(self._catalog))

    def openapi_v3(self, group: str, version: str) -> Document | None:
        """``/openapi/v3/apis/GROUP/VERSION``; None if nothing of it is served.

        Not kept: these are large, seldom asked for (clients keep them by their hash) and quick to make.
        """
        content = v3.document(self._catalog, group, version)
        if content is None:
            return None
        etag = f'"{v3.fingerprint(discovery.types_in(self._catalog, group, version))}"'
        return Document(msgspec.json.encode(content), JSON, etag)

    def openapi_v2(self) -> Document:
        """``/openapi/v2`` as JSON."""
        return self._json("openapi v2", lambda: v2.document(self._catalog))

    def openapi_v2_protobuf(self) -> Document:
        """``/openapi/v2`` as client-go takes it."""

        def make() -> Document:
            body = protobuf.document(v2.document(self._catalog))
            return Document(body, protobuf.ANSWERED_MEDIA_TYPE, _etag(body))

        return self._keep(("openapi v2 protobuf",), make)

    def _json(self, key: str, make: Callable[[], dict[str, Any]]) -> Document:
        return self._keep((key,), lambda: _document(make()))

    def _keep(self, key: tuple[str, ...], make: Callable[[], Document]) -> Document:
        """What was made before, unless the catalog has changed since."""
        if self._kept_of_revision != self._catalog.revision:
            self._kept.clear()
            self._kept_of_revision = self._catalog.revision
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = make()
        return kept


def _document(content: Any, media_type: str = JSON) -> Document:
    body = msgspec.json.encode(content)
    return Document(body, media_type, _etag(body))


def _etag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest().upper()}"'
