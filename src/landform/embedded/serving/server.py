"""The socket: the home served on HTTPS until it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from landform.embedded.access.certificates import server_names
from landform.embedded.access.private_files import UnusableFile
from landform.embedded.home import EmbeddedHome, version
from landform.embedded.registry import LARGEST_OBJECT
from landform.embedded.serving.handler import Handler
from landform.kit.errors import LandformError

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator

_log = logging.getLogger(__name__)

_RENEWAL_SECONDS = 24 * 3600.0
_SHUTDOWN_SECONDS = 1.0
"""How long requests under way may take when the server stops."""


class ListenError(LandformError):
    """The address cannot be listened on; the message is one sentence for the user."""


@dataclass(frozen=True)
class Address:
    """Where to listen."""

    host: str = "127.0.0.1"
    """Loopback unless the user opens it up."""

    port: int = 0
    """0 = any free one."""

    names: tuple[str, ...] = ()
    """Further names and addresses that the certificate is to be valid for."""


@asynccontextmanager
async def serve(home: EmbeddedHome, address: Address) -> AsyncIterator[str]:
    """Serve the home; gives the URL."""
    names = server_names((*address.names, *([address.host] if address.host not in ("0.0.0.0", "::") else [])))
    context = home.authority.server_ssl_context(names)
    handler = Handler(home.verbs, home.documents, version())
    runner = web.ServerRunner(_Server(handler), shutdown_timeout=_SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        site = web.TCPSite(runner, address.host, address.port, ssl_context=context, backlog=1024)
        try:
            await site.start()
        except OSError as error:
            raise ListenError(_problem(address, error)) from error
        host, port = runner.addresses[0][:2]
        shown = f"[{host}]" if ":" in host else host
        home.documents.server_address = f"{shown}:{port}"
        renewal = asyncio.get_running_loop().create_task(_renew(home, context, names), name="certificate renewal")
        try:
            yield f"https://{shown}:{port}"
        finally:
            renewal.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await renewal
    finally:
        await runner.cleanup()


class _Server(web.Server):
    """aiohttp's server without its router: one handler knows all paths, and bodies may be as large as objects.

    A request ends when its client goes, and a watch when the server stops; other requests may finish first. What was
    handed to the store reaches the disk in any case.
    """

    def __init__(self, handler: Handler) -> None:
        super().__init__(self._handle, request_factory=self._request, access_log=None, handler_cancellation=True)
        self._handler = handler
        self._watches: set[asyncio.Task[Any]] = set()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        task = asyncio.current_task()
        if task is None or "watch=" not in request.raw_path:
            return await self._handler(request)
        self._watches.add(task)
        try:
            return await self._handler(request)
        finally:
            self._watches.discard(task)

    def pre_shutdown(self) -> None:
        for task in self._watches:
            task.cancel()
        super().pre_shutdown()

    def _request(self, message: Any, payload: Any, protocol: Any, writer: Any, task: Any) -> web.BaseRequest:
        loop = asyncio.get_running_loop()
        return web.BaseRequest(message, payload, protocol, writer, task, loop, client_max_size=LARGEST_OBJECT)


async def _renew(home: EmbeddedHome, context: ssl.SSLContext, names: tuple[str, ...]) -> None:
    """Keep the certificate from running out in a process that runs for years."""
    while True:
        await home.surroundings.clock.sleep(_RENEWAL_SECONDS)
        try:
            home.authority.renew(context, names)
        except UnusableFile as error:  # a full disk: the old certificate serves for weeks, tomorrow is soon enough
            _log.warning("the server's certificate could not be renewed: %s; trying again in a day", error)


def _problem(address: Address, error: OSError) -> str:
    place = f"{address.host}:{address.port}"
    if error.errno == errno.EADDRINUSE:
        return f"port {address.port} on {address.host} is in use; choose another with --port, or 0 for any free one"
    if error.errno == errno.EACCES:
        return f"listening on {place} is not allowed; choose a port above 1023 with --port"
    return f"cannot listen on {place}: {error.strerror or error}; choose another with --host and --port"
