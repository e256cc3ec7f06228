"""Homes that a command runs in its own process: the data folder, the API on HTTPS, and the engine inside."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from landform.cli.repositories import CACHE
from landform.cluster import kubeconfig
from landform.cluster.errors import ClusterError
from landform.deployers.programs.setup import finding
from landform.deployers.programs.setup.building import Site
from landform.embedded.access.certificates import admin_kubeconfig
from landform.embedded.access.private_files import write_private
from landform.embedded.folder import DataFolder
from landform.embedded.home import EmbeddedHome, open_home
from landform.embedded.serving.server import Address, ListenError, serve
from landform.engine.engine import Engine, Settings
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from landform.cli.repositories import Access
    from landform.cluster import Cluster
    from landform.engine.deployers import Selection


@dataclass(frozen=True)
class Home:
    """A home that runs in this process."""

    cluster: Cluster
    url: str
    folder: DataFolder


@asynccontextmanager
async def served(
    path: Path, *, host: str = "127.0.0.1", port: int | None = None, names: tuple[str, ...] = ()
) -> AsyncIterator[Home]:
    """A home on a data folder, with its API on HTTPS and a kubeconfig for the admin in the folder.

    Without a port it is that of the last start, or any if that one is taken.
    """
    folder = DataFolder(path)
    try:
        async with open_home(folder, Surroundings()) as home, AsyncExitStack() as stack:
            wanted = port if port is not None else _last_port(folder.kubeconfig)
            url = await _listen(stack, home, Address(host, wanted, names), may_move=port is None and wanted != 0)
            write_private(folder.kubeconfig, admin_kubeconfig(url, home.authority.ca, home.authority.admin_token))
            yield Home(home.cluster, url, folder)
    finally:
        folder.close()


@asynccontextmanager
async def with_engine(home: Home, deployers: Selection, access: Access) -> AsyncIterator[None]:
    """The controllers of the home and some deployers, at work in the same process."""
    data = home.folder.path
    repositories = access.repositories(data / CACHE)
    chosen = deployers.made(Site(finding.folder_of_home(data, os.geteuid()), repositories))
    settings = Settings(
        home_connection=kubeconfig.load(home.folder.kubeconfig), repositories=repositories, selectors=chosen
    )
    async with Engine(home.cluster, deployers=list(chosen), settings=settings).running():
        yield


async def _listen(stack: AsyncExitStack, home: EmbeddedHome, address: Address, *, may_move: bool) -> str:
    try:
        return await stack.enter_async_context(serve(home, address))
    except ListenError:
        if not may_move:
            raise
        return await stack.enter_async_context(serve(home, replace(address, port=0)))


def _last_port(path: Path) -> int:
    """The port of the last start, so that kubeconfigs which were given out go on working."""
    try:
        return urlsplit(kubeconfig.load(path).server).port or 0
    except (ClusterError, OSError):
        return 0
