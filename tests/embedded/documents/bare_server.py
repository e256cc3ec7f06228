"""A server that has the documents and forgets every object: enough to show real clients what the API says of itself."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from aiohttp import web

from landform.embedded import discovery
from landform.embedded.documents import Document, Documents
from landform.embedded.openapi import protobuf

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.embedded.catalog import Catalog


class BareServer:
    """Answers discovery and OpenAPI; what is created is echoed, patches are only remembered."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._documents = Documents(catalog, server_address="127.0.0.1:0")
        self.url = ""
        self.objects: dict[str, dict[str, Any]] = {}
        """Objects by the path they are served at."""
        self.requests: list[str] = []
        """Method, path and Accept header of each request."""
        self.patches: list[tuple[str, Any]] = []
        """Content type and body of each patch."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[BareServer]:
        """Listen on a free port of the loopback interface."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        accept = request.headers.get("Accept", "")
        self.requests.append(f"{request.method} {request.path} {accept}")
        document = self._document(request.path, accept)
        if document is not None:
            return web.Response(body=document.body, headers={"Content-Type": document.media_type})
        if request.path == "/version":
            return web.json_response({"major": "1", "minor": "34", "gitVersion": "v1.34.10"})
        if request.method in ("POST", "PUT"):
            return web.json_response(await request.json(), status=201)
        if request.method == "PATCH":
            self.patches.append((request.content_type, await request.json()))
        found = self.objects.get(request.path)
        return web.json_response(found) if found else _not_found(request.path)

    def _document(self, path: str, accept: str) -> Document | None:
        documents = self._documents
        if path in ("/api", "/apis"):
            for version in discovery.AGGREGATED_VERSIONS:
                if discovery.aggregated_media_type(version) in accept.replace(" ", ""):
                    return documents.aggregated(core=path == "/api", document_version=version)
            return documents.core_versions() if path == "/api" else documents.group_list()
        if path == "/openapi/v2":
            return documents.openapi_v2_protobuf() if protobuf.is_wanted(accept) else documents.openapi_v2()
        if path in ("/openapi/v3", "/openapi/v3/"):
            return documents.openapi_v3_index()
        match = re.fullmatch(r"(/openapi/v3)?/apis?(?:/([a-z0-9.-]+\.?))?/(v[0-9a-z]+)/?", path)
        if match is None:
            return None
        lookup = documents.openapi_v3 if match[1] else documents.resource_list
        return lookup(match[2] or "", match[3])


def _not_found(path: str) -> web.Response:
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
    return web.json_response({**status, "message": f"nothing at {path}"}, status=404)
