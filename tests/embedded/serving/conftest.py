"""A home behind its HTTPS server, and a plain HTTP client that sees every byte and header."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import aiohttp
import pytest

from landform.embedded.serving.server import Address, serve
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """A session of the admin; paths are below the home's URL."""
    async with homes.home() as home, serve(home, Address()) as url:
        context = ssl.create_default_context(cadata=home.authority.ca)
        headers = {"Authorization": f"Bearer {home.authority.admin_token}"}
        connector = aiohttp.TCPConnector(ssl=context)
        async with aiohttp.ClientSession(url, connector=connector, headers=headers) as session:
            yield session
