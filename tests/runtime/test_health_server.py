"""The health server: what operators ask, and the log level they change."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import aiohttp
import pytest

from landform.runtime import logs
from landform.runtime.health import HealthServer, HealthServerError
from landform.runtime.manager import Life
from landform.runtime.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


@pytest.fixture(autouse=True)
def _same_level_afterwards() -> Iterator[None]:
    before = logs.ROOT.level
    yield
    logs.ROOT.setLevel(before)


@asynccontextmanager
async def serving(unready: list[str]) -> AsyncIterator[aiohttp.ClientSession]:
    """A client of a running server."""
    server, life = HealthServer("127.0.0.1", 0, metrics=Metrics(), unready=lambda: unready), Life()
    running = asyncio.create_task(server.run(life))
    await life.until_ready()
    async with aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as session:
        yield session
    life.stop()
    await running


async def answer(session: aiohttp.ClientSession, path: str) -> tuple[int, str]:
    async with session.get(path) as response:
        return response.status, await response.text()


async def test_it_is_alive_from_the_start_and_ready_when_no_part_is_missing() -> None:
    unready = ["caches", "controller"]
    async with serving(unready) as session:
        assert await answer(session, "/healthz") == (200, "ok")
        assert await answer(session, "/readyz") == (503, "not ready: caches, controller")
        unready.clear()
        assert await answer(session, "/readyz") == (200, "ok")


async def test_the_figures_are_there() -> None:
    async with serving([]) as session:
        code, page = await answer(session, "/metrics")
        assert code == 200
        assert "# TYPE landform_reconciles_total counter" in page


async def test_the_log_level_is_changed_at_run_time() -> None:
    async with serving([]) as session:
        async with session.post("/loglevel", data="debug") as response:
            assert (response.status, await response.text()) == (200, "debug")
        assert await answer(session, "/loglevel") == (200, "debug")
        async with session.post("/loglevel", data="shout") as response:
            assert response.status == 400
            assert "the levels are debug, info, warning, error" in await response.text()


async def test_a_taken_port_is_named() -> None:
    listener = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    server = HealthServer("127.0.0.1", port, metrics=Metrics(), unready=list)
    with pytest.raises(HealthServerError, match=f"cannot listen on 127.0.0.1:{port}"):
        await server.run(Life())
    listener.close()
    await listener.wait_closed()
