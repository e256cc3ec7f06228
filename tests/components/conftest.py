"""What the tests of components share: an opener of repositories whose plain HTTP goes to a registry of the test."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from tests.components.static_registry import GOLDEN

from landform.cluster.retries import Backoff
from landform.components.caches import BlobCache
from landform.components.folders import DiskFolder
from landform.components.httpclients import HttpClient, HttpSettings
from landform.components.limits import DEFAULT, Limits
from landform.components.opening import Opener
from landform.components.resolving import Resolver, ResolverSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from landform.components.credentials import Consumer


@pytest.fixture
def opener(tmp_path: Path) -> Callable[..., AbstractAsyncContextManager[Opener]]:
    """Makes openers; `proxy` is the URL that all plain HTTP goes to, whatever host it is for."""

    @asynccontextmanager
    async def make(
        proxy: str = "", root: Path = GOLDEN / "storage", consumers: tuple[Consumer, ...] = ()
    ) -> AsyncIterator[Opener]:
        settings = HttpSettings(
            proxies={"http": proxy} if proxy else {}, tries=3, backoff=Backoff(0.001, 0.002), silence_seconds=5.0
        )
        async with HttpClient(settings) as http:
            yield Opener(http, BlobCache(tmp_path / "cache"), DEFAULT, DiskFolder(root), consumers)

    return make


@pytest.fixture
def resolver(tmp_path: Path) -> Callable[..., AbstractAsyncContextManager[Resolver]]:
    """Makes resolvers, with the same proxy as `opener`; only port 1 of this machine is asked for directly."""

    @asynccontextmanager
    async def make(
        proxy: str = "", root: Path | None = GOLDEN / "config", limits: Limits = DEFAULT, ca_file: Path | None = None
    ) -> AsyncIterator[Resolver]:
        settings = HttpSettings(
            proxies={"http": proxy, "no": "127.0.0.1:1"} if proxy else {},
            tries=3,
            backoff=Backoff(0.001, 0.002),
            silence_seconds=5.0,
            ca_file=ca_file,
        )
        operator = ResolverSettings(limits, DiskFolder(root) if root else None)
        async with Resolver(HttpClient(settings), BlobCache(tmp_path / "cache"), operator) as made:
            yield made

    return make
