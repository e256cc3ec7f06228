"""``landform get``: objects, for those without kubectl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec
from rich.table import Table

from landform.cli import lookups, printing
from landform.cli.loops import run
from landform.cli.options import Choice, cluster_choice
from landform.cluster.errors import NotFound
from landform.cluster.interface import ListOptions
from landform.cluster.resources import ObjectKey
from landform.embedded.tables.ages import since
from landform.kit import yamls
from landform.kit.clocks import SystemClock

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from landform.cluster import Resource, Unstructured


@click.command()
@cluster_choice
@click.argument("kind")
@click.argument("name", required=False)
@click.option("-n", "--namespace", default="", help="Only this namespace; all by default.")
@click.option("-A", "--all-namespaces", is_flag=True, help="All namespaces, as it is without --namespace.")
@click.option("-l", "--selector", default="", help="Only objects with these labels.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["table", "yaml", "json"]),
    default="table",
    show_default=True,
    help="How to show them.",
)
def get(
    folder: Path,
    kubeconfig_file: Path | None,
    context: str | None,
    kind: str,
    name: str | None,
    namespace: str,
    all_namespaces: bool,
    selector: str,
    output: str,
) -> None:
    """Show objects of a KIND (its plural, singular, short or kind name), or the one called NAME."""
    if all_namespaces and (name or namespace):
        raise click.UsageError("--all-namespaces is for a list, without a name and without --namespace")
    choice = Choice(folder, kubeconfig_file, context)
    resource, objects = run(_get(choice, kind, name, namespace, selector))
    if output == "table":
        printing.console().print(_table(resource, objects, SystemClock().now()))
        return
    shown = [_without_managers(obj) for obj in objects]
    if output == "yaml":
        click.echo("---\n".join(yamls.dump(obj) for obj in shown), nl=False)
    else:
        whole = shown[0] if name else {"apiVersion": "v1", "kind": "List", "items": shown}
        click.echo(msgspec.json.format(msgspec.json.encode(whole)).decode())


def _without_managers(obj: Unstructured) -> Unstructured:
    """The object without who set which field: long, read by nobody, and refused when the object is applied again."""
    metadata = {name: value for name, value in obj["metadata"].items() if name != "managedFields"}
    return {**obj, "metadata": metadata}


async def _get(
    choice: Choice, kind: str, name: str | None, namespace: str, selector: str
) -> tuple[Resource[Unstructured], list[Unstructured]]:
    async with choice.cluster() as cluster:
        resource = lookups.matching(await cluster.discover(), kind)
        if name:
            key = ObjectKey((namespace or "default") if resource.namespaced else "", name)
            try:
                return resource, [await cluster.get(resource, key.name, namespace=key.namespace)]
            except NotFound as error:
                raise await lookups.not_found(cluster, resource, key) from error
        options = ListOptions(label_selector=selector)
        return resource, list((await cluster.list(resource, namespace=namespace, options=options)).items)


def _table(resource: Resource[Unstructured], objects: Iterable[Unstructured], now: datetime) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in (["NAMESPACE"] if resource.namespaced else []) + ["NAME", "PHASE", "AGE"]:
        table.add_column(heading, overflow="fold")
    for obj in objects:
        metadata = obj["metadata"]
        status = obj.get("status")
        phase = str(status.get("phase", "")) if isinstance(status, dict) else ""
        cells = [metadata["name"], phase, since(metadata.get("creationTimestamp"), now)]
        table.add_row(*([metadata.get("namespace", "")] if resource.namespaced else []), *cells)
    return table
