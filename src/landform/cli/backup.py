"""``landform backup``: a consistent copy of the data while the home runs."""

from __future__ import annotations

from pathlib import Path

import click

from landform.cli.options import data_folder
from landform.embedded import journal
from landform.embedded.folder import DATABASE


@click.command()
@data_folder
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(folder: Path, file: Path) -> None:
    """Copy the data to FILE while the home runs or not: one consistent moment.

    To restore, put the copy into an empty data folder under the name landform.db and start the home on it.
    """
    journal.backup(folder / DATABASE, file)
    click.echo(f"Copied {folder / DATABASE} to {file} ({file.stat().st_size} bytes).")
