"""``landform tree``: Installations with all that is below them, once or as they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from landform.cli import lookups, printing, progress, tree_views, waits
from landform.cli.loops import run
from landform.cli.options import Choice, cluster_choice, namespace_choice, output_choice
from landform.cluster.resources import ObjectKey
from landform.insight import gathering, trees
from landform.kit.clocks import SystemClock

if TYPE_CHECKING:
    from pathlib import Path

    from landform.cluster import Cluster
    from landform.insight.trees import Node


@click.command()
@cluster_choice
@click.argument("names", nargs=-1)
@namespace_choice
@click.option("-A", "--all-namespaces", is_flag=True, help="The Installations of all namespaces.")
@click.option("-w", "--watch", is_flag=True, help="Go on showing them as they change, until Ctrl-C.")
@click.option("--show-values", is_flag=True, help="Show the values of exports too; they may be secrets.")
@output_choice
def tree(
    folder: Path,
    kubeconfig_file: Path | None,
    context: str | None,
    names: tuple[str, ...],
    namespace: str,
    all_namespaces: bool,
    watch: bool,
    show_values: bool,
    output: str,
) -> None:
    """Show Installations (NAMES, or all roots) with their parts: phases, what they wait for, times and exports."""
    if watch and (output != "text" or show_values):
        raise click.UsageError("--watch shows neither values nor other output than text")
    if names and all_namespaces:
        raise click.UsageError("give names or --all-namespaces, not both")
    choice = Choice(folder, kubeconfig_file, context)
    scope = "" if all_namespaces else namespace
    if watch:
        run(_watch(choice, names, scope))
        return
    roots = run(_trees(choice, names, scope))
    show(roots, output, show_values=show_values)
    if not roots and output == "text":
        where = f" in namespace {namespace}; --all-namespaces shows those of others" if scope else ""
        click.echo(f"There is no Installation{where}.", err=True)


def show(roots: list[Node], output: str, *, show_values: bool) -> None:
    """Print trees in one of the ways that `output_choice` has."""
    if output != "text":
        printing.show_data(roots if show_values else [trees.without_values(root) for root in roots], output)
        return
    console = printing.console()
    for line in tree_views.lines(roots, show_values=show_values):
        console.print(line)


async def _trees(choice: Choice, names: tuple[str, ...], namespace: str) -> list[Node]:
    async with choice.cluster() as cluster:
        keys = await _keys(cluster, names, namespace)
        landscape = await (gathering.gather(cluster, keys) if keys else gathering.everything(cluster, namespace))
    wanted = [landscape.installation(key) for key in keys] if keys else landscape.roots()
    now = SystemClock().now()
    return [trees.tree(landscape, each, now) for each in wanted if each is not None]


async def _keys(cluster: Cluster, names: tuple[str, ...], namespace: str) -> list[ObjectKey]:
    """The keys of Installations that are there; an error names one that is not."""
    keys = [ObjectKey(namespace, name) for name in names]
    for key in keys:
        await lookups.installation(cluster, key)
    return keys


async def _watch(choice: Choice, names: tuple[str, ...], namespace: str) -> None:
    async with choice.cluster() as cluster:
        keys = await _keys(cluster, names, namespace)
        with progress.display(printing.console(), transient=False) as display:
            async with waits.onlooker(cluster, namespace) as looking:
                while True:
                    looking.show(keys or looking.follower.roots(), display)
                    await looking.change()
