"""Blueprints that are folders beside a manifest: written into the Installation before it is sent.

    spec:
      blueprint:
        inline:
          filesystem:
            $folder: blueprint      # relative to the file that this stands in

The kind itself has no such field: a cluster cannot read the folders of whoever writes to it.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

import click

from landform.api.structs import API_VERSION
from landform.blueprints import files
from landform.blueprints.errors import FileError
from landform.kit import framing

if TYPE_CHECKING:
    from pathlib import Path

    from landform.cluster import Unstructured

FOLDER: Final = "$folder"
"""The key that names the folder."""

_BLUEPRINT_FILE: Final = "blueprint.yaml"
_KIND: Final = "Installation"


def is_blueprint(folder: Path) -> bool:
    """Whether a folder is a blueprint, and so holds no objects to send."""
    return (folder / _BLUEPRINT_FILE).is_file()


def filled_in(obj: Unstructured, beside: Path, place: str) -> Unstructured:
    """An object with the folder that its blueprint names in the place of the name; others as they are."""
    inline = _inline_of(obj)
    named = inline.get("filesystem") if inline is not None else None
    if inline is None or not isinstance(named, dict) or set(named) != {FOLDER}:
        return obj
    if not isinstance(named[FOLDER], str):
        raise click.ClickException(f"{place}: {FOLDER} must be the path of a folder, relative to this file")
    folder = beside / named[FOLDER]
    if not is_blueprint(folder):
        raise click.ClickException(
            f"{place}: there is no {_BLUEPRINT_FILE} in {folder}; {FOLDER} is relative to the file that it stands in"
        )
    try:
        filesystem = inlined(folder)
    except (FileError, OSError) as error:
        raise click.ClickException(f"{place}: the blueprint {folder} cannot be read: {error}") from error
    spec = {**obj["spec"], "blueprint": {**obj["spec"]["blueprint"], "inline": {**inline, "filesystem": filesystem}}}
    return {**obj, "spec": spec}


def inlined(folder: Path) -> dict[str, Any]:
    """A folder as the document that an inline blueprint holds: maps are folders, texts are files."""
    root: dict[str, Any] = {}
    for path, content in files.from_folder(folder).contents().items():
        *folders, name = path.split("/")
        inner = root
        for part in folders:
            inner = inner.setdefault(part, {})
        inner[name] = _text(content)
    return root


def _inline_of(obj: Unstructured) -> dict[str, Any] | None:
    """The inline blueprint of an Installation, however odd the rest of it may be."""
    if (obj["apiVersion"], obj["kind"]) != (API_VERSION, _KIND):
        return None
    found: Any = obj
    for field in ("spec", "blueprint", "inline"):
        found = found.get(field) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


def _text(content: bytes) -> str:
    """A file as text; what is no text, or would be taken for a frame, is framed."""
    with contextlib.suppress(UnicodeDecodeError):
        text = content.decode()
        if not text.startswith(framing.BEGIN):
            return text
    return framing.framed(content)
