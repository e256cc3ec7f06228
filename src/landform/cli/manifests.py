"""Manifests: the objects of files and folders, checked, completed and put in order before anything is sent."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import yaml

from landform.cli import blueprint_folders
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from landform.cluster import Unstructured

STANDARD_INPUT: Final = Path("-")

_SUFFIXES = (".yaml", ".yml", ".json")

_FIRST: Final = ("CustomResourceDefinition", "Namespace")
_LAST: Final = "Installation"
"""Their controller is to find what they import; everything else is in between."""


@dataclass(frozen=True)
class Manifest:
    """One object of a file."""

    place: str
    """Where it was found, for messages."""

    obj: Unstructured


def read(paths: Iterable[Path]) -> list[Manifest]:
    """The objects of files and folders, in the order in which they are to be sent."""
    found = [manifest for path in paths for manifest in _read(path)]
    if not found:
        raise click.ClickException(f"there is no object in {', '.join(map(_shown, paths))}")
    return sorted(found, key=_rank)


def _rank(manifest: Manifest) -> int:
    kind = manifest.obj["kind"]
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST) + (kind == _LAST)


def _read(path: Path) -> Iterator[Manifest]:
    if path.is_dir():
        yield from _read_folder(path)
        return
    folder = Path() if path == STANDARD_INPUT else path.parent
    for number, document in enumerate(_documents(path, _shown(path)), start=1):
        for place, obj in _objects(document, f"{_shown(path)}, document {number}"):
            _check(obj, place)
            yield Manifest(place, blueprint_folders.filled_in(obj, folder, place))


def _shown(path: Path) -> str:
    return "standard input" if path == STANDARD_INPUT else str(path)


def _objects(document: Any, place: str) -> Iterator[tuple[str, Any]]:
    """The object of a document, or those of a list as `get` and kubectl print it, each with where it was found."""
    if document is None:
        return
    if not isinstance(document, dict) or document.get("kind") != "List" or document.get("apiVersion") != "v1":
        yield place, document
        return
    items = document.get("items")
    if not isinstance(items, list):
        raise click.ClickException(f"{place}: items is missing; a List needs it")
    for number, item in enumerate(items, start=1):
        yield f"{place}, item {number}", item


def _read_folder(folder: Path) -> Iterator[Manifest]:
    if blueprint_folders.is_blueprint(folder):
        raise click.ClickException(
            f"{folder} is a blueprint, not a folder of objects; write an Installation whose blueprint is"
            f" {{inline: {{filesystem: {{{blueprint_folders.FOLDER}: {folder.name}}}}}}} and name that"
        )
    # The files of a folder before those of the folders in it would tear 1-a.yaml and 2-b/ apart.
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if not blueprint_folders.is_blueprint(path):
                yield from _read_folder(path)
        elif path.suffix in _SUFFIXES:
            yield from _read(path)


def _documents(path: Path, shown: str) -> list[Any]:
    try:
        text = sys.stdin.read() if path == STANDARD_INPUT else path.read_text(encoding="utf-8")
        return list(yamls.load_all(text))
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"cannot read {shown}: {_fault(error)}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise click.ClickException(f"{shown} is not valid YAML: {_fault(error)}") from error


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
