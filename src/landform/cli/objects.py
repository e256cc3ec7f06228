"""``landform apply`` and ``landform get``: objects in and out, for those without kubectl."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
import yaml
from rich.console import Console
from rich.table import Table

from landform.cli.loops import run
from landform.cli.options import Choice, cluster_choice
from landform.cluster.errors import ApiError, ClusterError
from landform.cluster.interface import ListOptions, PatchType, WriteOptions
from landform.embedded.tables.ages import since
from landform.kit import yamls
from landform.kit.clocks import SystemClock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from landform.cluster import Cluster, Resource, Unstructured

MANAGER = "landform"

_UNFOLDED = 10_000
"""Columns of a line that no table reaches."""


@click.command()
@cluster_choice
@click.option(
    "-f",
    "--file",
    "files",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    help="File or folder with YAML or JSON; - is standard input. May be repeated.",
)
@click.option("-n", "--namespace", default="default", show_default=True, help="Namespace of objects that name none.")
@click.option("--force", is_flag=True, help="Take over fields that someone else set.")
def apply(
    folder: Path,
    kubeconfig_file: Path | None,
    context: str | None,
    files: tuple[Path, ...],
    namespace: str,
    force: bool,
) -> None:
    """Create or change objects from files (server-side apply)."""
    documents = [document for file in files for document in _read(file)]
    if not documents:
        raise click.ClickException(f"there is no object in {', '.join(map(str, files))}")
    run(_apply(Choice(folder, kubeconfig_file, context), documents, namespace, force))


async def _apply(choice: Choice, documents: Sequence[tuple[str, Unstructured]], namespace: str, force: bool) -> None:
    async with choice.cluster() as cluster:
        for place, obj in documents:
            resource = await _resource_of(cluster, obj, place)
            scope = obj["metadata"].get("namespace", namespace) if resource.namespaced else ""
            name = obj["metadata"]["name"]
            options = WriteOptions(field_manager=MANAGER, force=force, field_validation="Strict")
            try:
                await cluster.patch(resource, name, obj, namespace=scope, type=PatchType.APPLY, options=options)
            except ApiError as error:
                raise ClusterError(f"{place}: {resource.kind} {name}: {error}") from error
            click.echo(f"{resource.plural}/{name} applied")


async def _resource_of(cluster: Cluster, obj: Unstructured, place: str) -> Resource[Unstructured]:
    """The resource of an object; asked anew each time, since an earlier document may have defined it."""
    for resource in await cluster.discover():
        if resource.api_version == obj["apiVersion"] and resource.kind == obj["kind"]:
            return resource
    raise ClusterError(f"{place}: the cluster does not know the kind {obj['kind']} of {obj['apiVersion']}")


def _read(file: Path) -> Iterable[tuple[str, Unstructured]]:
    """The objects of a file or folder, each with its place for messages."""
    if file.is_dir():
        for path in sorted(p for p in file.rglob("*") if p.suffix in (".yaml", ".yml", ".json")):
            yield from _read(path)
        return
    shown = "standard input" if str(file) == "-" else str(file)
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text()
        documents = list(yamls.load_all(text))
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"cannot read {shown}: {_fault(error)}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise click.ClickException(f"{shown} is not valid YAML: {_fault(error)}") from error
    for number, document in enumerate(documents, start=1):
        if document is not None:
            place = f"{shown}, document {number}"
            _check(document, place)
            yield place, document


def _fault(error: Exception) -> str:
    """What is wrong, on one line."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"line {error.problem_mark.line + 1}, column {error.problem_mark.column + 1}: {error.problem}"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error)


def _check(document: Any, place: str) -> None:
    fields = document if isinstance(document, dict) else {}
    for field in ("apiVersion", "kind"):
        if not isinstance(fields.get(field), str):
            raise click.ClickException(f"{place}: {field} is missing; every object needs apiVersion and kind")
    metadata = fields.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        raise click.ClickException(f"{place}: metadata.name is missing; every object needs one")


@click.command()
@cluster_choice
@click.argument("kind")
@click.argument("name", required=False)
@click.option("-n", "--namespace", default="", help="Only this namespace; all by default.")
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
    selector: str,
    output: str,
) -> None:
    """Show objects of a KIND (its plural, singular or kind name), or the one called NAME."""
    choice = Choice(folder, kubeconfig_file, context)
    resource, objects = run(_get(choice, kind, name, namespace, selector))
    if output == "table":
        _print(_table(resource, objects, SystemClock().now()))
    elif output == "yaml":
        click.echo("---\n".join(yamls.dump(obj) for obj in objects), nl=False)
    else:
        shown = objects[0] if name else {"apiVersion": "v1", "kind": "List", "items": objects}
        click.echo(msgspec.json.format(msgspec.json.encode(shown)).decode())


async def _get(
    choice: Choice, kind: str, name: str | None, namespace: str, selector: str
) -> tuple[Resource[Unstructured], list[Unstructured]]:
    async with choice.cluster() as cluster:
        resource = _matching(await cluster.discover(), kind)
        if name:
            scope = (namespace or "default") if resource.namespaced else ""
            return resource, [await cluster.get(resource, name, namespace=scope)]
        options = ListOptions(label_selector=selector)
        return resource, list((await cluster.list(resource, namespace=namespace, options=options)).items)


def _matching(resources: Sequence[Resource[Unstructured]], kind: str) -> Resource[Unstructured]:
    wanted = kind.lower()
    for resource in resources:
        if wanted in (resource.plural, resource.kind.lower(), str(resource)):
            return resource
    raise ClusterError(f'the cluster does not know the kind "{kind}"; `kubectl api-resources` lists those it knows')


def _print(table: Table) -> None:
    """Show a table. What goes to another program is never folded; cells are shown as they are."""
    width = None if sys.stdout.isatty() else _UNFOLDED
    Console(width=width, markup=False, emoji=False, highlight=False).print(table)


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
