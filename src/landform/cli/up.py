"""``landform up``: the embedded home in one process, until it is stopped."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from landform import __version__
from landform.cli.loops import run
from landform.cli.options import data_folder
from landform.cluster import kubeconfig
from landform.cluster.errors import ClusterError
from landform.embedded.access.certificates import admin_kubeconfig
from landform.embedded.access.private_files import write_private
from landform.embedded.folder import DataFolder
from landform.embedded.home import EmbeddedHome, open_home
from landform.embedded.serving.server import Address, ListenError, serve
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@data_folder
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=None,
    help="Port to listen on. By default the one of the last start if it is free, else any free one.",
)
@click.option("--name", "names", multiple=True, help="Further host name or address of this machine; may be repeated.")
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="warning",
    show_default=True,
    help="How much to tell on stderr.",
)
def up(folder: Path, host: str, port: int | None, names: tuple[str, ...], log_level: str) -> None:
    """Start a home: a Kubernetes-compatible API in this process, stored in one SQLite file.

    It writes a kubeconfig for the admin into the data folder. kubectl, helm and every other Kubernetes client work
    with it; workload kinds (Pod, Deployment, ...) are stored, but nothing runs them.
    """
    logging.basicConfig(level=log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    run(_up(folder.absolute(), host, port, names))


async def _up(path: Path, host: str, port: int | None, names: tuple[str, ...]) -> None:
    stop = _stop_signal()
    folder = DataFolder(path)
    try:
        async with open_home(folder, Surroundings()) as home:
            wanted = port if port is not None else _last_port(folder.kubeconfig)
            try:
                await _serve(home, folder, Address(host, wanted, names), stop)
            except ListenError:
                if port is not None or wanted == 0:
                    raise
                await _serve(home, folder, Address(host, 0, names), stop)
    finally:
        folder.close()


async def _serve(home: EmbeddedHome, folder: DataFolder, address: Address, stop: asyncio.Event) -> None:
    async with serve(home, address) as url:
        text = admin_kubeconfig(url, home.authority.ca, home.authority.admin_token)
        write_private(folder.kubeconfig, text)
        click.echo(_greeting(url, folder))
        await stop.wait()
        click.echo("Stopping.")


def _last_port(path: Path) -> int:
    """The port of the last start, so that kubeconfigs which were given out go on working."""
    try:
        return urlsplit(kubeconfig.load(path).server).port or 0
    except (ClusterError, OSError):
        return 0


def _stop_signal() -> asyncio.Event:
    """Set by the first Ctrl-C or SIGTERM; the second one ends the process at once."""
    stop = asyncio.Event()

    def on_signal() -> None:
        if stop.is_set():
            os._exit(130)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, on_signal)
    return stop


def _greeting(url: str, folder: DataFolder) -> str:
    return f"""\
Landform {__version__} is up.

  API         {url}
  data        {folder.path}
  kubeconfig  {folder.kubeconfig}

Use it with any Kubernetes client:

  kubectl --kubeconfig {folder.kubeconfig} get installations -A
  landform get installations --data {folder.path}

Ctrl-C stops it; everything is kept in the data folder."""
