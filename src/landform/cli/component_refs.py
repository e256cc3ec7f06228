"""References to component versions as people type them: ``PLACE//NAME:VERSION``; and to resources of one.

PLACE is a registry (``registry.example.com/components``, ``http://localhost:5000``), or a folder or an archive of
this machine; what kind it is can be said before it: ``ComponentArchive::./archive``.

>>> reference = parse("registry.example.com/components//example.com/shop:1.0.0")
>>> reference.name, reference.version, reference.repository["baseUrl"]
('example.com/shop', '1.0.0', 'registry.example.com/components')
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from landform.components import selection
from landform.components.errors import Ambiguous

if TYPE_CHECKING:
    from collections.abc import Mapping

_HINT = "write PLACE//NAME:VERSION, such as registry.example.com/components//example.com/shop:1.0.0"


@dataclass(frozen=True)
class Reference:
    """A component, or a version of it, and where it is."""

    repository: dict[str, Any]
    """The repository context."""

    name: str
    version: str
    """Empty if only the component is named."""

    root: Path | None = None
    """The folder that the repository lies in, if it is one in files."""


def parse(text: str) -> Reference:
    """The parts of a reference; a usage error if it is none."""
    place, separator, rest = text.rpartition("//")
    if not separator or not place or place.endswith(":") or not rest:
        raise click.UsageError(f"{text} is no reference to a component version; {_HINT}")
    name, colon, version = rest.partition(":")
    if not name or (colon and not version):
        missing = "version" if name else "name"
        raise click.UsageError(f"{text} has no {missing} of a component; {_HINT}")
    kind, separator, where = place.partition("::")
    if not separator:
        kind, where = "", place
    repository, root = _files(Path(where), kind) if _is_in_files(where, kind) else (_registry(where, kind), None)
    return Reference(repository, name, version, root)


def parse_resource(text: str) -> dict[str, str]:
    """The identity that ``NAME,KEY=VALUE,...`` means; a usage error if it means none."""
    name, *pairs = text.split(",")
    if not name or not all("=" in pair for pair in pairs):
        raise click.UsageError(f"{text!r} names no resource; write its name, or NAME,KEY=VALUE,...")
    return {**dict(pair.split("=", 1) for pair in pairs), "name": name}


def choose(descriptor: Mapping[str, Any], identity: dict[str, str]) -> dict[str, Any]:
    """The one resource that is meant; a usage error that lists the candidates if there are several, or none."""
    found = selection.resources(descriptor, identity)
    if len(found) == 1:
        return found[0]
    if len(identity) == 1:
        with suppress(Ambiguous):
            return selection.resource_named(descriptor, identity["name"])
    resources = descriptor["component"]["resources"]
    candidates = [each for each in selection.identities(resources) if each["name"] == identity["name"]]
    number = f"{len(found)} resources fit" if found else "no resource is"
    hint = (
        f"name one of these: {'; '.join(map(_spelled, candidates))}"
        if candidates
        else "see `landform component resources`"
    )
    raise click.UsageError(f"{number} {_spelled(identity)}; {hint}")


def _spelled(identity: Mapping[str, str]) -> str:
    """An identity as people type it."""
    pairs = [f"{key}={identity[key]}" for key in sorted(identity) if key != "name"]
    return ",".join([identity["name"], *pairs])


def _is_in_files(where: str, kind: str) -> bool:
    if kind:
        return kind not in ("OCIRegistry", "oci")
    return "://" not in where and Path(where).exists()


def _registry(where: str, kind: str) -> dict[str, Any]:
    if not kind and where.startswith((".", "/", "~")):
        raise click.UsageError(f"there is no folder or archive {where}")
    return {"type": "OCIRegistry", "baseUrl": where}


def _files(path: Path, kind: str) -> tuple[dict[str, Any], Path]:
    """The repository in a folder or an archive, and the folder that this lies in."""
    if not path.exists():
        raise click.UsageError(f"there is no folder or archive {path}")
    place = path.resolve()
    return {"type": kind or _kind(place), "filePath": place.name}, place.parent


def _kind(place: Path) -> str:
    if place.is_file() or (place / "artifact-index.json").is_file():
        return "CommonTransportFormat"
    return "ComponentArchive" if (place / "component-descriptor.yaml").is_file() else "local"
