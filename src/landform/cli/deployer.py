"""``landform deployer``: deployers, also those of other people, each as a process of its own."""

from __future__ import annotations

import importlib
import inspect
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml

from landform.cli.deployer_options import config_file
from landform.cli.loops import run as run_loop
from landform.cli.options import Choice, cluster_choice
from landform.cluster.http import HttpCluster
from landform.deployers.library import Deployer, selectors, serving
from landform.deployers.programs.setup.building import Site
from landform.engine import deployers as builtin
from landform.kit import yamls
from landform.kit.errors import LandformError
from landform.runtime import logs
from landform.runtime.manager import stopped_by_signals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.deployers.library import Selectors
    from landform.runtime.manager import Life


class DeployerError(LandformError):
    """There is no such deployer, or it cannot be configured."""


@click.group()
def deployer() -> None:
    """Run deployers as processes of their own, also those that do not come with Landform."""


@deployer.command()
@click.argument("name", metavar="NAME|MODULE:CLASS")
@cluster_choice
@click.option(
    "--config",
    "given_file",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Settings of the deployer in YAML; identity and targetSelector are known to all deployers.",
)
@click.option(
    "--target-selector",
    "given",
    multiple=True,
    metavar="YAML",
    help="Serve only items whose target this selects, such as '{targets: [{name: x}]}'; may be repeated.",
)
@click.option("--identity", help="What this process is called; host name and process by default.")
@click.option(
    "--lease-namespace",
    default="default",
    show_default=True,
    help="Namespace of the Leases by which several processes share the work.",
)
@click.option(
    "--log-level", type=click.Choice(logs.LEVELS), default="info", show_default=True, help="How much to tell."
)
@click.option(
    "--log-format",
    type=click.Choice([each.value for each in logs.Format]),
    default=logs.Format.TEXT.value,
    show_default=True,
    help="How to tell it.",
)
def run(
    name: str,
    folder: Path,
    kubeconfig_file: Path | None,
    context: str | None,
    given_file: Path | None,
    given: tuple[str, ...],
    identity: str | None,
    lease_namespace: str,
    log_level: str,
    log_format: str,
) -> None:
    """Run a deployer until it is stopped: one that comes with Landform (mock, manifest, container, script), or CLASS of
    the Python module MODULE, which may be in this folder.

    Started several times with the same target selectors, the processes share the work. SIGTERM lets running work
    finish for a while.
    """
    logs.configure(sys.stderr, format=logs.Format(log_format), level=log_level)
    config = config_file(given_file) if given_file is not None else {}
    chosen = builtin.BUILT_IN[name](config, Site()) if name in builtin.BUILT_IN else load(name).configured(config)
    settings = serving.Settings(
        identity=identity or config.get("identity") or f"{socket.gethostname()}-{os.getpid()}",
        lease_namespace=lease_namespace,
        selectors=_selectors(config, given),
    )
    run_loop(_serve(chosen, Choice(folder, kubeconfig_file, context), settings))


def load(name: str) -> type[Deployer]:
    """The class that a name such as ``module:Class`` stands for."""
    module_name, separator, class_name = name.partition(":")
    if not separator:
        known = ", ".join(builtin.BUILT_IN)
        raise DeployerError(
            f"{name} does not name a deployer: it is none of {known}, and no class; write MODULE:CLASS, such as"
            " greeting:GreetingDeployer"
        )
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)  # as `python -m` does; the command itself is installed elsewhere
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as fault:
        raise DeployerError(f"{fault}; is it in this folder, or installed beside Landform?") from fault
    found = getattr(module, class_name, None)
    if not inspect.isclass(found) or not issubclass(found, Deployer):
        raise DeployerError(f"{class_name} in {module_name} is no subclass of landform.deployers.library.Deployer")
    if inspect.isabstract(found):
        missing = " and ".join(sorted(found.__abstractmethods__))
        raise DeployerError(f"{name} is not finished: it has no {missing}")
    return found


def _selectors(config: Mapping[str, Any], given: tuple[str, ...]) -> Selectors:
    """Those of the command line; without any, those of the file."""
    if not given:
        return selectors.parse(config.get("targetSelector"))
    try:
        return selectors.parse([yamls.load(text) for text in given])
    except (ValueError, yaml.YAMLError) as fault:
        raise DeployerError(f"--target-selector is not YAML: {fault}") from fault


class _Announcement:
    """Tells people that everything runs."""

    def __init__(self, deployer: Deployer) -> None:
        self._deployer = deployer

    async def run(self, life: Life) -> None:
        click.echo(f"The deployer {self._deployer.name} serves items of type {self._deployer.type}.")
        life.ready()
        await life.stopping()


async def _serve(deployer: Deployer, choice: Choice, settings: serving.Settings) -> None:
    async with choice.cluster() as cluster:
        await cluster.version()  # a cluster that is not there should be told at once, not waited for
        if isinstance(cluster, HttpCluster):
            settings = replace(settings, home_connection=cluster.connection)
        manager = serving.manager(deployer, cluster, settings, announcement=_Announcement(deployer))
        with stopped_by_signals(manager):
            await manager.run()
