"""``landform apply``: objects from files, and the jobs of Installations started."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from landform.cli import applying, manifests
from landform.cli.loops import run
from landform.cli.options import Choice, cluster_choice

if TYPE_CHECKING:
    from landform.cli.manifests import Manifest


@click.command()
@cluster_choice
@click.option(
    "-f",
    "--file",
    "files",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    help="File or folder with YAML or JSON; - is standard input. May be repeated.",
)
@click.option("-n", "--namespace", default="default", show_default=True, help="Namespace of objects that name none.")
@click.option("--force", is_flag=True, help="Take over fields that someone else set.")
@click.option("--no-reconcile", is_flag=True, help="Only store Installations; do not start their jobs.")
def apply(
    folder: Path,
    kubeconfig_file: Path | None,
    context: str | None,
    files: tuple[Path, ...],
    namespace: str,
    force: bool,
    no_reconcile: bool,
) -> None:
    """Create or change objects from files (server-side apply), and start the jobs of Installations.

    An Installation's blueprint may be a folder beside its file: {inline: {filesystem: {$folder: PATH}}}.
    """
    how = applying.How(namespace, force, starts_jobs=not no_reconcile)
    run(_apply(Choice(folder, kubeconfig_file, context), manifests.read(files), how))


async def _apply(choice: Choice, wanted: list[Manifest], how: applying.How) -> None:
    async with choice.cluster() as cluster:
        await applying.apply_all(cluster, wanted, how)
