"""A plain HTTP client of a home in this process, for requests that no command line client sends on demand.

The home is on disk: waiting for the disk gives everything else a turn, as in a home that people use.
"""

from __future__ import annotations

import ssl
import tempfile
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp

from landform.embedded.folder import DataFolder
from landform.embedded.home import open_home
from landform.embedded.serving.server import Address, serve
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@asynccontextmanager
async def admin(**headers: str) -> AsyncIterator[aiohttp.ClientSession]:
    """A session with the admin's token and further headers, their names with _ for -."""
    with tempfile.TemporaryDirectory(prefix="landform-") as place, closing(DataFolder(Path(place) / "data")) as folder:
        async with open_home(folder, Surroundings()) as home, serve(home, Address()) as url:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            sent["Authorization"] = f"Bearer {home.authority.admin_token}"
            connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cadata=home.authority.ca))
            async with aiohttp.ClientSession(url, headers=sent, connector=connector) as session:
                yield session
