"""``landform events``: what controllers and deployers told about objects."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

import click
from rich.text import Text

from landform.cli import lookups, printing, waits
from landform.cli.loops import run
from landform.cli.options import Choice, cluster_choice, namespace_choice, output_choice
from landform.cluster import watching
from landform.cluster.resources import EVENTS, ObjectKey
from landform.embedded.tables.ages import since
from landform.insight import gathering
from landform.kit.clocks import SystemClock
from landform.runtime.recorders import EventType

if TYPE_CHECKING:
    from pathlib import Path

    from landform.cluster import Cluster, Unstructured

_REASON_WIDTH = 20
_OBJECT_WIDTH = 30


@click.command()
@cluster_choice
@click.argument("name", required=False)
@namespace_choice
@click.option("-w", "--watch", is_flag=True, help="Go on showing new ones, until Ctrl-C.")
@output_choice
def events(
    folder: Path,
    kubeconfig_file: Path | None,
    context: str | None,
    name: str | None,
    namespace: str,
    watch: bool,
    output: str,
) -> None:
    """Show the Events of a namespace, or those about the Installation NAME and everything below it; newest last."""
    if watch and output != "text":
        raise click.UsageError("--watch shows no other output than text")
    choice = Choice(folder, kubeconfig_file, context)
    if watch:
        run(_watch(choice, name, namespace))
        return
    found = run(_events(choice, name, namespace))
    if output != "text":
        printing.show_data(found, output)
        return
    if not found:
        about = f"about {name}" if name else f"in namespace {namespace}"
        click.echo(f"There are no Events {about}; they tell of the unusual only, and are kept for an hour.", err=True)
    for event in found:
        _show(event)


async def _events(choice: Choice, name: str | None, namespace: str) -> list[Unstructured]:
    async with choice.cluster() as cluster:
        about = await _subjects(cluster, name, namespace)
        found = (await cluster.list(EVENTS, namespace=namespace)).items
    return sorted((event for event in found if _is_about(event, about)), key=_time)


async def _watch(choice: Choice, name: str | None, namespace: str) -> None:
    async with choice.cluster() as cluster:
        watcher = watching.Watcher(cluster, EVENTS, namespace=namespace)
        patience = waits.Patience(SystemClock())
        async with aclosing(watcher.events()) as changes:
            async for change in changes:
                # What belongs to an Installation grows while one looks on.
                match change:
                    case watching.Found(items):
                        about = await _subjects(cluster, name, namespace)
                        for event in sorted((each for each in items if _is_about(each, about)), key=_time):
                            _show(event)
                    case watching.Applied(event):
                        if _is_about(event, await _subjects(cluster, name, namespace)):
                            _show(event)
                    case watching.Troubled():
                        patience.strain(change)


async def _subjects(cluster: Cluster, name: str | None, namespace: str) -> set[str] | None:
    """The uids of all that Events are wanted about; None for everything."""
    if name is None:
        return None
    key = ObjectKey(namespace, name)
    await lookups.installation(cluster, key)
    landscape = await gathering.gather(cluster, [key])
    objects = (*landscape.installations, *landscape.executions, *landscape.items)
    return {each.metadata.uid or "" for each in objects}


def _is_about(event: Unstructured, uids: set[str] | None) -> bool:
    return uids is None or event.get("involvedObject", {}).get("uid") in uids


def _time(event: Unstructured) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or event["metadata"].get("creationTimestamp") or "")


def _show(event: Unstructured) -> None:
    subject = event.get("involvedObject", {})
    times = f" (x{event['count']})" if (event.get("count") or 1) > 1 else ""
    about = f"{subject.get('kind', '').lower()}/{subject.get('name', '')}"
    line = Text.assemble(
        (f"{since(_time(event), SystemClock().now()):>8}  ", "dim"),
        (f"{event.get('reason', ''):<{_REASON_WIDTH}}  ", "red" if event.get("type") == EventType.WARNING else "green"),
        f"{about:<{_OBJECT_WIDTH}}  ",
        f"{event.get('message', '')}{times}",
    )
    printing.console().print(line)
