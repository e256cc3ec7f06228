"""``landform reconcile`` and ``landform interrupt``: start a job, and end one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from landform.api import jobs
from landform.api.names import Annotation, Operation
from landform.cli import lookups, reporting
from landform.cli.loops import run
from landform.cli.options import Choice, check_timeout, cluster_choice, namespace_choice, waiting_choice
from landform.cluster.kinds import INSTALLATIONS
from landform.cluster.resources import ObjectKey
from landform.insight import landscapes
from landform.insight.endings import Awaited, Ending, next_job

if TYPE_CHECKING:
    from pathlib import Path

    from landform.api.installations import Installation
    from landform.cluster import Cluster

_OVER = (Ending.SUCCEEDED, Ending.FAILED, Ending.GONE)
"""Whichever way a job ends that was interrupted, it has ended; that it failed is what was asked for."""


@click.command()
@cluster_choice
@click.argument("names", nargs=-1, required=True)
@namespace_choice
@waiting_choice
def reconcile(
    folder: Path,
    kubeconfig_file: Path | None,
    context: str | None,
    names: tuple[str, ...],
    namespace: str,
    wait: bool,
    timeout: float | None,
) -> None:
    """Start a new job of root Installations. One that is at work begins again when its job is over."""
    check_timeout(wait=wait, timeout=timeout)
    keys = [ObjectKey(namespace, name) for name in names]
    if not run(_reconcile(Choice(folder, kubeconfig_file, context), keys, wait, timeout)):
        sys.exit(reporting.FAILED)


async def _reconcile(choice: Choice, keys: list[ObjectKey], wait: bool, timeout: float | None) -> bool:
    async with choice.cluster() as cluster:
        found = [await lookups.installation(cluster, key) for key in keys]
        for installation in found:
            _refuse_child(installation)
        for installation in found:
            await _annotate(cluster, installation, Operation.RECONCILE)
            click.echo(f"installations/{installation.metadata.name} started")
        awaited = [next_job(installation) for installation in found]
        if not wait:
            return True
        endings = await reporting.wait(cluster, awaited, timeout)
        return await reporting.tell(cluster, endings, good=(Ending.SUCCEEDED,))


def _refuse_child(installation: Installation) -> None:
    if parent := landscapes.parent_of(installation):
        raise click.ClickException(
            f"{installation.metadata.name} is a part of {parent}, which alone can start it;"
            f" use `landform reconcile {parent} -n {installation.metadata.namespace}`"
        )


@click.command()
@cluster_choice
@click.argument("names", nargs=-1, required=True)
@namespace_choice
@waiting_choice
def interrupt(
    folder: Path,
    kubeconfig_file: Path | None,
    context: str | None,
    names: tuple[str, ...],
    namespace: str,
    wait: bool,
    timeout: float | None,
) -> None:
    """Let everything unfinished below Installations fail at once, so that their jobs end."""
    check_timeout(wait=wait, timeout=timeout)
    keys = [ObjectKey(namespace, name) for name in names]
    if not run(_interrupt(Choice(folder, kubeconfig_file, context), keys, wait, timeout)):
        sys.exit(reporting.FAILED)


async def _interrupt(choice: Choice, keys: list[ObjectKey], wait: bool, timeout: float | None) -> bool:
    async with choice.cluster() as cluster:
        found = [await lookups.installation(cluster, key) for key in keys]
        busy = [installation for installation in found if jobs.is_busy(installation.status)]
        for installation in found:
            if installation not in busy:
                click.echo(f"installations/{installation.metadata.name} has no job to interrupt")
        for installation in busy:
            await _annotate(cluster, installation, Operation.INTERRUPT)
            click.echo(f"installations/{installation.metadata.name} interrupted")
        awaited = [Awaited(landscapes.key_of(each), each.metadata.uid or "") for each in busy]
        if not wait or not busy:
            return True
        endings = await reporting.wait(cluster, awaited, timeout)
        return await reporting.tell(cluster, endings, good=_OVER)


async def _annotate(cluster: Cluster, installation: Installation, operation: Operation) -> None:
    change = {"metadata": {"annotations": {str(Annotation.OPERATION): str(operation)}}}
    key = landscapes.key_of(installation)
    await cluster.patch(INSTALLATIONS, key.name, change, namespace=key.namespace)
