"""A gate in front of a server: while it is shut nobody comes in, and who was inside is thrown out."""

from __future__ import annotations

import asyncio
import contextlib
from urllib.parse import urlsplit


class Gate:
    """Passes bytes on to a server on this machine, until it is shut; opened again, it is where it was."""

    def __init__(self, url: str) -> None:
        self._inner = urlsplit(url).port or 0
        self._port = 0
        self._server: asyncio.Server | None = None
        self._inside: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Where to come in."""
        return f"https://127.0.0.1:{self._port}"

    async def open(self) -> None:
        """Let people in."""
        self._server = await asyncio.start_server(self._visit, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def shut(self) -> None:
        """Throw everybody out, as a machine that dies does."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        for visit in (visits := set(self._inside)):
            visit.cancel()
        if visits:
            await asyncio.wait(visits)

    def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = asyncio.get_running_loop().create_task(self._pass_on(reader, writer))
        self._inside.add(visit)
        visit.add_done_callback(self._inside.discard)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self._inner)
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(_copy(reader, inner_writer))
                    group.create_task(_copy(inner_reader, writer))
            finally:
                inner_writer.transport.abort()
        except* OSError:
            pass  # the other side went away
        finally:
            writer.transport.abort()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(65536):
        writer.write(chunk)
        await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof()
