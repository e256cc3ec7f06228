"""A real TLS handshake on loopback, with the strictest client that Python offers."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from landform.embedded.access.certificates import Authority
from landform.kit.clocks import SystemClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

NAMES = ("localhost", "127.0.0.1")


@asynccontextmanager
async def serving(context: ssl.SSLContext) -> AsyncIterator[int]:
    """A server that greets and hangs up; gives its port."""

    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


def client(ca: str) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=ca)
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


async def greeting(port: int, context: ssl.SSLContext, name: str) -> tuple[bytes, str | None]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname=name)
    try:
        return await reader.read(), writer.get_extra_info("ssl_object").selected_alpn_protocol()
    finally:
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize("name", NAMES)
async def test_a_strict_client_that_trusts_the_authority_connects(tmp_path: Path, name: str) -> None:
    authority = Authority.load_or_create(tmp_path, SystemClock())
    async with serving(authority.server_ssl_context(NAMES)) as port:
        assert await greeting(port, client(authority.ca), name) == (b"hello", "http/1.1")


async def test_a_name_that_is_not_in_the_certificate_is_refused(tmp_path: Path) -> None:
    authority = Authority.load_or_create(tmp_path, SystemClock())
    async with serving(authority.server_ssl_context(NAMES)) as port:
        with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
            await greeting(port, client(authority.ca), "elsewhere.example")


async def test_a_client_that_trusts_another_authority_is_refused(tmp_path: Path) -> None:
    authority = Authority.load_or_create(tmp_path / "one", SystemClock())
    other = Authority.load_or_create(tmp_path / "two", SystemClock())
    async with serving(authority.server_ssl_context(NAMES)) as port:
        with pytest.raises(ssl.SSLCertVerificationError):
            await greeting(port, client(other.ca), "localhost")


async def test_a_running_server_takes_up_new_names(tmp_path: Path) -> None:
    authority = Authority.load_or_create(tmp_path, SystemClock())
    context = authority.server_ssl_context(NAMES)
    async with serving(context) as port:
        authority.renew(context, [*NAMES, "new.example"])
        assert (await greeting(port, client(authority.ca), "new.example"))[0] == b"hello"
