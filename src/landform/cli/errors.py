"""How errors reach the user: one sentence on stderr and exit code 1."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""


@contextmanager
def friendly_errors() -> Iterator[None]:
    """Turn the errors that are written for users into click's way of showing them; bugs keep their traceback."""
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except LandformError as error:
        raise click.ClickException(str(error)) from error
