"""``landform logs``: what the program of a deploy item prints."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from landform.api import jobs
from landform.api.deployitems import full_type
from landform.api.names import ItemType
from landform.cli import lookups
from landform.cli.loops import run
from landform.cli.options import Choice, cluster_choice, namespace_choice
from landform.cluster.codec import key_of
from landform.cluster.errors import ClusterError, NotFound
from landform.cluster.informers import Caches
from landform.cluster.interface import ListOptions
from landform.cluster.kinds import DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS
from landform.cluster.resources import SECRETS, ObjectKey
from landform.deployers.programs.runs import logs as kept_logs
from landform.deployers.programs.runs import logtexts

if TYPE_CHECKING:
    from pathlib import Path

    from landform.api.deployitems import DeployItem
    from landform.cluster import Cluster
    from landform.deployers.programs.runs.logs import KeptLog

_WORKERS = (DEPLOY_ITEMS.untyped(), EXECUTIONS.untyped(), INSTALLATIONS.untyped())
_PROGRAMS = (ItemType.CONTAINER, ItemType.SCRIPT)


@click.command()
@cluster_choice
@click.argument("item")
@namespace_choice
@click.option("-f", "--follow", is_flag=True, help="Go on showing what is printed, until the program's job is over.")
@click.option("--previous", is_flag=True, help="Show the run before the last one.")
def logs(
    folder: Path,
    kubeconfig_file: Path | None,
    context: str | None,
    item: str,
    namespace: str,
    follow: bool,
    previous: bool,
) -> None:
    """Show what the program of the container or script ITEM prints, or has printed in its last run.

    ITEM is a DeployItem, or what a blueprint calls one. Of each run the last 256 KiB are kept, and the run before the
    last is kept too.
    """
    if follow and previous:
        raise click.UsageError("the previous run prints nothing any more: give either --follow or --previous")
    choice, key = Choice(folder, kubeconfig_file, context), ObjectKey(namespace, item)
    run(_follow(choice, key) if follow else _show(choice, key, kept_logs.PREVIOUS if previous else kept_logs.LOG))


async def _show(choice: Choice, key: ObjectKey, which: str) -> None:
    async with choice.cluster() as cluster:
        item = await _item(cluster, key)
        kept = await _kept(cluster, key_of(item), which)
        if kept is None:
            _tell_why_nothing(item, which)
        else:
            _Printer().show(kept)


async def _follow(choice: Choice, key: ObjectKey) -> None:
    """Show the log of an item as it grows; its job's end is the end of it."""
    async with choice.cluster() as cluster:
        item = await _item(cluster, key)
        printer = _Printer()
        await _until_over(cluster, key_of(item), printer)
        # The last of it may have come after the news that the job is over.
        kept = await _kept(cluster, key_of(item), kept_logs.LOG)
        if kept is not None:
            printer.show(kept)
        elif not printer.has_shown:
            _tell_why_nothing(item, kept_logs.LOG)


async def _until_over(cluster: Cluster, key: ObjectKey, printer: _Printer) -> None:
    caches = Caches(cluster)
    secret = kept_logs.key_of(key)
    items = caches.informer(DEPLOY_ITEMS, namespace=key.namespace, selection=_named(key.name))
    secrets = caches.informer(SECRETS, namespace=key.namespace, selection=_named(secret.name))
    changed = asyncio.Event()
    for informer in (items, secrets):
        informer.subscribe(lambda _old, _new: changed.set())
    async with caches:
        await caches.synced()
        while True:
            changed.clear()
            found, item = secrets.get(secret), items.get(key)
            kept = kept_logs.read(found) if found is not None else None
            # Before the first line of a new run the Secret still has the last one's.
            if kept is not None and item is not None and kept.header.job == item.status.job_id:
                printer.show(kept)
            if item is None or not jobs.is_busy(item.status):
                return
            await changed.wait()


class _Printer:
    """Prints what it has not printed yet."""

    def __init__(self) -> None:
        self._run = ""
        self._seen = 0

    @property
    def has_shown(self) -> bool:
        """Whether anything was printed."""
        return bool(self._run)

    def show(self, kept: KeptLog) -> None:
        """Print what is new of a log."""
        header = kept.header
        if header.run != self._run:
            self._run, self._seen = header.run, 0
        if header.dropped > self._seen:
            click.echo(f"[{header.dropped - self._seen} bytes are not kept]", err=True)
        content = logtexts.unseen(kept.content, header.dropped, self._seen)
        self._seen = header.dropped + len(kept.content)
        click.echo(content, nl=False)


async def _kept(cluster: Cluster, key: ObjectKey, which: str) -> KeptLog | None:
    secret = kept_logs.key_of(key)
    try:
        return kept_logs.read(await cluster.get(SECRETS, secret.name, namespace=secret.namespace), which)
    except NotFound:
        return None


async def _item(cluster: Cluster, key: ObjectKey) -> DeployItem:
    """The item that is meant; its kind may stand before its name, as other commands print it. Only programs print."""
    kind, _, name = key.name.rpartition("/")
    if kind and lookups.matching(_WORKERS, kind) != DEPLOY_ITEMS.untyped():
        raise ClusterError(f"only container and script items have logs; {key.name} is no deploy item")
    item = await lookups.item(cluster, key._replace(name=name))
    if full_type(item.spec.type) not in _PROGRAMS:
        raise ClusterError(
            f"deploy item {key_of(item)} is of type {item.spec.type}; only container and script items have logs"
        )
    return item


def _tell_why_nothing(item: DeployItem, which: str) -> None:
    """Say why there is no log; that a program was silent is no error."""
    key = key_of(item)
    if not item.status.provider_status:
        where = "" if key.namespace == "default" else f" -n {key.namespace}"
        message = f"the program of deploy item {key} has not run yet; `landform why {key.name}{where}` says why"
        raise ClusterError(message)
    if which == kept_logs.PREVIOUS:
        raise ClusterError(f"there is no log of an earlier run of deploy item {key}")
    click.echo(f"The program of deploy item {key} has printed nothing.", err=True)


def _named(name: str) -> ListOptions:
    return ListOptions(field_selector=f"metadata.name={name}")
