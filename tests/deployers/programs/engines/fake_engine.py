"""An engine in memory that speaks as much of the API as a launcher needs, and fails when it is told to."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

NEVER = "0001-01-01T00:00:00Z"


class HastyClock:
    """Real time, in which nobody sleeps for long; it is remembered how long they wanted to."""

    def __init__(self) -> None:
        self.slept = 0.0

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return self.slept

    async def sleep(self, seconds: float) -> None:
        self.slept += seconds
        await asyncio.sleep(0.001)


@dataclass
class Container:
    """A container, and what it prints."""

    body: dict[str, Any]
    status: str = "created"
    code: int = 0
    is_out_of_memory: bool = False
    printed: bytes = b""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    stop_seconds: str = ""

    def end(self, code: int = 0, printed: bytes = b"", *, is_out_of_memory: bool = False) -> None:
        self.status, self.code, self.is_out_of_memory = "exited", code, is_out_of_memory
        self.printed += printed
        self.ended.set()

    def told(self) -> dict[str, Any]:
        has_started = self.status != "created"
        return {
            "Image": "sha256:1",
            "Config": {"Image": self.body["Image"]},
            "State": {
                "Status": self.status,
                "ExitCode": self.code,
                "OOMKilled": self.is_out_of_memory,
                "StartedAt": "2026-01-01T00:00:00.123456789Z" if has_started else NEVER,
                "FinishedAt": "2026-01-01T00:00:01Z" if self.ended.is_set() else NEVER,
            },
        }


class FakeEngine:
    """What a test says about it, and what it was asked for."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self.clock = HastyClock()
        self.images = {"example.com/there:1"}
        self.containers: dict[str, Container] = {}
        self.pulls: list[tuple[str, str | None]] = []
        self.pull_errors: list[str] = []
        self.start_error = ""
        self.inspect_errors: list[str] = []
        self.is_ending = True
        """Whether containers end at once, and well."""

        self._runner: web.AppRunner | None = None

    @property
    def only(self) -> Container:
        (container,) = self.containers.values()
        return container

    async def up(self) -> None:
        app = web.Application()
        app.add_routes(
            [
                web.get("/v1.41/version", self._version),
                web.get("/v1.41/info", self._info),
                web.get("/v1.41/images/{name:.+}/json", self._image),
                web.post("/v1.41/images/create", self._pull),
                web.post("/v1.41/containers/create", self._create),
                web.get("/v1.41/containers/json", self._list),
                web.post("/v1.41/containers/{name}/start", self._start),
                web.post("/v1.41/containers/{name}/wait", self._wait),
                web.post("/v1.41/containers/{name}/stop", self._stop),
                web.get("/v1.41/containers/{name}/json", self._inspect),
                web.get("/v1.41/containers/{name}/logs", self._logs),
                web.delete("/v1.41/containers/{name}", self._remove),
            ]
        )
        self._runner = web.AppRunner(app, shutdown_timeout=0.01)
        await self._runner.setup()
        await web.UnixSite(self._runner, str(self.socket)).start()

    async def down(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _version(self, _request: web.Request) -> web.Response:
        return web.json_response({"Version": "27.0", "Components": [{"Name": "Engine"}]})

    async def _info(self, _request: web.Request) -> web.Response:
        return web.json_response({"SecurityOptions": ["name=seccomp,profile=builtin"]})

    async def _image(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        return web.json_response({"Id": "sha256:1"}) if name in self.images else _error(404, f"No such image: {name}")

    async def _pull(self, request: web.Request) -> web.Response:
        name = request.query["fromImage"]
        self.pulls.append((name, request.headers.get("X-Registry-Auth")))
        if self.pull_errors:
            said = self.pull_errors.pop(0)
            return web.Response(text=json.dumps({"status": "Pulling"}) + "\n" + json.dumps({"error": said}) + "\n")
        self.images.add(name)
        return web.Response(text=json.dumps({"status": "Done"}) + "\n")

    async def _create(self, request: web.Request) -> web.Response:
        name = request.query["name"]
        if name in self.containers:
            return _error(409, f"the name {name} is in use")
        self.containers[name] = Container(await request.json())
        return web.json_response({"Id": name}, status=201)

    async def _list(self, request: web.Request) -> web.Response:
        ((name, value),) = [label.split("=", 1) for label in json.loads(request.query["filters"])["label"]]
        every = [container.body["Labels"] for container in self.containers.values()]
        return web.json_response([{"Labels": labels} for labels in every if labels.get(name) == value])

    async def _start(self, request: web.Request) -> web.Response:
        container = self.containers[request.match_info["name"]]
        if self.start_error:
            return _error(500, self.start_error)
        container.status = "running"
        if self.is_ending:
            container.end()
        return web.Response(status=204)

    async def _wait(self, request: web.Request) -> web.Response:
        await self.containers[request.match_info["name"]].ended.wait()
        return web.json_response({"StatusCode": 0})

    async def _stop(self, request: web.Request) -> web.Response:
        container = self.containers.get(request.match_info["name"])
        if container is None:
            return _error(404, "no such container")
        container.stop_seconds = request.query["t"]
        if container.status == "running":
            container.end(137)
        return web.Response(status=204)

    async def _inspect(self, request: web.Request) -> web.Response:
        if self.inspect_errors:
            return _error(500, self.inspect_errors.pop(0))
        container = self.containers.get(request.match_info["name"])
        return _error(404, "no such container") if container is None else web.json_response(container.told())

    async def _logs(self, request: web.Request) -> web.StreamResponse:
        container = self.containers.get(request.match_info["name"])
        if container is None:
            return _error(404, "no such container")
        answer = web.StreamResponse()
        await answer.prepare(request)
        told = 0
        while True:
            is_over = container.ended.is_set() or request.query["follow"] != "true"
            for start in range(told, len(container.printed), 5):
                piece = container.printed[start : start + 5]
                await answer.write(b"\1\0\0\0" + len(piece).to_bytes(4) + piece)
            told = len(container.printed)
            if is_over:
                return answer
            await asyncio.sleep(0.005)

    async def _remove(self, request: web.Request) -> web.Response:
        gone = self.containers.pop(request.match_info["name"], None)
        return _error(404, "no such container") if gone is None else web.Response(status=204)


@asynccontextmanager
async def serve(socket: Path) -> AsyncIterator[FakeEngine]:
    """An engine that listens until the block ends."""
    engine = FakeEngine(socket)
    await engine.up()
    try:
        yield engine
    finally:
        await engine.down()


def _error(status: int, message: str) -> web.Response:
    return web.json_response({"message": message}, status=status)
