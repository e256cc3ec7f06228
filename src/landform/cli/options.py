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
from landform.kit import durations

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


def namespace_choice(function: F) -> F:
    """The option ``--namespace`` of commands about objects in one namespace."""
    return click.option("-n", "--namespace", default="default", show_default=True, help="Namespace of the objects.")(
        function
    )


def output_choice(function: F) -> F:
    """The option ``--output`` of commands that people and programs read."""
    return click.option(
        "-o",
        "--output",
        type=click.Choice(["text", "yaml", "json"]),
        default="text",
        show_default=True,
        help="text is for people, the others for programs.",
    )(function)


def _seconds(_context: click.Context, _parameter: click.Parameter, text: str | None) -> float | None:
    """The seconds of a length of time in Go's syntax; a usage error if it is none, or not a positive one."""
    if text is None:
        return None
    try:
        seconds = durations.parse(text).seconds
    except durations.DurationError as error:
        raise click.BadParameter(f"{error}; write it as 90s or 10m") from error
    if seconds <= 0:
        raise click.BadParameter(f"{text} is no time to wait; give a positive one such as 90s or 10m")
    return seconds


def timeout_choice(function: F) -> F:
    """The option ``--timeout`` of commands that wait; the command gets seconds, or None."""
    return click.option(
        "--timeout",
        metavar="DURATION",
        callback=_seconds,
        help="Give up waiting after this time, such as 90s or 10m.",
    )(function)


def check_timeout(*, wait: bool, timeout: float | None) -> None:
    """Refuse a time limit that means nothing."""
    if timeout is not None and not wait:
        raise click.UsageError("--timeout is for those who wait: give --wait too")


def waiting_choice(function: F) -> F:
    """The options ``--wait`` and ``--timeout`` of commands that start something."""
    return click.option("-w", "--wait", is_flag=True, help="Wait until it is done, and fail if it does not succeed.")(
        timeout_choice(function)
    )
