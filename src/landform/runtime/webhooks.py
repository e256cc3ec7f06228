"""The validating webhook: an HTTPS server that tells a Kubernetes API server which objects follow our rules."""

from __future__ import annotations

import asyncio
import logging
import ssl
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from landform.kit.errors import LandformError
from landform.kit.surroundings import Surroundings
from landform.runtime import admission

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

VALIDATE_PATH = "/validate"
"""Where reviews are sent to."""

HEALTH_PATH = "/healthz"
"""Answers `ok` as long as the server runs."""

MAX_BODY = 16 * 1024 * 1024
"""Largest review in bytes; it holds an object and what it replaces."""

_SHUTDOWN_SECONDS = 5.0

_log = logging.getLogger(__name__)


class WebhookServerError(LandformError):
    """The server cannot be started; the text says why and names the file or the port."""


class WebhookServer:
    """Serves reviews while its `async with` block runs.

    The certificate and key files are looked at every `reload_interval` seconds; changed ones are used for new
    connections. As long as they cannot be read, or do not belong together, the old ones stay in use.
    """

    def __init__(
        self,
        host: str,
        port: int,
        certificate: str | Path,
        key: str | Path,
        *,
        reload_interval: float = 10.0,
        surroundings: Surroundings | None = None,
    ) -> None:
        self._host = host
        self._port = port
        self._certificate = Path(certificate)
        self._key = Path(key)
        self._reload_interval = reload_interval
        self._clock = (surroundings or Surroundings()).clock
        self._runner: web.AppRunner | None = None
        self._reloading: asyncio.Task[None] | None = None
        self._context: ssl.SSLContext | None = None
        self._loaded: tuple[object, ...] = ()

    @property
    def port(self) -> int:
        """The port that is listened on; chosen by the system if 0 was asked for."""
        if self._runner is not None and self._runner.addresses:
            return int(self._runner.addresses[0][1])
        return self._port

    async def __aenter__(self) -> Self:
        try:
            await self._load()
        except (OSError, ssl.SSLError) as exc:
            raise WebhookServerError(
                f"cannot use the certificate {self._certificate} with the key {self._key}: {exc}"
            ) from exc
        app = web.Application(client_max_size=MAX_BODY)
        app.router.add_post(VALIDATE_PATH, _validate)
        app.router.add_get(HEALTH_PATH, _healthz)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
        await self._runner.setup()
        try:
            entrance = await asyncio.to_thread(self._entrance)
            await web.TCPSite(self._runner, self._host, self._port, ssl_context=entrance).start()
        except OSError as exc:
            await self._runner.cleanup()
            raise WebhookServerError(f"cannot listen on {self._host}:{self._port}: {exc.strerror or exc}") from exc
        self._reloading = asyncio.create_task(self._reload_forever(), name="webhook certificate reload")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._reloading is not None:
            self._reloading.cancel()
            await asyncio.gather(self._reloading, return_exceptions=True)
        if self._runner is not None:
            await self._runner.cleanup()

    async def reload_if_changed(self) -> bool:
        """Take over the certificate files if they changed since they were loaded; whether they were taken over."""
        try:
            if await asyncio.to_thread(self._stamp) == self._loaded:
                return False
            await self._load()
        except (OSError, ssl.SSLError) as exc:
            _log.warning("the changed certificate %s is not used, the old one stays: %s", self._certificate, exc)
            return False
        _log.info("the certificate %s was reloaded", self._certificate)
        return True

    async def _reload_forever(self) -> None:
        while True:
            await self._clock.sleep(self._reload_interval)
            await self.reload_if_changed()

    async def _load(self) -> None:
        # Stamped first: a change while the files are read shows the next time.
        stamp = await asyncio.to_thread(self._stamp)
        self._context = await asyncio.to_thread(self._read_context)
        self._loaded = stamp

    def _stamp(self) -> tuple[object, ...]:
        """What changes when the files do; symbolic links, as mounted Secrets have them, are followed."""
        states = [path.stat() for path in (self._certificate, self._key)]
        return tuple((state.st_mtime_ns, state.st_size, state.st_ino) for state in states)

    def _read_context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self._certificate, self._key)
        return context

    def _entrance(self) -> ssl.SSLContext:
        """The context that every connection begins with; it goes on with the one that is current at that moment."""
        entrance = self._read_context()

        def choose(connection: ssl.SSLSocket | ssl.SSLObject, _name: str | None, _entrance: ssl.SSLContext) -> None:
            if self._context is not None:
                connection.context = self._context

        entrance.sni_callback = choose
        return entrance


async def _validate(request: web.Request) -> web.Response:
    body = await request.read()
    try:
        # In a thread: an Execution may hold megabytes of compressed items.
        answer = await asyncio.to_thread(admission.answer, body)
    except admission.BadReview as exc:
        return web.Response(status=400, text=str(exc))
    return web.Response(body=answer, content_type="application/json")


async def _healthz(_request: web.Request) -> web.Response:
    return web.Response(text="ok")
