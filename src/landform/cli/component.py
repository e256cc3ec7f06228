"""``landform component``: what Landform sees of component versions, in any repository."""

from __future__ import annotations

import asyncio
import functools
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from landform.cli import component_files, component_refs, printing
from landform.cli.loops import run
from landform.cli.options import output_choice
from landform.cli.repositories import cache_choice, registry_choice
from landform.components import contexts
from landform.components.errors import AccessDenied, ComponentError, NotFound
from landform.components.overwrites import ComponentReference
from landform.components.signatures import TrustedKeys
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from landform.cli.component_refs import Reference
    from landform.cli.repositories import Access
    from landform.components.resolving import ComponentContext, Resolver
    from landform.components.versions import ComponentVersion

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


def _reading(function: Any) -> Any:
    """What all of these commands have: the reference, credentials, and the cache; they get `look`."""

    @functools.wraps(function)
    def wrapped(ref: str, ocm_config: Path | None, access: Access, component_cache: Path, **rest: Any) -> Any:
        return function(look=_Look(component_refs.parse(ref), ocm_config, access, component_cache), **rest)

    config = click.option(
        "--ocm-config", type=_FILE, help="OCM configuration with credentials and further repositories."
    )
    # The outermost comes first: REF before the arguments of the command itself.
    return click.argument("ref")(config(registry_choice(cache_choice(wrapped))))


class _Look:
    """Where to look, and with what."""

    def __init__(self, reference: Reference, ocm_config: Path | None, access: Access, cache: Path) -> None:
        self.reference = reference
        self._ocm_config, self._access, self._cache = ocm_config, access, cache

    @asynccontextmanager
    async def resolver(self) -> AsyncIterator[tuple[Resolver, ComponentContext]]:
        access = replace(self._access, root=self.reference.root)
        text = await asyncio.to_thread(component_files.text, self._ocm_config)
        context = contexts.build(repository_context=self.reference.repository, ocm_config=text)
        async with access.repositories(self._cache).resolver() as resolver:
            try:
                yield resolver, context
            except AccessDenied as error:
                raise AccessDenied(f"{error}; credentials come from --docker-config and --ocm-config") from error

    @asynccontextmanager
    async def version(self) -> AsyncIterator[tuple[Resolver, ComponentVersion]]:
        """The component version that is named."""
        if not self.reference.version:
            raise click.UsageError(f"name a version: {self.reference.name}:VERSION")
        async with self.resolver() as (resolver, context):
            wanted = ComponentReference(self.reference.name, self.reference.version)
            try:
                version = await resolver.resolve(wanted, context)
            except NotFound as error:
                raise NotFound(f"{error}{await self._others(resolver, context)}") from error
            yield resolver, version

    async def _others(self, resolver: Resolver, context: ComponentContext) -> str:
        """Which versions there are instead; nothing if it is another component version that is missing."""
        try:
            versions = await resolver.versions(self.reference.name, context)
        except ComponentError:
            return ""
        if self.reference.version in versions:
            return ""
        return f"; versions that are there: {', '.join(versions) or 'none, so the name or the place may be wrong'}"


@click.group()
def component() -> None:
    """Show, verify and download component versions.

    REF is PLACE//NAME:VERSION. PLACE is a registry such as registry.example.com/components (https, unless it begins
    with http://), or a folder or an archive of this machine.
    """


@component.command()
@_reading
@click.option("-r", "--recursive", is_flag=True, help="Show all that it refers to as well.")
@output_choice
def get(look: _Look, recursive: bool, output: str) -> None:
    """Show a component version, or list its versions.

    Without :VERSION it lists those that are there.
    """
    if not look.reference.version:
        _list(run(_versions(look)), look.reference.name, output)
        return
    found = run(_found(look))
    shown = found.closure if recursive else (found.descriptor,)
    if output == "text":
        for descriptor in shown:
            _summary(descriptor)
    elif output == "yaml":
        click.echo("---\n".join(yamls.dump(dict(descriptor)) for descriptor in shown), nl=False)
    else:
        printing.show_data(list(shown) if recursive else shown[0], output)


@component.command()
@_reading
@output_choice
def resources(look: _Look, output: str) -> None:
    """List the resources of a component version."""
    found = run(_found(look)).descriptor["component"]["resources"]
    if output != "text":
        printing.show_data(found, output)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("NAME", "VERSION", "TYPE", "ACCESS", "IDENTITY"):
        table.add_column(heading, overflow="fold")
    for resource in found:
        extra = ",".join(f"{key}={value}" for key, value in sorted((resource.get("extraIdentity") or {}).items()))
        table.add_row(resource["name"], resource["version"], resource["type"], resource["access"]["type"], extra)
    printing.console().print(table)


@component.command()
@_reading
@click.option("--signature", required=True, help="Name of the signature.")
@click.option("--public-key", type=_FILE, help="Public key of whom you trust, in PEM form.")
@click.option("--ca", "ca_file", type=_FILE, help="Certificate authorities that you trust, in PEM form.")
def verify(look: _Look, signature: str, public_key: Path | None, ca_file: Path | None) -> None:
    """Verify a signature of a component version.

    The content of its resources is fetched and compared, and so is that of all component versions that it refers to.
    """
    if public_key is None and ca_file is None:
        raise click.UsageError("say whom you trust: give --public-key or --ca")
    keys = TrustedKeys(component_files.text(public_key), component_files.text(ca_file))
    digest = run(_verified(look, signature, keys))
    click.echo(f'{look.reference.name}:{look.reference.version} has a good signature "{signature}" over {digest}')


@component.command()
@_reading
@click.argument("resource")
@click.option(
    "--to",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="File to write, - is standard output; by default the name of the resource in this folder.",
)
def download(look: _Look, resource: str, to: Path | None) -> None:
    """Download the content of a resource.

    RESOURCE is its name, or NAME,KEY=VALUE,... if others have that name too. An OCI artifact comes as a tar archive
    with its manifest and its blobs.
    """
    identity = component_refs.parse_resource(resource)
    target = to if to is not None else Path(Path(identity["name"]).name)
    if str(target) != "-" and target.exists():
        raise click.UsageError(f"{target} exists; name another file with --to")
    size = run(_downloaded(look, identity, target))
    click.echo(f"{target}: {size} bytes", err=True)


async def _versions(look: _Look) -> list[str]:
    async with look.resolver() as (resolver, context):
        return await resolver.versions(look.reference.name, context)


async def _found(look: _Look) -> ComponentVersion:
    async with look.version() as (_, version):
        return version


async def _verified(look: _Look, signature: str, keys: TrustedKeys) -> str:
    async with look.version() as (resolver, version):
        return await resolver.verify(version, signature, keys)


async def _downloaded(look: _Look, identity: dict[str, str], target: Path) -> int:
    async with look.version() as (resolver, version):
        blob = await resolver.resource_content(version, component_refs.choose(version.descriptor, identity))
        await asyncio.to_thread(component_files.write, blob.content, target)
        return blob.size


def _list(versions: list[str], name: str, output: str) -> None:
    if output != "text":
        printing.show_data(versions, output)
    elif versions:
        click.echo("\n".join(versions))
    else:
        click.echo(f"there is no version of {name}; the name or the place may be wrong", err=True)


def _summary(descriptor: Mapping[str, Any]) -> None:
    """A component version in a few lines."""
    component = descriptor["component"]
    provider = component["provider"]
    click.echo(f"{component['name']}:{component['version']}")
    click.echo(f"  provider    {provider if isinstance(provider, str) else provider.get('name', '')}")
    for resource in component["resources"]:
        click.echo(f"  resource    {resource['name']} {resource['version']} ({resource['type']})")
    for reference in component["componentReferences"]:
        click.echo(f"  reference   {reference['name']} = {reference['componentName']}:{reference['version']}")
    for signature in descriptor.get("signatures") or ():
        click.echo(f"  signature   {signature['name']} ({signature['signature']['algorithm']})")
