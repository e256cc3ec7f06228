"""How errors reach the user: one sentence on stderr and exit code 1."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import Iterator

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""

TERMINATED = 143
"""The same after SIGTERM."""


_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


@contextmanager
def friendly_errors() -> Iterator[None]:
    """Turn the errors that are written for users into click's way of showing them; bugs keep their traceback."""
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except LandformError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        # What could not be written is still on its way, and would be tried again, loudly, when the process ends.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - until the process ends
        where = f" to {error.filename}" if error.filename else ""
        raise click.ClickException(f"cannot write{where}: {error.strerror}") from error
