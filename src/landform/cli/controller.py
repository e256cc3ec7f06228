"""``landform controller``: the controllers and built-in deployers on a Kubernetes cluster."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from landform.cli import signals
from landform.cli.deployer_options import deployer_choice
from landform.cli.loops import run
from landform.cli.repositories import cache_choice, repository_choice
from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.deployers.programs.setup.building import Site
from landform.engine.engine import Engine, HealthAddress, Replicas, Settings
from landform.runtime import logs
from landform.runtime.manager import Life

if TYPE_CHECKING:
    from landform.cli.repositories import Access
    from landform.cluster.connections import Connection
    from landform.engine.deployers import Selection


def _address(_context: click.Context, _parameter: click.Parameter, text: str | None) -> HealthAddress | None:
    """An address such as ``0.0.0.0:8080``, or just a port."""
    if text is None:
        return None
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter(f"{text} is no address; give HOST:PORT or PORT")
    return HealthAddress(host.strip("[]") or "127.0.0.1", int(port))


@click.command()
@click.option(
    "--kubeconfig",
    "kubeconfig_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Work on the cluster of this kubeconfig.",
)
@click.option("--context", help="Context of the kubeconfig; its current one by default.")
@click.option("--in-cluster", is_flag=True, help="Work on the cluster that this runs in, as its service account.")
@deployer_choice
@repository_choice
@cache_choice
@click.option(
    "--lease-namespace",
    default="default",
    show_default=True,
    help="Namespace of the Leases by which replicas share the work.",
)
@click.option("--identity", help="What this replica is called; host name and process by default.")
@click.option(
    "--health-address",
    metavar="HOST:PORT",
    callback=_address,
    help="Serve /healthz, /readyz, /metrics and /loglevel here, over plain HTTP without access control.",
)
@click.option(
    "--log-level", type=click.Choice(logs.LEVELS), default="info", show_default=True, help="How much to tell."
)
@click.option(
    "--log-format",
    type=click.Choice([str(each) for each in logs.Format]),
    default="text",
    show_default=True,
    help="How to tell it.",
)
def controller(
    kubeconfig_file: Path | None,
    context: str | None,
    in_cluster: bool,
    deployers: Selection,
    lease_namespace: str,
    identity: str | None,
    health_address: HealthAddress | None,
    log_level: str,
    log_format: str,
    component_cache: Path,
    access: Access,
) -> None:
    """Run the controllers and built-in deployers on a Kubernetes cluster that has the CRDs of `landform crds`.

    Started several times, the replicas share the work; all must have the same --deployers. SIGTERM lets running work
    finish for a while.
    """
    if (kubeconfig_file is None) is not in_cluster:
        raise click.UsageError("name the cluster: give either --kubeconfig or --in-cluster")
    logs.configure(sys.stderr, format=logs.Format(log_format), level=log_level)
    connection = kubeconfig.in_cluster() if in_cluster else kubeconfig.load(kubeconfig_file, context, exec_plugins=True)
    name = identity or f"{socket.gethostname()}-{os.getpid()}"
    repositories = access.repositories(component_cache.absolute())
    settings = Settings(
        replicas=Replicas(lease_namespace, name),
        identity=name,
        health=health_address,
        home_connection=connection,
        repositories=repositories,
        selectors=deployers.made(Site(repositories=repositories)),
    )
    run(_control(connection, settings))


async def _control(connection: Connection, settings: Settings) -> None:
    stop, life = signals.stop_signal(), Life()
    async with HttpCluster(connection) as cluster, asyncio.TaskGroup() as group:
        stopping = group.create_task(_stop_when(stop, life), name="stop signal")
        try:
            await Engine(cluster, deployers=list(settings.selectors), settings=settings).run(life)
        finally:
            stopping.cancel()


async def _stop_when(stop: asyncio.Event, life: Life) -> None:
    await stop.wait()
    life.stop()
