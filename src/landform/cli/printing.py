"""How commands show things: colours and folding only on a terminal, plain data for programs."""

from __future__ import annotations

import sys
from typing import Any

import click
import msgspec
from rich.console import Console

from landform.kit import yamls

_UNFOLDED = 10_000
"""Columns of a line that nothing reaches."""


def console(*, stderr: bool = False) -> Console:
    """Where people read. What goes to another program is never folded; texts are shown as they are."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _UNFOLDED
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def show_data(value: Any, output: str) -> None:
    """Show a value to a program, as YAML or as JSON."""
    plain = msgspec.json.decode(msgspec.json.encode(value))
    if output == "yaml":
        click.echo(yamls.dump(plain), nl=False)
    else:
        click.echo(msgspec.json.format(msgspec.json.encode(plain)).decode())
