"""``landform why``: what is in the way of an object."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from landform.cli import lookups, printing, why_views
from landform.cli.loops import run
from landform.cli.options import Choice, cluster_choice, namespace_choice, output_choice
from landform.cluster.resources import ObjectKey
from landform.insight import asking

if TYPE_CHECKING:
    from pathlib import Path

    from landform.insight.causes import Chain


@click.command()
@cluster_choice
@click.argument("name")
@namespace_choice
@output_choice
def why(
    folder: Path, kubeconfig_file: Path | None, context: str | None, name: str, namespace: str, output: str
) -> None:
    """Say why NAME is not done: from the object to the root cause, in one short chain, and what to do next.

    NAME is an Installation, a DeployItem or (as exec/NAME) an Execution, or what a blueprint calls one.
    """
    chain = run(_why(Choice(folder, kubeconfig_file, context), ObjectKey(namespace, name)))
    if output != "text":
        printing.show_data(chain, output)
        return
    console = printing.console()
    for line in why_views.lines(chain):
        console.print(line)


async def _why(choice: Choice, key: ObjectKey) -> Chain:
    async with choice.cluster() as cluster:
        return await asking.ask(cluster, await lookups.worker(cluster, key))
