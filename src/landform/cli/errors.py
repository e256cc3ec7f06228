"""How errors reach the user: one sentence on stderr and exit code 1."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from landform.cluster.errors import ClusterError
from landform.embedded.folder import FolderError
from landform.embedded.serving.server import ListenError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def friendly_errors() -> Iterator[None]:
    """Turn the errors that are written for users into click's way of showing them; bugs keep their traceback."""
    try:
        yield
    except (FolderError, ListenError, ClusterError) as error:
        raise click.ClickException(str(error)) from error
