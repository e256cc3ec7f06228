"""Options that several commands share: which data folder, which cluster."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from landform.cluster import Cluster, kubeconfig
from landform.cluster.errors import Unreachable
from landform.cluster.http import HttpCluster
from landform.cluster.transport import Limits
from landform.embedded.folder import KUBECONFIG, FolderError

F = TypeVar("F", bound=Callable[..., Any])

DATA_VARIABLE = "LANDFORM_DATA"

_PATIENCE_SECONDS = 3.0
"""How long a command tries to reach its cluster: somebody waits for it."""


def _default_folder() -> Path:
    return Path(os.path.expanduser("~")) / ".landform"


def data_folder(function: F) -> F:
    """The option ``--data``."""
    return click.option(
        "--data",
        "folder",
        type=click.Path(path_type=Path),
        default=_default_folder,
        envvar=DATA_VARIABLE,
        show_default="~/.landform",
        show_envvar=True,
        help="Folder that holds everything the embedded home keeps.",
    )(function)


@dataclass(frozen=True)
class Choice:
    """Which cluster a command talks to: the running home of the data folder, or the one of a kubeconfig."""

    folder: Path
    kubeconfig: Path | None
    context: str | None

    @asynccontextmanager
    async def cluster(self) -> AsyncIterator[Cluster]:
        """The chosen cluster. Never one that the environment names without the user's word."""
        path = self.kubeconfig or self.folder / KUBECONFIG
        if self.kubeconfig is None and not path.exists():
            raise FolderError(
                f"no Landform home has been started on {self.folder}; start one with"
                f" `landform up --data {self.folder}`, or name another cluster with --kubeconfig"
            )
        connection = kubeconfig.load(path, self.context, exec_plugins=self.kubeconfig is not None)
        cluster = HttpCluster(connection, limits=Limits(retry_seconds=_PATIENCE_SECONDS))
        try:
            yield cluster
        except Unreachable as error:
            if self.kubeconfig is not None:
                raise
            raise Unreachable(
                f"{error}; is the home running? Start it with `landform up --data {self.folder}`"
            ) from error
        finally:
            await cluster.close()


def cluster_choice(function: F) -> F:
    """The options that choose a cluster; the command gets `folder`, `kubeconfig_file` and `context`."""
    for option in (
        click.option("--context", help="Context of the kubeconfig; its current one by default."),
        click.option(
            "--kubeconfig",
            "kubeconfig_file",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Talk to the cluster of this kubeconfig instead of the embedded home.",
        ),
        data_folder,
    ):
        function = option(function)
    return function
