"""The API of a container engine, as docker defined it and podman speaks it too, on a Unix socket."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import aiohttp

from landform.deployers.programs.engines.users import Engine
from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping

_VERSION: Final = "v1.41"
"""Docker 20.10 and newer speak it, and every podman that can keep user ids."""

_MISSING: Final = ("no such container", "container not known")
_NO_LIMIT: Final = aiohttp.ClientTimeout(total=None)
_LONGEST_MESSAGE: Final = 2048


class EngineError(LandformError):
    """The engine refuses something; its own words are the message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status

    @property
    def is_missing(self) -> bool:
        """Whether there is no such container or image; podman calls it a fault of its own while it removes one."""
        return self.status == 404 or (self.status == 500 and any(words in str(self) for words in _MISSING))

    @property
    def is_conflict(self) -> bool:
        """Whether there is one already, or something else is being done with it."""
        return self.status == 409


class EngineGone(LandformError):
    """The engine does not answer."""


class EngineApi:
    """One engine."""

    def __init__(self, socket: str) -> None:
        self.socket = socket
        self._session: aiohttp.ClientSession | None = None

    async def engine(self) -> Engine:
        """Which engine it is."""
        version = await self._json("GET", "/version")
        info = await self._json("GET", "/info")
        return Engine(
            is_podman=any("podman" in str(part.get("Name")).lower() for part in version.get("Components") or ()),
            is_rootless=any("rootless" in str(option) for option in info.get("SecurityOptions") or ()),
            version=str(version.get("Version", "")),
        )

    async def has_image(self, image: str) -> bool:
        """Whether an image need not be pulled."""
        try:
            await self._json("GET", f"/images/{image}/json")
        except EngineError as error:
            if error.is_missing:
                return False
            raise
        return True

    async def pull(self, image: str, auth: str | None) -> None:
        """Pull an image."""
        headers = {"X-Registry-Auth": auth} if auth else {}
        async with self._request("POST", "/images/create", {"fromImage": image}, headers=headers) as answer:
            async for line in answer.content:  # progress, and at the end perhaps an error although all seemed well
                said = json.loads(line) if line.strip() else {}
                if "error" in said:
                    raise EngineError(500, str(said["error"])[:_LONGEST_MESSAGE])

    async def create(self, name: str, body: Mapping[str, Any]) -> None:
        """Make a container."""
        await self._json("POST", "/containers/create", {"name": name}, body=body)

    async def start(self, name: str) -> None:
        """Start a container; one that runs is left alone."""
        await self._json("POST", f"/containers/{name}/start")

    async def wait(self, name: str) -> None:
        """Wait for the end of a container."""
        await self._json("POST", f"/containers/{name}/wait")

    async def inspect(self, name: str) -> dict[str, Any] | None:
        """What is known of a container; None if it is not there."""
        try:
            found: dict[str, Any] = await self._json("GET", f"/containers/{name}/json")
        except EngineError as error:
            if error.is_missing:
                return None
            raise
        return found

    async def logs(self, name: str, *, follow: bool) -> AsyncGenerator[bytes]:
        """What a container prints, in frames, from its beginning until its end, or only until now."""
        wishes = {"follow": str(follow).lower(), "stdout": "true", "stderr": "true"}
        async with self._request("GET", f"/containers/{name}/logs", wishes) as answer:
            async for data in answer.content.iter_any():
                yield data

    async def stop(self, name: str, seconds: int) -> None:
        """Ask a container to end (TERM), and end it (KILL) after so many seconds; nothing happens if there is none."""
        await self._unless_missing("POST", f"/containers/{name}/stop", {"t": str(seconds)})

    async def remove(self, name: str) -> None:
        """Remove a container, whatever it does; nothing happens if it is not there."""
        await self._unless_missing("DELETE", f"/containers/{name}", {"force": "true", "v": "true"})

    async def containers(self, label: str, value: str) -> list[dict[str, Any]]:
        """All containers with a label, running or not."""
        filters = json.dumps({"label": [f"{label}={value}"]})
        found: list[dict[str, Any]] = await self._json("GET", "/containers/json", {"all": "true", "filters": filters})
        return found

    async def close(self) -> None:
        """Let go of all connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _unless_missing(self, method: str, path: str, query: Mapping[str, str]) -> None:
        try:
            await self._json(method, path, query)
        except EngineError as error:
            if not error.is_missing:
                raise

    async def _json(
        self, method: str, path: str, query: Mapping[str, str] | None = None, *, body: Mapping[str, Any] | None = None
    ) -> Any:
        async with self._request(method, path, query, body=body) as answer:
            content = await answer.read()
            return json.loads(content) if content else None

    @asynccontextmanager
    async def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """An answer of the engine; EngineError if it refuses, EngineGone if it cannot be reached or ends meanwhile."""
        url = f"http://engine/{_VERSION}{path}"
        try:
            async with self._opened().request(method, url, params=query, json=body, headers=headers) as answer:
                if answer.status >= 400:
                    raise EngineError(answer.status, _message(await answer.text()))
                yield answer
        except (aiohttp.ClientError, OSError) as error:
            why = str(error) or type(error).__name__
            raise EngineGone(f"the container engine at {self.socket} does not answer: {why}; start it") from error

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            # Waiting takes as long as the program, and each one that runs holds two connections.
            connector = aiohttp.UnixConnector(self.socket, limit=0)
            self._session = aiohttp.ClientSession(connector=connector, timeout=_NO_LIMIT)
        return self._session


def _message(text: str) -> str:
    """The engine's words; cut, because they end up in a status."""
    try:
        said = json.loads(text)
        text = str(said.get("message") or said.get("cause") or text)
    except (ValueError, AttributeError):
        pass  # not JSON, or no object: then the text itself is what it says
    return text.strip()[:_LONGEST_MESSAGE]
