"""Files of people: keys and configurations that are read, content that is written whole or not at all."""

from __future__ import annotations

import io
import secrets
import shutil
import sys
from typing import TYPE_CHECKING, BinaryIO

import click

if TYPE_CHECKING:
    from pathlib import Path


def text(file: Path | None) -> str:
    """The text of a file that an option names; empty without one."""
    if file is None:
        return ""
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise click.FileError(str(file), error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise click.FileError(str(file), "it is not a text") from error


def write(content: bytes | Path, target: Path) -> None:
    """Write content to a file, or to standard output; a file gets its name when it is complete."""
    source: BinaryIO = io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")
    with source:
        if str(target) == "-":
            shutil.copyfileobj(source, sys.stdout.buffer)
            return
        try:
            _write(source, target)
        except OSError as error:
            raise click.ClickException(f"{target} cannot be written: {error.strerror or error}") from error


def _write(source: BinaryIO, target: Path) -> None:
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with part.open("xb") as file:
            shutil.copyfileobj(source, file)
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)
