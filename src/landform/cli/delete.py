"""``landform delete``: Installations and what they installed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from landform.api import phases
from landform.api.names import TRUE, Annotation, Operation
from landform.cli import lookups, reporting
from landform.cli.loops import run
from landform.cli.options import Choice, check_timeout, cluster_choice, namespace_choice, waiting_choice
from landform.cluster.interface import DeleteOptions
from landform.cluster.kinds import INSTALLATIONS
from landform.cluster.resources import ObjectKey
from landform.insight import landscapes
from landform.insight.endings import Ending, deletion

if TYPE_CHECKING:
    from pathlib import Path

    from landform.api.installations import Installation
    from landform.cluster import Cluster


@click.command()
@cluster_choice
@click.argument("names", nargs=-1, required=True)
@namespace_choice
@click.option(
    "--without-uninstall",
    is_flag=True,
    help="Delete only the objects here; what was installed stays where it is and is no longer looked after.",
)
@click.option("--ignore-successors", is_flag=True, help="Delete even though others import what is exported.")
@waiting_choice
def delete(
    folder: Path,
    kubeconfig_file: Path | None,
    context: str | None,
    names: tuple[str, ...],
    namespace: str,
    without_uninstall: bool,
    ignore_successors: bool,
    wait: bool,
    timeout: float | None,
) -> None:
    """Uninstall Installations and delete them. With --wait, says what blocks a deletion that fails."""
    chosen = {
        str(Annotation.DELETE_WITHOUT_UNINSTALL): without_uninstall,
        str(Annotation.DELETE_IGNORE_SUCCESSORS): ignore_successors,
    }
    annotations = {annotation: TRUE for annotation, is_chosen in chosen.items() if is_chosen}
    check_timeout(wait=wait, timeout=timeout)
    keys = [ObjectKey(namespace, name) for name in names]
    if not run(_delete(Choice(folder, kubeconfig_file, context), keys, annotations, wait, timeout)):
        sys.exit(reporting.FAILED)


async def _delete(
    choice: Choice, keys: list[ObjectKey], annotations: dict[str, str], wait: bool, timeout: float | None
) -> bool:
    async with choice.cluster() as cluster:
        found = [await lookups.installation(cluster, key) for key in keys]
        awaited = [deletion(installation) for installation in found]
        for installation in found:
            await _begin(cluster, installation, annotations)
        if not wait:
            return True
        endings = await reporting.wait(cluster, awaited, timeout)
        return await reporting.tell(cluster, endings, good=(Ending.GONE,))


async def _begin(cluster: Cluster, installation: Installation, annotations: dict[str, str]) -> None:
    key = landscapes.key_of(installation)
    if phases.is_deletion(installation.status.phase) and phases.is_final(installation.status.phase):
        # A deletion that failed is begun again only when somebody asks.
        annotations = {**annotations, str(Annotation.OPERATION): str(Operation.RECONCILE)}
    if annotations:
        change = {"metadata": {"annotations": annotations}}
        await cluster.patch(INSTALLATIONS, key.name, change, namespace=key.namespace)
    options = DeleteOptions(uid=installation.metadata.uid or "")
    left = await cluster.delete(INSTALLATIONS, key.name, namespace=key.namespace, options=options)
    click.echo(f"installations/{key.name} {'is being deleted' if left is not None else 'deleted'}")
