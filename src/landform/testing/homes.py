"""Embedded homes for tests: in this process, without disk, gone when the test ends."""

from __future__ import annotations

import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.transport import Limits
from landform.embedded.access.certificates import admin_kubeconfig
from landform.embedded.home import EmbeddedHome, open_in_memory
from landform.embedded.serving.server import Address, serve
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.embedded.client import LocalCluster


@asynccontextmanager
async def home(surroundings: Surroundings | None = None) -> AsyncIterator[EmbeddedHome]:
    """A whole home without disk."""
    with tempfile.TemporaryDirectory(prefix="landform-") as folder:
        async with open_in_memory(Path(folder), surroundings or Surroundings()) as opened:
            yield opened


@asynccontextmanager
async def in_process(surroundings: Surroundings | None = None) -> AsyncIterator[LocalCluster]:
    """A home as controllers in the same process see it."""
    async with home(surroundings) as opened:
        yield opened.cluster


@asynccontextmanager
async def over_https(surroundings: Surroundings | None = None) -> AsyncIterator[HttpCluster]:
    """A home as everyone else sees it: through its HTTPS server on loopback."""
    async with home(surroundings) as opened, serve(opened, Address()) as url:
        text = admin_kubeconfig(url, opened.authority.ca, opened.authority.admin_token)
        # No retries: a test wants to see the first answer.
        cluster = HttpCluster(kubeconfig.parse(text), limits=Limits(retry_seconds=0))
        try:
            yield cluster
        finally:
            await cluster.close()
