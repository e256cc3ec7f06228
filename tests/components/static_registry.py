"""A registry that serves recorded content from files, and can be told to misbehave."""

from __future__ import annotations

import base64
import json
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiohttp import web
from aiohttp.test_utils import TestServer

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Awaitable, Callable

GOLDEN = Path("tests/golden/ocm")


@dataclass
class StaticRegistry:
    """Content in the memory of a registry, by repository."""

    tags: dict[str, dict[str, str]] = field(default_factory=dict)
    manifests: dict[str, dict[str, str]] = field(default_factory=dict)
    """Media types by digest, by repository."""

    blobs: dict[str, bytes] = field(default_factory=dict)
    """Content by digest, for all repositories."""

    password: str = ""
    """`user:password` that it wants for basic authentication; empty wants none."""

    before: Callable[[web.Request], Awaitable[web.StreamResponse | None]] | None = None
    """What to do first with a request; an answer of its own ends it."""

    asked: Counter[str] = field(default_factory=Counter)
    """How often each path was asked for successfully."""

    headers: list[dict[str, str]] = field(default_factory=list)
    """The headers of all requests."""

    url: str = ""

    def load(self, name: str) -> StaticRegistry:
        """Add the recorded content of a registry."""
        folder = GOLDEN / "registry" / name
        for repository, content in json.loads((folder / "index.json").read_bytes())["repositories"].items():
            self.tags.setdefault(repository, {}).update(content["tags"])
            kinds = {digest: entry["mediaType"] for digest, entry in content["manifests"].items()}
            self.manifests.setdefault(repository, {}).update(kinds)
            for digest in (*content["manifests"], *content["blobs"]):
                self.blobs[digest] = (folder / "blobs" / digest.replace(":", ".")).read_bytes()
        return self

    @asynccontextmanager
    async def serve(self, tls: ssl.SSLContext | None = None, port: int | None = None) -> AsyncIterator[StaticRegistry]:
        """Listen on this machine, by default on a free port; plain HTTP is served also as a proxy for other hosts."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        server = TestServer(app, scheme="https" if tls else "http", host="127.0.0.1", port=port)
        await server.start_server(ssl=tls) if tls else await server.start_server()
        self.url = f"{server.scheme}://127.0.0.1:{server.port}"
        try:
            yield self
        finally:
            await server.close()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.headers.append(dict(request.headers))
        if self.before is not None:
            answer = await self.before(request)
            if answer is not None:
                return answer
        expected = f"Basic {base64.b64encode(self.password.encode()).decode()}"
        if self.password and request.headers.get("Authorization") != expected:
            return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="golden"'})
        return self._answer(request.path)

    def _answer(self, path: str) -> web.Response:
        parts = path.removeprefix("/v2/").rsplit("/", 2)
        if len(parts) != 3 or parts[0] not in self.manifests:
            return web.Response(status=404)
        repository, kind, reference = parts
        if kind == "tags":
            return web.json_response({"name": repository, "tags": sorted(self.tags[repository])})
        digest = self.tags[repository].get(reference, reference)
        if digest not in self.blobs or (kind == "manifests" and digest not in self.manifests[repository]):
            return web.Response(status=404)
        self.asked[path] += 1
        headers = {"Docker-Content-Digest": digest}
        if kind == "manifests":
            headers["Content-Type"] = self.manifests[repository][digest]
        return web.Response(body=self.blobs[digest], headers=headers)


def expected(name: str) -> dict[str, Any]:
    """What the original reads from a recorded storage."""
    value: dict[str, Any] = json.loads((GOLDEN / "expected" / f"{name}.json").read_bytes())
    return value
