"""A real HTTP server on loopback that plays a script: one reply per request, in order."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

if TYPE_CHECKING:
    import ssl
    from types import TracebackType

Reply = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Seen:
    """A request that arrived."""

    method: str
    path: str
    headers: dict[str, list[str]]
    body: bytes

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def header(self, name: str) -> str:
        return ", ".join(self.headers.get(name.lower(), []))


class ScriptedServer:
    """Remembers what it was asked, and answers what the test said."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.seen: list[Seen] = []
        self.script: deque[Reply] = deque()
        self._tls = tls
        self._runner = web.ServerRunner(web.Server(self._handle, handler_cancellation=True), shutdown_timeout=0.01)
        self.port = 0

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def replies(self, *replies: Reply) -> None:
        self.script.extend(replies)

    async def start(self, port: int = 0) -> None:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port, ssl_context=self._tls)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        await self._runner.cleanup()

    async def __aenter__(self) -> ScriptedServer:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        headers: dict[str, list[str]] = {}
        for name, value in request.headers.items():
            headers.setdefault(name.lower(), []).append(value)
        self.seen.append(Seen(request.method, request.raw_path, headers, await request.content.read()))
        return await self.script.popleft()(request)


def answer(content: Any, code: int = 200, **headers: str) -> Reply:
    """A JSON answer; underscores in header names stand for hyphens."""

    async def reply(request: web.BaseRequest) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        response = web.Response(body=json.dumps(content), status=code, headers=named, content_type="application/json")
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            response.enable_compression(web.ContentCoding.gzip)
        return response

    return reply


def status(code: int, reason: str = "", message: str = "no", **headers: str) -> Reply:
    """A failure in the API server's form."""
    return answer({"kind": "Status", "code": code, "reason": reason, "message": message}, code, **headers)


def text(content: str, code: int, **headers: str) -> Reply:
    """An answer in plain text, as proxies give it."""

    async def reply(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(text=content, status=code, headers=headers)

    return reply


async def reset(request: web.BaseRequest) -> web.StreamResponse:
    """Break the connection instead of answering."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def silence(request: web.BaseRequest) -> web.StreamResponse:
    """Never answer."""
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


def stream(*parts: bytes, then: Reply | None = None) -> Reply:
    """A body that comes in parts; then it ends, or goes on as `then` says."""

    async def reply(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        for part in parts:
            await response.write(part)
        if then is not None:
            await then(request)
        return response

    return reply


def event(kind: str, name: str = "a", version: str = "1", **more: Any) -> bytes:
    """One line of a watch."""
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "resourceVersion": version}, **more}
    return json.dumps({"type": kind, "object": obj}).encode() + b"\n"
