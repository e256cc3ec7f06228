"""What operators ask a running process: is it alive, is it ready, what are its figures, and to log more or less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from landform.kit.errors import LandformError
from landform.runtime import logs

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.runtime.manager import Life
    from landform.runtime.metrics import Metrics

_SHUTDOWN_SECONDS = 2.0


class HealthServerError(LandformError):
    """The health server cannot be started."""


class HealthServer:
    """A part that serves ``/healthz``, ``/readyz``, ``/metrics`` and ``/loglevel`` over plain HTTP.

    It has no access control and can change the log level: let it listen where only operators reach it.
    """

    def __init__(self, host: str, port: int, *, metrics: Metrics, unready: Callable[[], list[str]]) -> None:
        self._host = host
        self._port = port
        self._metrics = metrics
        self._unready = unready
        self._runner: web.AppRunner | None = None

    @property
    def port(self) -> int:
        """The port that is listened on; chosen by the system if 0 was asked for."""
        if self._runner is not None and self._runner.addresses:
            return int(self._runner.addresses[0][1])
        return self._port

    async def run(self, life: Life) -> None:
        """Serve until asked to stop."""
        self._runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
        await self._runner.setup()
        try:
            try:
                await web.TCPSite(self._runner, self._host, self._port).start()
            except OSError as error:
                raise HealthServerError(
                    f"cannot listen on {self._host}:{self._port} for health requests: {error.strerror or error}; "
                    "choose another port"
                ) from error
            life.ready()
            await life.stopping()
        finally:
            await self._runner.cleanup()

    def _application(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/healthz", self._healthz)
        app.router.add_get("/readyz", self._readyz)
        app.router.add_get("/metrics", self._figures)
        app.router.add_get("/loglevel", self._level)
        app.router.add_post("/loglevel", self._set_level)
        return app

    async def _healthz(self, _request: web.Request) -> web.Response:
        return web.Response(text="ok")

    async def _readyz(self, _request: web.Request) -> web.Response:
        missing = self._unready()
        if not missing:
            return web.Response(text="ok")
        return web.Response(status=503, text=f"not ready: {', '.join(missing)}")

    async def _figures(self, _request: web.Request) -> web.Response:
        return web.Response(body=self._metrics.page(), headers={"Content-Type": "text/plain; version=0.0.4"})

    async def _level(self, _request: web.Request) -> web.Response:
        return web.Response(text=logs.get_level())

    async def _set_level(self, request: web.Request) -> web.Response:
        try:
            logs.set_level((await request.text()).strip())
        except ValueError as error:
            return web.Response(status=400, text=str(error))
        return web.Response(text=logs.get_level())
