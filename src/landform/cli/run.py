"""``landform run``: a whole landscape from a folder to its end, without any set-up."""

from __future__ import annotations

import logging
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from landform.cli import applying, homes, manifests, reporting, signals, tree
from landform.cli.loops import run as run_loop
from landform.cli.options import Choice, cluster_choice, output_choice, timeout_choice
from landform.cli.repositories import repository_choice
from landform.embedded.folder import FolderInUse
from landform.engine.deployers import Selection
from landform.insight import gathering, trees
from landform.insight.endings import Ending
from landform.kit.clocks import SystemClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from landform.cli.manifests import Manifest
    from landform.cli.repositories import Access
    from landform.cluster import Cluster
    from landform.cluster.resources import ObjectKey


@click.command()
@cluster_choice
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-n", "--namespace", default="default", show_default=True, help="Namespace of objects that name none.")
@click.option("--keep", is_flag=True, help="Leave the home running afterwards, until Ctrl-C.")
@click.option("--show-values", is_flag=True, help="Show the values of exports too; they may be secrets.")
@timeout_choice
@output_choice
@repository_choice
def run(
    folder: Path,
    kubeconfig_file: Path | None,
    context: str | None,
    paths: tuple[Path, ...],
    namespace: str,
    keep: bool,
    show_values: bool,
    timeout: float | None,
    output: str,
    access: Access,
) -> None:
    """Apply the objects of files and folders (PATHS), wait for their Installations and show the finished tree.

    Without a home on the data folder it starts one for as long as it takes. Ends with 0 only if all Installations
    succeeded; 1 tells that one did not, and why.
    """
    # What goes wrong below is told in the end, with its cause.
    logging.basicConfig(level="ERROR", format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    how = applying.How(namespace, is_quiet=output != "text")
    order = _Order(manifests.read(paths), how, timeout, keep, show_values, output, access)
    if not run_loop(_run(Choice(folder.absolute(), kubeconfig_file, context), order)):
        sys.exit(reporting.FAILED)


@dataclass(frozen=True)
class _Order:
    """What is to be run, and how the end of it is shown."""

    wanted: Sequence[Manifest]
    how: applying.How
    timeout: float | None
    keep: bool
    show_values: bool
    output: str
    access: Access


async def _run(choice: Choice, order: _Order) -> bool:
    async with _reached(choice, order.access) as (cluster, is_ours):
        started = await applying.apply_all(cluster, order.wanted, order.how)
        endings = await reporting.wait(cluster, started, order.timeout) if started else {}
        await _show(cluster, list(endings), order)
        succeeded = await reporting.tell(cluster, endings, good=(Ending.SUCCEEDED,))
        if order.keep and is_ours:
            click.echo(f"The home on {choice.folder} stays up until Ctrl-C.", err=True)
            await signals.stop_signal().wait()
        return succeeded


@asynccontextmanager
async def _reached(choice: Choice, access: Access) -> AsyncIterator[tuple[Cluster, bool]]:
    """The chosen cluster, and whether it is a home that was started for this."""
    if choice.kubeconfig is not None:
        _check_unused(access)
        async with choice.cluster() as cluster:
            yield cluster, False
        return
    async with AsyncExitStack() as stack:
        try:
            home = await stack.enter_async_context(homes.served(choice.folder))
        except FolderInUse:
            _check_unused(access)
            yield await stack.enter_async_context(choice.cluster()), False
            return
        await stack.enter_async_context(homes.with_engine(home, Selection(), access))
        yield home.cluster, True


def _check_unused(access: Access) -> None:
    """Options for controllers mean nothing where other processes run them; better said than passed over."""
    if not access.is_default:
        raise click.UsageError(
            "options about component repositories are for the process that runs the controllers: give them to it"
            " (`landform up`, `landform controller`), or stop it"
        )


async def _show(cluster: Cluster, keys: list[ObjectKey], order: _Order) -> None:
    landscape = await gathering.gather(cluster, keys)
    found = [installation for key in keys if (installation := landscape.installation(key)) is not None]
    now = SystemClock().now()
    roots = [trees.tree(landscape, installation, now) for installation in found]
    tree.show(roots, order.output, show_values=order.show_values)
