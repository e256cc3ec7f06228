"""A small HTTP proxy that knows CONNECT only."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Proxy:
    """Remembers where it was asked to connect to; refuses if told so."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.refuses = False
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        target = head.split()[1].decode()
        self.asked.append(target)
        with contextlib.closing(writer):
            if self.refuses:
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
                return
            host, _, port = target.rpartition(":")
            there_reader, there_writer = await asyncio.open_connection(host, int(port))
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            with contextlib.closing(there_writer):
                await asyncio.gather(_pipe(reader, there_writer), _pipe(there_reader, writer))


async def _pipe(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while chunk := await source.read(65536):
            sink.write(chunk)
            await sink.drain()
        sink.close()


@contextlib.asynccontextmanager
async def running() -> AsyncIterator[Proxy]:
    """A proxy on a free port of loopback."""
    proxy = Proxy()
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield proxy
