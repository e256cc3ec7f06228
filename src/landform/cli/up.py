"""``landform up``: the embedded home in one process, until it is stopped."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import click

from landform import __version__
from landform.cli import homes, signals
from landform.cli.deployer_options import deployer_choice
from landform.cli.loops import run
from landform.cli.options import data_folder
from landform.cli.repositories import repository_choice

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from landform.cli.homes import Home
    from landform.cli.repositories import Access
    from landform.engine.deployers import Selection


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
@click.option("--no-controllers", is_flag=True, help="Only store objects; leave it to other processes to work on them.")
@deployer_choice
@repository_choice
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="warning",
    show_default=True,
    help="How much to tell on stderr.",
)
def up(
    folder: Path,
    host: str,
    port: int | None,
    names: tuple[str, ...],
    no_controllers: bool,
    deployers: Selection,
    log_level: str,
    access: Access,
) -> None:
    """Start a home: a Kubernetes-compatible API in this process, stored in one SQLite file.

    It writes a kubeconfig for the admin into the data folder. kubectl, helm and every other Kubernetes client work
    with it; workload kinds (Pod, Deployment, ...) are stored, but nothing runs them. Installations are worked on.
    """
    logging.basicConfig(level=log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    served = homes.served(folder.absolute(), host=host, port=port, names=names)
    run(_up(served, None if no_controllers else deployers, access))


async def _up(served: AbstractAsyncContextManager[Home], deployers: Selection | None, access: Access) -> None:
    """Run until stopped; without controllers if `deployers` is None."""
    stop = signals.stop_signal()
    async with AsyncExitStack() as stack:
        home = await stack.enter_async_context(served)
        if deployers is not None:
            await stack.enter_async_context(homes.with_engine(home, deployers, access))
        click.echo(_greeting(home))
        await stop.wait()
        click.echo("Stopping.")


def _greeting(home: Home) -> str:
    folder = home.folder
    return f"""\
Landform {__version__} is up.

  API         {home.url}
  data        {folder.path}
  kubeconfig  {folder.kubeconfig}

Use it with any Kubernetes client:

  kubectl --kubeconfig {folder.kubeconfig} get installations -A
  landform tree --data {folder.path}

Ctrl-C stops it; everything is kept in the data folder."""
